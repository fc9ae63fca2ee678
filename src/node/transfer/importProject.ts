import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CompressionRecord } from '../../core/model/compression';
import type { ProjectManifest, SessionManifestEntry } from '../../core/model/manifest';
import { ownValue, setOwnValue } from '../../core/text/ownValue';
import type { ImportedProject } from '../../core/transferPort';
import { unlessGone } from '../files/errorCode';
import { beginsWith } from '../files/takeFile';
import { filesOf } from '../forgetting/rewriteFiles';
import type { ManifestTransaction } from '../store/manifestTransaction';
import { hashContent } from '../store/originalHashes';
import { jsonText } from '../store/storedJson';
import { ProjectLayout } from '../store/storeLayout';
import { versionFileNames } from '../store/versionFiles';

/** A project of an archive, unpacked. */
export interface UnpackedProject {
  readonly layout: ProjectLayout;
  readonly manifest: ProjectManifest;
}

/** What goes where: worked out without a change, then done in one. */
export interface ImportPlan {
  readonly told: ImportedProject;
  /** Unpacked files by the places that they get. */
  readonly files: readonly { readonly source: string; readonly target: string }[];
  readonly manifest: ProjectManifest;
}

/** What importing a project comes to beside what is there. `isNever` names sessions of which nothing may be taken. */
export async function planImport(
  { layout: from, manifest: incoming }: UnpackedProject,
  {
    layout: to,
    manifest: known,
    knownBy,
  }: {
    readonly layout: ProjectLayout;
    readonly manifest: ProjectManifest;
    readonly knownBy: ImportedProject['knownBy'];
  },
  isNever: (sessionId: string) => boolean,
): Promise<ImportPlan> {
  const told: ImportedProject = {
    projectId: to.projectId,
    from: incoming.projectId,
    originalPath: known.originalPath,
    knownBy,
    sessions: { added: [], same: [], conflicts: [] },
    versions: { added: [], same: [], conflicts: [] },
    compositions: { added: [], same: [], conflicts: [] },
    knowledge: 'none',
  };
  const files: { source: string; target: string }[] = [];
  const unpacked = (await filesOf(from.dir)).map((file) => from.relative(file));
  const take = (wanted: (name: string) => boolean): void => {
    for (const name of unpacked.filter(wanted))
      files.push({ source: path.join(from.dir, ...name.split('/')), target: path.join(to.dir, ...name.split('/')) });
  };
  const sessions = { ...known.sessions };
  for (const [sessionId, entry] of Object.entries(incoming.sessions)) {
    const there = ownValue(known.sessions, sessionId);
    if (isNever(sessionId)) told.sessions.conflicts.push({ name: sessionId, reason: 'it is never to be remembered' });
    else if (there === undefined) {
      take((name) => isOfSession(name, sessionId));
      setOwnValue(sessions, sessionId, await renewed(entry, from));
      told.sessions.added.push(sessionId);
      told.versions.added.push(...entry.compressions.map(({ versionId }) => `${sessionId} ${versionId}`));
    } else if (await isSame(from.original(sessionId), to.original(sessionId))) {
      told.sessions.same.push(sessionId);
      const more = newVersions(entry, there, told);
      const names = new Set(versionFileNames(more).map((name) => `summaries/${sessionId}/${name}`));
      take((name) => names.has(name));
      if (more.length > 0)
        setOwnValue(sessions, sessionId, { ...there, compressions: [...there.compressions, ...more] });
    } else told.sessions.conflicts.push({ name: sessionId, reason: 'what is kept of it here is another, or shorter' });
  }
  const compositions = takeCompositions({ incoming, known, told, take });
  const settings = takeKnowledge({ unpacked, incoming, known, take });
  return {
    told: { ...told, knowledge: settings.knowledge },
    files,
    manifest: { ...known, sessions, compositions, settings: settings.settings },
  };
}

/** What taking a part of an archive over is done with. `told` is added to. */
interface Taking {
  readonly incoming: ProjectManifest;
  readonly known: ProjectManifest;
  readonly told: ImportedProject;
  readonly take: (wanted: (name: string) => boolean) => void;
}

function takeCompositions({ incoming, known, told, take }: Taking): ProjectManifest['compositions'] {
  const compositions = { ...known.compositions };
  for (const [name, record] of Object.entries(incoming.compositions)) {
    const there = ownValue(known.compositions, name);
    if (there === undefined) {
      take((file) => file.startsWith(`composed/${name}/`));
      setOwnValue(compositions, name, record);
      told.compositions.added.push(name);
    } else if (there.compositionId === record.compositionId && there.builtAt === record.builtAt)
      told.compositions.same.push(name);
    else told.compositions.conflicts.push({ name, reason: 'another composition has this name' });
  }
  return compositions;
}

/** Layers and notes come into the store, where the project has none: nothing is written into its folder that nobody asked for. */
function takeKnowledge({
  unpacked,
  incoming,
  known,
  take,
}: Omit<Taking, 'told'> & { readonly unpacked: readonly string[] }): {
  knowledge: ImportedProject['knowledge'];
  settings: ProjectManifest['settings'];
} {
  const isKnowledge = (name: string): boolean => name.startsWith('layers/') || name.startsWith('notebook/');
  if (!unpacked.some(isKnowledge)) return { knowledge: 'none', settings: known.settings };
  if (known.settings['layersEnabled'] !== undefined) return { knowledge: 'kept', settings: known.settings };
  take(isKnowledge);
  const settings = {
    ...incoming.settings,
    ...known.settings,
    layersEnabled: true,
    layersLocation: 'home',
    layersShared: false,
  };
  return { knowledge: 'added', settings };
}

/** Puts everything into its place, with the manifest that goes with it. */
export async function applyImport(
  { files, manifest }: ImportPlan,
  layout: ProjectLayout,
  change: ManifestTransaction,
): Promise<ProjectManifest> {
  for (const { source, target } of files)
    if (path.basename(target) !== 'versions.json') await change.stageFile(source, target);
  const changed = new Set(files.map(({ target }) => path.basename(path.dirname(target))));
  for (const entry of Object.values(manifest.sessions)) {
    const { sessionId, originalFile, originalTokens, originalMessages, compressions: versions } = entry;
    if (!changed.has(sessionId) || versions.length === 0) continue;
    const index = { version: '1.0.0', sessionId, originalFile, originalTokens, originalMessages, versions };
    await stageIndex(layout.versions(sessionId), files, jsonText(index), change);
  }
  return manifest;
}

/** The index that came along where it says the same, to the byte. */
async function stageIndex(
  target: string,
  files: ImportPlan['files'],
  text: string,
  change: ManifestTransaction,
): Promise<void> {
  const came = files.find((file) => file.target === target);
  if (came === undefined) await change.stageText(target, text);
  else await change.stageFile(came.source, target);
}

function isOfSession(name: string, sessionId: string): boolean {
  const [folder, item = ''] = name.split('/');
  return (folder === 'originals' || folder === 'summaries') && (item === sessionId || item.startsWith(`${sessionId}.`));
}

function newVersions(
  entry: SessionManifestEntry,
  there: SessionManifestEntry,
  told: ImportedProject,
): CompressionRecord[] {
  const known = new Map(there.compressions.map((version) => [version.versionId, version]));
  const more: CompressionRecord[] = [];
  for (const version of entry.compressions) {
    const name = `${entry.sessionId} ${version.versionId}`;
    const own = known.get(version.versionId);
    if (own === undefined) {
      more.push(version);
      told.versions.added.push(name);
    } else if (own.createdAt === version.createdAt && own.file === version.file) told.versions.same.push(name);
    else told.versions.conflicts.push({ name, reason: 'another version has this number here' });
  }
  return more;
}

/** Whether what is here begins with what comes: then nothing of it is new. */
async function isSame(incoming: string, here: string): Promise<boolean> {
  const [one, other] = [await unlessGone(stat(incoming)), await unlessGone(stat(here))];
  if (one === undefined) return true; // an archive may lack it, as the store did
  return other !== undefined && other.size >= one.size && (await beginsWith(here, incoming, one.size));
}

/** The hashes are of what was unpacked: words that were erased here have been overwritten in it. */
async function renewed(entry: SessionManifestEntry, from: ProjectLayout): Promise<SessionManifestEntry> {
  const file = from.original(entry.sessionId);
  const stats = await unlessGone(stat(file));
  if (stats === undefined || entry.kept === undefined) return entry;
  const { bytes } = entry.kept;
  return {
    ...entry,
    kept: {
      ...entry.kept,
      method: 'copy',
      bytes: Math.min(bytes, stats.size),
      hashes: await hashContent(file, Math.min(bytes, stats.size)),
    },
  };
}

/** Reads the manifest of an unpacked project. */
export async function unpackedManifest(file: string): Promise<unknown> {
  const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
  return parsed;
}
