import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { renewedIds, withoutErasedKeepits } from '../../core/keepits/effectiveKeepits';
import { projectManifestSchema, type ProjectManifest } from '../../core/model/manifest';
import { versionsIndex } from '../../core/versions/versionEntries';
import { parsedJson } from '../../core/text/ownValue';
import { createFile } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { READ_NO_FOLLOW } from '../files/links';
import type { ManifestTransaction } from '../store/manifestTransaction';
import { hashContent } from '../store/originalHashes';
import { jsonText } from '../store/storedJson';
import type { ProjectLayout } from '../store/storeLayout';
import { fill, type Run } from './erasedRuns';

const CHUNK_BYTES = 1024 * 1024;

/** What is to be overwritten. Asked about every file of a project, and about what its manifest says. */
interface Rewriting {
  runsIn(file: string): Promise<Run[]>;
  /** In a text that was made of what was said. */
  runsInText(bytes: Buffer): readonly Run[];
  /** Whether all of a record is to go. */
  isGone(messageUuid: string): boolean;
}

/** All files below a folder but locks, and what is just being written. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = (await unlessGone(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  return entries
    .filter(({ name }) => !(name.startsWith('.') && (name.endsWith('.tmp') || name.includes('.lock'))))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** What hooks have ready of sessions and knowledge: it is made again of them. */
function isPrepared(layout: ProjectLayout, file: string): boolean {
  const [folder, ...names] = layout.relative(file).split('/');
  return folder === 'hooks' && PREPARED.has(names.at(-1) ?? '');
}

const PREPARED = new Set(['brief.json', 'reminders.json', 'state.json']);

/** Whether a file is a transcript as it was kept, or was before it was moved to the trash. */
export function isOriginal(file: string): boolean {
  return file.split(path.sep).includes('originals');
}

/**
 * Stages every file of a project that was made of what is to be overwritten, and returns the manifest that goes with them: without the
 * hashes of the originals that say it, which are overwritten later. Those hashes would call them damaged when the process ends amid them.
 */
export async function rewriteMade(
  rewriting: Rewriting,
  layout: ProjectLayout,
  manifest: ProjectManifest,
  change: ManifestTransaction,
): Promise<ProjectManifest> {
  const text = Buffer.from(JSON.stringify(manifest), 'utf8');
  const runs = rewriting.runsInText(text);
  fill(text, 0, runs);
  const ids = runs.length === 0 ? NONE : renewedIds(manifest, manifestOf(text.toString('utf8')));
  const changed = new Set<string>();
  const indexes = new Set(Object.keys(manifest.sessions).map((sessionId) => layout.versions(sessionId)));
  for (const file of await filesOf(layout.dir)) {
    if (file === layout.manifest) continue;
    const own = await rewriting.runsIn(file);
    if (isOriginal(file)) {
      if (own.length > 0) changed.add(layout.relative(file));
      continue;
    }
    if (indexes.has(file)) continue; // they say what the manifest does
    own.push(...(await idsIn(file, ids)));
    if (own.length > 0 && isPrepared(layout, file)) await change.remove(file);
    else if (own.length > 0) await change.stage(file, async (temporary) => copyErased(file, temporary, own));
  }
  let renewed = text.toString('utf8');
  for (const [old, id] of ids) renewed = renewed.replaceAll(old, id);
  const hashesOf = (kept: Kept): Kept['hashes'] => (changed.has(kept.file) ? undefined : kept.hashes);
  const overwritten = runs.length === 0 ? manifest : manifestOf(renewed);
  const erased = withoutErasedKeepits(overwritten, (uuid) => rewriting.isGone(uuid));
  for (const entry of Object.values(erased.sessions)) {
    const index = layout.versions(entry.sessionId);
    const known = await unlessGone(readFile(index, 'utf8'));
    const wanted = jsonText(versionsIndex(entry));
    if (known !== undefined && known !== wanted) await change.stageText(index, wanted);
  }
  return withHashes(erased, hashesOf);
}

/** Stages the originals of a project without what is to be overwritten, and returns the manifest with the hashes of what they hold then. */
export async function rewriteOriginals(
  { runsIn }: Pick<Rewriting, 'runsIn'>,
  layout: ProjectLayout,
  manifest: ProjectManifest,
  change: ManifestTransaction,
): Promise<ProjectManifest> {
  const hashes = new Map<string, string[]>();
  for (const file of (await filesOf(layout.dir)).filter(isOriginal)) {
    const own = await runsIn(file);
    if (own.length === 0) continue;
    await change.stage(file, async (temporary) => {
      await copyErased(file, temporary, own);
      hashes.set(layout.relative(file), await hashContent(temporary, (await stat(temporary)).size));
    });
  }
  await addMissing(hashes, layout, manifest);
  return withHashes(manifest, (kept) => hashes.get(kept.file) ?? kept.hashes);
}

type Kept = NonNullable<ProjectManifest['sessions'][string]['kept']>;

function withHashes(manifest: ProjectManifest, hashesOf: (kept: Kept) => Kept['hashes']): ProjectManifest {
  const sessions = Object.entries(manifest.sessions).map(([id, session]) => {
    const { kept } = session;
    return [id, kept === undefined ? session : { ...session, kept: { ...kept, hashes: hashesOf(kept) } }] as const;
  });
  return { ...manifest, sessions: Object.fromEntries(sessions) };
}

/** Hashes of the originals that have none. */
async function addMissing(
  hashes: Map<string, string[]>,
  layout: ProjectLayout,
  manifest: ProjectManifest,
): Promise<void> {
  for (const { kept } of Object.values(manifest.sessions)) {
    if (kept === undefined || kept.hashes !== undefined || hashes.has(kept.file)) continue;
    const known = await unlessGone(hashContent(path.join(layout.dir, kept.file), kept.bytes));
    if (known !== undefined) hashes.set(kept.file, known);
  }
}

function manifestOf(text: string): ProjectManifest {
  return projectManifestSchema.parse(JSON.parse(text));
}

const NONE: ReadonlyMap<string, string> = new Map();

/** The ids that keepits of a manifest that came from elsewhere get when this is overwritten in it. */
export async function idsRenewedIn(file: string, runs: readonly Run[]): Promise<ReadonlyMap<string, string>> {
  if (runs.length === 0) return NONE;
  const text = await readFile(file);
  const before = projectManifestSchema.safeParse(parsedJson(text.toString('utf8')));
  fill(text, 0, runs);
  const after = projectManifestSchema.safeParse(parsedJson(text.toString('utf8')));
  return before.success && after.success ? renewedIds(before.data, after.data) : NONE;
}

/** Where keepits are named that are known by another id now. */
export async function idsIn(file: string, ids: ReadonlyMap<string, string>): Promise<Run[]> {
  if (ids.size === 0) return [];
  const bytes = await readFile(file);
  const found: Run[] = [];
  for (const [old, id] of ids) {
    for (let at = bytes.indexOf(old); at !== -1; at = bytes.indexOf(old, at + 1))
      found.push({ start: at, end: at + old.length, by: Buffer.from(id, 'latin1') });
  }
  return found;
}

/** Copies the first bytes of a file, with its date and without what was erased; all of it where nothing is said. */
export async function copyErased(
  source: string,
  target: string,
  runs: readonly Run[],
  mostBytes = Infinity,
): Promise<void> {
  const from = await open(source, READ_NO_FOLLOW);
  try {
    const { size, atime, mtime } = await from.stat();
    const end = Math.min(size, mostBytes);
    await createFile(target, async (to) => {
      for (let at = 0; at < end;) {
        const { buffer, bytesRead } = await from.read(Buffer.alloc(Math.min(CHUNK_BYTES, end - at)), 0, null, at);
        if (bytesRead === 0) break;
        const piece = buffer.subarray(0, bytesRead);
        fill(piece, at, runs);
        await to.writeFile(piece);
        at += bytesRead;
      }
      await to.utimes(atime, mtime);
      await to.sync();
    });
  } finally {
    await from.close();
  }
}
