import * as z from 'zod/mini';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ownValue } from '../../core/text/ownValue';
import { newerVersion } from './manifests';
import { readManifestDocument, cleanFields } from '../../core/model/manifestDocument';
import type { SessionManifestEntry, ProjectManifest } from '../../core/model/manifest';
import { StoreError } from '../../core/model/host';
import { writeFileAtomic } from '../files/atomicFile';
import { readStoredJson, jsonText } from './storedJson';
import { ProjectLayout } from './storeLayout';
import { versionFileNames } from './versionFiles';
import { composedContextRecordSchema, type ComposedContextRecord } from '../../core/model/composition';
import { compressionRecordSchema, type CompressionRecord } from '../../core/model/compression';
import { schemaVersionSchema, timestampSchema, sessionIdSchema } from '../../core/model/fields';
const NOTE = 'discarded.json';

const noteSchema = z.looseObject({
  version: schemaVersionSchema,
  discardedAt: timestampSchema,
  /** Empty for a composition. */
  sessionId: z.union([sessionIdSchema, z.literal('')]),
  /** What was discarded: the entry of a whole session, some versions of one, or a composition. */
  entry: z.optional(z.unknown()),
  records: z.optional(z.array(compressionRecordSchema)),
  composition: z.optional(composedContextRecordSchema),
  /** The composition has another name since, and nothing is to stay in the trash. */
  isMoved: z.optional(z.boolean()),
  /** Another session of the same id has come in its place. */
  isReplaced: z.optional(z.boolean()),
});

export type Note = z.infer<typeof noteSchema>;

/** What is to be discarded, as it is noted. */
export type Discarding = Pick<Note, 'sessionId' | 'entry' | 'records' | 'composition' | 'isMoved' | 'isReplaced'>;

/** What is noted of something on its way into the trash; undefined where nothing has got there yet. */
export async function pendingNote(layout: ProjectLayout, pending: string): Promise<Note | undefined> {
  return noteSchema.safeParse((await readStoredJson(layout.root, path.join(pending, NOTE)))?.value).data;
}

export async function writeNote(folder: string, note: Note): Promise<void> {
  await writeFileAtomic(path.join(folder, NOTE), jsonText(note));
}

async function readNote(layout: ProjectLayout, name: string): Promise<Note> {
  const file = path.join(layout.trashed(name), NOTE);
  const stored = await readStoredJson(layout.root, file);
  if (stored === undefined) throw nothingOf(name);
  const note = noteSchema.safeParse(stored.value);
  if (!note.success) throw new StoreError('corrupt', { path: file });
  return note.data;
}

/** The record of a discarded composition. */
export async function discardedComposition(layout: ProjectLayout, name: string): Promise<ComposedContextRecord> {
  const { composition } = await readNote(layout, name);
  if (composition === undefined) throw nothingOf(name);
  return composition;
}

/** The records of discarded versions. */
export async function discardedVersions(
  layout: ProjectLayout,
  name: string,
): Promise<{ sessionId: string; records: CompressionRecord[] }> {
  const { sessionId, records } = await readNote(layout, name);
  if (records === undefined) throw nothingOf(name);
  return { sessionId, records };
}

/** The entry of a discarded session. */
export async function discardedSession(layout: ProjectLayout, name: string, now: Date): Promise<SessionManifestEntry> {
  const file = path.join(layout.trashed(name), NOTE);
  const { version, sessionId, entry, records, composition } = await readNote(layout, name);
  if (records !== undefined || composition !== undefined) throw nothingOf(name);
  // As part of a manifest, so that an entry of an older version goes through the same migrations.
  const place = { projectId: layout.projectId, nowIso: now.toISOString() };
  const reading = readManifestDocument({ version, sessions: { [sessionId]: entry } }, place);
  if (reading.state === 'newer') throw newerVersion(file, reading.version);
  const found = ownValue(reading.manifest.sessions, sessionId);
  if (found === undefined) throw new StoreError('corrupt', { path: file });
  return found;
}

/** Whether it can be made again, and need not wait for somebody. */
export async function canBeMadeAgain(layout: ProjectLayout, name: string): Promise<boolean> {
  try {
    const { records, composition } = await readNote(layout, name);
    return records !== undefined || composition !== undefined;
  } catch {
    return false; // nobody knows what it is
  }
}

/** Writes a note of an older Keepit without the secrets that it holds. */
export async function cleanNote(layout: ProjectLayout, name: string): Promise<void> {
  const note = await readNote(layout, name);
  await writeNote(layout.trashed(name), cleanFields(note));
}

/** Whether the note of something in the trash holds secrets. */
export async function isUnclean(layout: ProjectLayout, name: string): Promise<boolean> {
  const note = await pendingNote(layout, path.join(layout.trash, name));
  return note !== undefined && cleanFields(note) !== note;
}

/** Whether the manifest still has what was to be discarded. */
export function isStillThere(
  { sessionId, entry: noted, records, composition, isReplaced }: Note,
  manifest: ProjectManifest,
) {
  if (composition !== undefined) {
    const known = ownValue(manifest.compositions, composition.name);
    return known?.compositionId === composition.compositionId && known.builtAt === composition.builtAt;
  }
  const entry = ownValue(manifest.sessions, sessionId);
  if (isReplaced === true) return isDeepStrictEqual(noted, JSON.parse(JSON.stringify(entry ?? null)));
  if (records === undefined || entry === undefined) return entry !== undefined;
  const known = new Set(entry.compressions.map(({ versionId }) => versionId));
  return records.some(({ versionId }) => known.has(versionId));
}

/** Who was interrupted amid a replacement cannot say what was new: all may be, but versions that the manifest does not name. */
export function mayBeNew(
  layout: ProjectLayout,
  { sessionId, isReplaced }: Note,
  manifest: ProjectManifest,
): (file: string) => boolean {
  if (isReplaced !== true) return () => false;
  const list = layout.versions(sessionId);
  const records = ownValue(manifest.sessions, sessionId)?.compressions ?? [];
  const named = new Set([list, ...versionFileNames(records).map((name) => layout.version(sessionId, name))]);
  return (file) => named.has(file) || path.dirname(file) !== path.dirname(list);
}

function nothingOf(name: string): StoreError {
  return new StoreError('not-found', { path: name, detail: 'the trash has nothing of that name' });
}

export function titleOf({ sessionId, records, composition }: Note): string {
  if (composition !== undefined) return `${composition.name}-composition`;
  return records === undefined ? sessionId : `${sessionId}-versions`;
}
