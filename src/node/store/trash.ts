import { lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { StoreError } from '../../core/model/storeError';
import { composedContextRecordSchema, type ComposedContextRecord } from '../../core/model/composition';
import { compressionRecordSchema, type CompressionRecord } from '../../core/model/compression';
import { sessionIdSchema, timestampSchema } from '../../core/model/ids';
import type { ProjectManifest, SessionManifestEntry } from '../../core/model/manifest';
import { readManifestDocument } from '../../core/model/manifestDocument';
import { ownValue } from '../../core/text/ownValue';
import { SCHEMA_VERSION, schemaVersionSchema } from '../../core/model/schemaVersion';
import type { Clock } from '../../core/model/host';
import type { TrashItem } from '../../core/model/memoryStore';
import { daysBefore } from '../../core/sessions/trashService';
import { cleanFields } from '../../core/model/cleanManifest';
import { keepAside, writeFileAtomic } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { refuseLinks, refuseWayOut } from '../files/links';
import { ensurePrivateFolder, syncFolder } from '../files/privateFolder';
import { earlierLook } from './earlierLook';
import { sizeBelow } from './folderSize';
import { newerVersion } from './manifests';
import type { OpenChange } from './openChange';
import { jsonText, readStoredJson } from './storedJson';
import { fileTime, type ProjectLayout } from './storeLayout';

/*
 * A discarded session lies in `trash/<time>-<sessionId>/`: its manifest entry in `discarded.json`, its files under
 * `files/` by their names in the project's folder. While it is on its way there the folder ends with `.pending`; what
 * decides is the manifest. If the entry is still in it, the session never left, and its files go back.
 */

const PENDING = '.pending';
const NOTE = 'discarded.json';
const FILES = 'files';
/** Says when the trash was last looked through for what is too old. */
const LOOKED = '.trash-looked';

const noteSchema = z.looseObject({
  version: schemaVersionSchema,
  discardedAt: timestampSchema,
  /** Empty for a composition. */
  sessionId: z.union([sessionIdSchema, z.literal('')]),
  /** What was discarded: the entry of a whole session, some versions of one, or a composition. */
  entry: z.optional(z.unknown()),
  records: z.optional(z.array(compressionRecordSchema)),
  composition: z.optional(composedContextRecordSchema),
});

type Note = z.infer<typeof noteSchema>;

/** The files of discarded sessions. All of it happens inside the project's lock. */
export class Trash {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Moves a session's files into the trash; `commit` writes the manifest without the entry. When that or a move fails,
   * everything is where it was.
   */
  async discard(layout: ProjectLayout, entry: SessionManifestEntry, commit: () => Promise<unknown>): Promise<string> {
    const name = await freeName(layout, `${fileTime(this.#clock.now())}-${entry.sessionId}`);
    const pending = layout.trashed(`${name}${PENDING}`);
    const { sessionId } = entry;
    const note = { version: SCHEMA_VERSION, discardedAt: this.#clock.now().toISOString(), sessionId, entry };
    try {
      await ensurePrivateFolder(path.join(pending, FILES), layout.root);
      await writeFileAtomic(path.join(pending, NOTE), jsonText(note));
      for (const file of await filesOf(layout, sessionId))
        await move(layout.root, { from: layout.dir, to: path.join(pending, FILES) }, file);
      await commit();
    } catch (error) {
      await this.#takeBack(layout, pending).catch(() => undefined); // then `finish` does it; the first failure is what is told
      throw error;
    }
    return name;
  }

  /** The last step, once the manifest is written: what is left undone is done by `finish`. */
  async settle(layout: ProjectLayout, name: string): Promise<void> {
    await rename(layout.trashed(`${name}${PENDING}`), layout.trashed(name));
  }

  /**
   * Moves files of versions into the trash, as part of a change: they lie there for good when the manifest without them is written,
   * and are back when that fails.
   */
  async discardVersions(
    layout: ProjectLayout,
    {
      sessionId,
      records,
      files,
    }: { sessionId: string; records: readonly CompressionRecord[]; files: readonly string[] },
    change: OpenChange,
  ): Promise<string> {
    return this.#discardWith(
      layout,
      { title: `${sessionId}-versions`, note: { sessionId, records: [...records] }, files },
      change,
    );
  }

  /** Moves the folder of a composition into the trash, likewise. */
  async discardComposition(
    layout: ProjectLayout,
    composition: ComposedContextRecord,
    change: OpenChange,
  ): Promise<string> {
    const folder = path.dirname(layout.composition(composition.name));
    const note = { sessionId: '', composition };
    return this.#discardWith(layout, { title: `${composition.name}-composition`, note, files: [folder] }, change);
  }

  /** The record of a discarded composition, and the folder where its files lie. */
  async readComposition(
    layout: ProjectLayout,
    name: string,
  ): Promise<{ record: ComposedContextRecord; folder: string }> {
    const { composition } = await this.#note(layout, name);
    if (composition === undefined) throw nothingOf(name);
    const folder = path.relative(layout.dir, path.dirname(layout.composition(composition.name)));
    return { record: composition, folder: path.join(layout.trashed(name), FILES, folder) };
  }

  async #discardWith(
    layout: ProjectLayout,
    { title, note, files }: { title: string; note: Partial<Note>; files: readonly string[] },
    change: OpenChange,
  ): Promise<string> {
    const name = await freeName(layout, `${fileTime(this.#clock.now())}-${title}`);
    const pending = layout.trashed(`${name}${PENDING}`);
    change.onFailure(() => this.#takeBack(layout, pending));
    await ensurePrivateFolder(path.join(pending, FILES), layout.root);
    const whole = { version: SCHEMA_VERSION, discardedAt: this.#clock.now().toISOString(), ...note };
    await writeFileAtomic(path.join(pending, NOTE), jsonText(whole));
    for (const file of files) {
      await move(layout.root, { from: layout.dir, to: path.join(pending, FILES) }, path.relative(layout.dir, file));
    }
    change.onSuccess(() => this.settle(layout, name));
    return name;
  }

  /** Moves files that nothing names out of the way. */
  async leaveBehind(layout: ProjectLayout, files: readonly string[]): Promise<void> {
    const name = await freeName(layout, `${fileTime(this.#clock.now())}-left-behind`);
    for (const file of files) {
      const to = path.join(layout.trashed(name), FILES);
      await move(layout.root, { from: layout.dir, to }, path.relative(layout.dir, file));
    }
  }

  /** The records of discarded versions. */
  async readVersions(
    layout: ProjectLayout,
    name: string,
  ): Promise<{ sessionId: string; records: CompressionRecord[] }> {
    const { sessionId, records } = await this.#note(layout, name);
    if (records === undefined) throw nothingOf(name);
    return { sessionId, records };
  }

  /** Where the files of discarded versions lie. */
  versionFolder(layout: ProjectLayout, name: string, sessionId: string): string {
    const folder = path.dirname(layout.versions(sessionId));
    return path.join(layout.trashed(name), FILES, path.relative(layout.dir, folder));
  }

  /** Forgets what was discarded under this name. */
  async empty(layout: ProjectLayout, name: string): Promise<void> {
    await refuseLinks(layout.root, layout.trash);
    await rm(layout.trashed(name), { recursive: true, force: true });
  }

  /** What lies there, the oldest first; what is on its way is none of it. */
  async items(layout: ProjectLayout): Promise<TrashItem[]> {
    await refuseWayOut(layout.root, layout.trash);
    const items: TrashItem[] = [];
    for (const name of (await unlessGone(readdir(layout.trash))) ?? []) {
      const discardedAt = name.endsWith(PENDING) ? undefined : timeOf(name);
      if (discardedAt === undefined) continue;
      items.push({ name, discardedAt, bytes: await bytesBelow(layout.trashed(name)) });
    }
    return items.sort((a, b) => (a.discardedAt < b.discardedAt ? -1 : 1));
  }

  /** Deletes what was discarded before that time. */
  async expire(layout: ProjectLayout, beforeIso: string): Promise<TrashItem[]> {
    const expired = (await this.items(layout)).filter(({ discardedAt }) => discardedAt < beforeIso);
    for (const { name } of expired) await this.empty(layout, name);
    return expired;
  }

  /**
   * Deletes what has been there for so many days and can be made again; 0 days are no limit. A session stays until somebody empties
   * the trash: it may be the last copy there is.
   */
  async expireAfter(layout: ProjectLayout, days: number): Promise<void> {
    if (days <= 0) return;
    const before = daysBefore(this.#clock.now(), days);
    const items = await this.items(layout);
    if (items.length === 0) return;
    const earlier = await earlierLook(layout.root, path.join(layout.dir, LOOKED), new Date(before));
    for (const { name, discardedAt } of items) {
      const isDue = earlier !== undefined && discardedAt < earlier.toISOString();
      if (isDue && (await this.#canBeMadeAgain(layout, name))) await this.empty(layout, name);
    }
  }

  async #canBeMadeAgain(layout: ProjectLayout, name: string): Promise<boolean> {
    try {
      const { records, composition } = await this.#note(layout, name);
      return records !== undefined || composition !== undefined;
    } catch {
      return false; // nobody knows what it is
    }
  }

  /** Writes a note of an older Keepit without the secrets that it holds. */
  async clean(layout: ProjectLayout, name: string): Promise<void> {
    const note = await this.#note(layout, name);
    await writeFileAtomic(path.join(layout.trashed(name), NOTE), jsonText(cleanFields(note)));
  }

  /** The entry of a discarded session. */
  async read(layout: ProjectLayout, name: string): Promise<SessionManifestEntry> {
    const file = path.join(layout.trashed(name), NOTE);
    const { version, sessionId, entry, records, composition } = await this.#note(layout, name);
    if (records !== undefined || composition !== undefined) throw nothingOf(name);
    // As part of a manifest, so that an entry of an older version goes through the same migrations.
    const place = { projectId: layout.projectId, nowIso: this.#clock.now().toISOString() };
    const reading = readManifestDocument({ version, sessions: { [sessionId]: entry } }, place);
    if (reading.state === 'newer') throw newerVersion(file, reading.version);
    const found = ownValue(reading.manifest.sessions, sessionId);
    if (found === undefined) throw new StoreError('corrupt', { path: file });
    return found;
  }

  /**
   * Moves the files back; `commit` writes the manifest with the entry. A failure leaves everything in the trash. Can be repeated after it
   * was interrupted. What is left of the folder is to be removed by `empty`.
   */
  async restore(
    layout: ProjectLayout,
    { name, sessionId }: { name: string; sessionId: string },
    commit: () => Promise<unknown>,
  ): Promise<void> {
    const files = path.join(layout.trashed(name), FILES);
    try {
      await moveAll(layout.root, { from: files, to: layout.dir });
      await commit();
    } catch (error) {
      await this.#moveBack(layout, sessionId, files).catch(() => undefined); // then the next try finds them in their place
      throw error;
    }
  }

  async #moveBack(layout: ProjectLayout, sessionId: string, to: string): Promise<void> {
    for (const file of await filesOf(layout, sessionId)) await move(layout.root, { from: layout.dir, to }, file);
  }

  /** After a crash: ends what was under way, in the direction that the manifest has decided for. */
  async finish(layout: ProjectLayout, manifest: ProjectManifest | undefined): Promise<void> {
    const names = (await unlessGone(readdir(layout.trash))) ?? [];
    for (const name of names.filter((candidate) => candidate.endsWith(PENDING))) {
      const pending = path.join(layout.trash, name);
      const note = noteSchema.safeParse((await readStoredJson(layout.root, path.join(pending, NOTE)))?.value);
      // Without a note nothing has been moved yet.
      if (!note.success || isStillThere(note.data, manifest)) await this.#takeBack(layout, pending);
      else await rename(pending, pending.slice(0, -PENDING.length));
    }
  }

  async #note(layout: ProjectLayout, name: string): Promise<Note> {
    const file = path.join(layout.trashed(name), NOTE);
    const stored = await readStoredJson(layout.root, file);
    if (stored === undefined) throw nothingOf(name);
    const note = noteSchema.safeParse(stored.value);
    if (!note.success) throw new StoreError('corrupt', { path: file });
    return note.data;
  }

  async #takeBack(layout: ProjectLayout, pending: string): Promise<void> {
    await moveAll(layout.root, { from: path.join(pending, FILES), to: layout.dir });
    await rm(pending, { recursive: true, force: true });
  }
}

/** What lies in the trash with a note that holds secrets. */
export async function uncleanNotes(layout: ProjectLayout): Promise<string[]> {
  const unclean: string[] = [];
  for (const name of (await unlessGone(readdir(layout.trash))) ?? []) {
    const stored = await readStoredJson(layout.root, path.join(layout.trash, name, NOTE));
    const note = noteSchema.safeParse(stored?.value);
    if (note.success && cleanFields(note.data) !== note.data) unclean.push(name);
  }
  return unclean;
}

/** Whether the manifest still has what was to be discarded. */
function isStillThere({ sessionId, records, composition }: Note, manifest: ProjectManifest | undefined): boolean {
  if (composition !== undefined) {
    const { compositionId, builtAt } = composition;
    const known = Object.values(manifest?.compositions ?? {}).find((one) => one.compositionId === compositionId);
    return known !== undefined && known.builtAt === builtAt;
  }
  const entry = ownValue(manifest?.sessions, sessionId);
  if (records === undefined || entry === undefined) return entry !== undefined;
  const known = new Set(entry.compressions.map(({ versionId }) => versionId));
  return records.some(({ versionId }) => known.has(versionId));
}

/** Every name begins with the time: see `fileTime`. */
function timeOf(name: string): string | undefined {
  const [, day, h, m, s, ms] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-/.exec(name) ?? [];
  return day === undefined ? undefined : `${day}T${h}:${m}:${s}.${ms}Z`;
}

async function bytesBelow(folder: string): Promise<number> {
  const { bytes, linkedBytes } = await sizeBelow(folder);
  return bytes + linkedBytes;
}

function nothingOf(name: string): StoreError {
  return new StoreError('not-found', { path: name, detail: 'the trash has nothing of that name' });
}

async function freeName(layout: ProjectLayout, wanted: string): Promise<string> {
  const taken = new Set((await unlessGone(readdir(layout.trash))) ?? []);
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.has(name) && !taken.has(`${name}${PENDING}`)) return name;
  }
}

/** Names of all that a session has, relative to the project's folder. */
async function filesOf(layout: ProjectLayout, sessionId: string): Promise<string[]> {
  const originals = (await unlessGone(readdir(layout.originals))) ?? [];
  const own = originals
    .filter((name) => layout.ownsOriginal(sessionId, name))
    .map((name) => path.join(layout.originals, name));
  const summaries = path.dirname(layout.versions(sessionId));
  return [...own, summaries].map((file) => path.relative(layout.dir, file));
}

/** Moves everything two levels below `from`, which is how sessions' files lie in a project's folder. */
async function moveAll(root: string, way: Way): Promise<void> {
  await refuseLinks(root, way.from);
  for (const folder of (await unlessGone(readdir(way.from))) ?? []) {
    await refuseLinks(root, path.join(way.from, folder));
    for (const name of await readdir(path.join(way.from, folder))) await move(root, way, path.join(folder, name));
  }
}

/** From one folder to another. */
interface Way {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves one file or folder; one that is not there has been moved before, or never was. What lies in its place, which a
 * registration left that was never finished, gets another name.
 */
async function move(root: string, way: Way, file: string): Promise<void> {
  const [source, target] = [path.join(way.from, file), path.join(way.to, file)];
  await refuseLinks(root, path.dirname(source));
  await ensurePrivateFolder(path.dirname(target), root);
  const there = await unlessGone(lstat(target));
  if (there?.isDirectory() === true) {
    for (const name of (await unlessGone(readdir(source))) ?? []) await move(root, way, path.join(file, name));
    return;
  }
  if (there !== undefined) await keepAside(target, (n) => `${target}.older-${n}`);
  if ((await unlessGone(rename(source, target).then(() => true))) === undefined) return;
  await syncFolder(path.dirname(target));
  await syncFolder(path.dirname(source));
}
