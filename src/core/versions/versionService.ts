import { SessionLookupError } from '../sessions/sessionLookupError';
import type { CompressionRecord, SessionPartRecord } from '../model/compression';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import { ownValue, sumOf } from '../text/ownValue';
import { type Clock, type MemoryStore, StoreError } from '../model/host';
import { Formats } from '../text/formats';
import { renderTranscript } from '../sessions/document/renderTranscript';
import type { SessionRef } from '../sessions/results';
import type { SessionIndex } from '../sessions/sessionIndex';
import { liveMessages } from '../sessions/sessionMaterial';
import { isLiveAt, alignParts, nextPartNumber, partsOf, wholeMessages } from '../sessions/sessionParts';
import { type CompressionWork, CompressionError, type ComparisonJob, type StoredVersion } from './compressionJob';
import { ORIGINAL, type VersionDiff } from './diff/types';
import {
  versionsIndex,
  withoutVersions,
  withVersions,
  type VersionDeletion,
  type VersionListing,
} from './versionEntries';

export interface VersionServiceParts {
  readonly store: MemoryStore;
  readonly sources: SessionIndex;
  readonly clock: Clock;
  readonly work: Pick<CompressionWork, 'compare'>;
}

/** Lists, reads, compares, deletes and restores the versions of registered sessions. */
export class VersionService {
  constructor(private readonly parts: VersionServiceParts) {}

  async list(ref: SessionRef, signal?: AbortSignal): Promise<VersionListing> {
    const { manifest, entry } = await this.open(ref);
    const uses = new Uses(ref, [manifest, ...(await this.otherManifests(ref))]);
    const original = await this.original(ref, entry, signal);
    const parts = partsOf(entry);
    const from = (parts.at(-1)?.messageRange[1] ?? -1) + 1;
    const isGrown = parts.length > 0 && original.messages > from;
    const newMessages = isGrown ? await this.countNew(ref, parts, signal) : Math.max(0, original.messages - from);
    const unknown = Math.max(0, original.tokens - sumOf(parts, ({ tokens }) => tokens));
    // What a tool answered after its part was made is in a message of that part: of the last one, which was cut there.
    const late = newMessages === 0 && !isGrown ? unknown : 0;
    return {
      original,
      versions: entry.compressions.map((record) => ({ ...record, usedIn: uses.of(record.versionId) })),
      parts: parts.map(({ partNumber, messageRange: [first, last], tokens }, at) => ({
        partNumber,
        messageRange: [first, last],
        tokens: at === parts.length - 1 ? tokens + late : tokens,
        versionIds: entry.compressions.filter((one) => one.partNumber === partNumber).map(({ versionId }) => versionId),
      })),
      delta: {
        newMessages,
        newTokens: newMessages === 0 ? 0 : unknown,
        nextPart: nextPartNumber(parts),
        ...(newMessages > 0 && { messageRange: [from, from + newMessages - 1] }),
      },
    };
  }

  /** How many messages a further part would have, as `compress` counts them. */
  private async countNew(ref: SessionRef, parts: readonly SessionPartRecord[], signal?: AbortSignal): Promise<number> {
    const { sources, clock } = this.parts;
    const source = await sources.locate(ref, signal);
    const { file, isKept } = source;
    const { live, isLastOpen } = liveMessages(await sources.open(source, {}, signal));
    const { count } = wholeMessages(live, isLastOpen && !isKept && isLiveAt(file.mtimeMs, clock.now()));
    return count - 1 - (alignParts(parts, { ...live, count }).at(-1)?.to ?? -1);
  }

  /** Compares two versions with each other, or one with the original. */
  async compare(ref: SessionRef, a: string, b: string, signal?: AbortSignal): Promise<VersionDiff> {
    const { entry, file } = await this.parts.sources.locate(ref, signal);
    if (entry === undefined) throw new SessionLookupError('not-registered', ref.sessionId);
    const job: ComparisonJob = {
      ref,
      path: file.path,
      bytes: file.bytes,
      mtimeMs: file.mtimeMs,
      overlay: entry.keepitOverlay ?? [],
      a: await this.stored(ref, entry, a),
      b: await this.stored(ref, entry, b),
    };
    return this.parts.work.compare(job, signal);
  }

  /** A version's file as it is; the original, for `md` alone, as people read it. */
  async text(ref: SessionRef, versionId: string, format: 'md' | 'jsonl', signal?: AbortSignal): Promise<string> {
    if (versionId === 'original' && format === 'md') return this.renderOriginal(ref, signal);
    const { entry } = await this.open(ref);
    const { file } = recordIn(entry, versionId);
    const text = await this.parts.store.versions.read(ref.projectId, ref.sessionId, file, format);
    if (text === undefined) throw new CompressionError('version-unreadable', `${file}.${format}`);
    return text;
  }

  /** What `delete` would do. */
  async previewDelete(
    ref: SessionRef,
    versionIds: readonly string[],
    { force = false }: { force?: boolean | undefined } = {},
  ): Promise<VersionDeletion> {
    const { manifest, entry } = await this.open(ref);
    const uses = new Uses(ref, [manifest, ...(await this.otherManifests(ref))]);
    return chosen({ entry, uses }, versionIds, force);
  }

  /** Moves versions into the trash, all those that may be deleted in one step. */
  async delete(
    ref: SessionRef,
    versionIds: readonly string[],
    { force = false }: { force?: boolean | undefined } = {},
  ): Promise<VersionDeletion> {
    const { store } = this.parts;
    const { projectId, sessionId } = ref;
    let result: VersionDeletion = { deleted: [], refused: [] };
    const others = await this.otherManifests(ref);
    await store.updateManifest((await this.open(ref)).manifest, async (manifest) => {
      const entry = entryIn(manifest, ref);
      result = chosen({ entry, uses: new Uses(ref, [manifest, ...others]) }, versionIds, force);
      if (result.deleted.length === 0) return manifest;
      const ids = new Set(result.deleted);
      const records = entry.compressions.filter(({ versionId }) => ids.has(versionId));
      const changed = withoutVersions(entry, ids);
      result.trash = await store.versions.discard(projectId, records, versionsIndex(changed));
      return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: changed } };
    });
    return result;
  }

  /** Undoes `delete`: files, records, and what keepits know of them. */
  async restore(ref: SessionRef, trash: string): Promise<CompressionRecord[]> {
    const { store } = this.parts;
    const { projectId, sessionId } = ref;
    let records: CompressionRecord[] = [];
    await store.updateManifest((await this.open(ref)).manifest, async (manifest) => {
      const entry = entryIn(manifest, ref);
      const discarded = await store.versions.discarded(projectId, trash);
      if (discarded.sessionId !== sessionId) throw new StoreError('not-found', { path: trash });
      records = discarded.records.map((record) => ({ ...record, isRestored: true }));
      const there = records.find(({ versionId }) => entry.compressions.some((one) => one.versionId === versionId));
      if (there !== undefined) throw new StoreError('already-there', { path: there.versionId });
      const changed = withVersions(entry, records);
      checkParts(entry, records);
      await store.versions.takeBack(projectId, trash, versionsIndex(changed));
      return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: changed } };
    });
    return records;
  }

  private async stored(ref: SessionRef, entry: SessionManifestEntry, versionId: string): Promise<ComparisonJob['a']> {
    if (versionId === ORIGINAL) return ORIGINAL;
    const record = entry.compressions.find((one) => one.versionId === versionId);
    if (record === undefined) throw new CompressionError('no-such-version', versionId);
    const read = async (format: 'md' | 'jsonl'): Promise<string> => {
      const text = await this.parts.store.versions.read(ref.projectId, ref.sessionId, record.file, format);
      if (text === undefined) throw new CompressionError('version-unreadable', `${record.file}.${format}`);
      return text;
    };
    const [md, jsonl] = await Promise.all([read('md'), read('jsonl')]);
    return { record, md, jsonl } satisfies StoredVersion;
  }

  /** What was said, and a line for each tool step. */
  private async renderOriginal(ref: SessionRef, signal?: AbortSignal): Promise<string> {
    const { sources } = this.parts;
    const source = await sources.locate(ref, signal);
    const { entry } = source;
    const conversation = await sources.open(source, {}, signal);
    const title = entry?.metadata.title ?? conversation.titles.firstWords ?? ref.sessionId;
    const projectName = entry?.metadata.projectName ?? ref.projectId;
    const formats = new Formats({ locale: 'en', timeZone: 'UTC' });
    const options = { title, sessionId: ref.sessionId, projectName, formats, details: undefined };
    const excerpts = { read: async (ranges: readonly unknown[]) => ranges.map(() => '') };
    return (await renderTranscript(conversation, options, excerpts, signal)).text;
  }

  private async open(ref: SessionRef): Promise<{ manifest: ProjectManifest; entry: SessionManifestEntry }> {
    const manifest = await this.parts.store.readManifest(ref.projectId);
    if (manifest === undefined) throw new SessionLookupError('not-registered', ref.sessionId);
    return { manifest, entry: entryIn(manifest, ref) };
  }

  /** Compositions may take sessions of other projects. One whose manifest cannot be read is told of by others. */
  private async otherManifests({ projectId }: SessionRef): Promise<ProjectManifest[]> {
    const { store } = this.parts;
    const others = (await store.listProjects()).filter((id) => id !== projectId);
    const manifests = await Promise.all(
      others.map((id) =>
        store.readManifest(id).catch((error: unknown) => {
          if (error instanceof StoreError) return undefined;
          throw error;
        }),
      ),
    );
    return manifests.filter((manifest) => manifest !== undefined);
  }

  /** As the transcript is now, where it can be read; else as it was when it was taken in. */
  private async original(
    ref: SessionRef,
    { originalTokens, originalMessages }: SessionManifestEntry,
    signal?: AbortSignal,
  ): Promise<VersionListing['original']> {
    const [source] = await this.parts.sources.locateAll([ref], signal);
    if (source === undefined) return { tokens: originalTokens, messages: originalMessages };
    // Parts were counted exactly, and are subtracted from it.
    const counting = (source.entry?.compressionParts ?? []).length > 0 ? 'exact' : 'estimate';
    const { stats } = await this.parts.sources.stats(source, counting, signal);
    return { tokens: stats.tokens, messages: stats.messages };
  }
}

function entryIn(manifest: ProjectManifest, { sessionId }: SessionRef): SessionManifestEntry {
  const entry = ownValue(manifest.sessions, sessionId);
  if (entry === undefined) throw new SessionLookupError('not-registered', sessionId);
  return entry;
}

function recordIn({ compressions }: SessionManifestEntry, id: string): CompressionRecord {
  const record = compressions.find(({ versionId }) => versionId === id);
  if (record === undefined) throw new CompressionError('no-such-version', id);
  return record;
}

/** A part that was made anew since then has other messages: what was deleted is no version of that. */
function checkParts(entry: SessionManifestEntry, records: readonly CompressionRecord[]): void {
  const parts = partsOf(entry);
  for (const { versionId, partNumber, lastMessageUuid = '' } of records) {
    const part = parts.find((one) => one.partNumber === partNumber);
    if (part !== undefined && part.lastMessageUuid !== lastMessageUuid) {
      throw new CompressionError('no-such-part', `${part.partNumber} any more with the messages of ${versionId}`);
    }
  }
}

/** The compositions that use versions of a session: of its own project by their names, of others with the project's. */
class Uses {
  readonly #names = new Map<string, Set<string>>();

  constructor({ projectId, sessionId }: SessionRef, manifests: readonly ProjectManifest[]) {
    for (const { projectId: home, displayName, compositions } of manifests) {
      for (const { name, components } of Object.values(compositions)) {
        const own = components.filter((one) => one.sessionId === sessionId && (one.projectId ?? home) === projectId);
        for (const { versionId } of own) {
          const names = this.#names.get(versionId) ?? new Set();
          this.#names.set(versionId, names.add(home === projectId ? name : `${name} (${displayName})`));
        }
      }
    }
  }

  of(versionId: string): string[] {
    return [...(this.#names.get(versionId) ?? [])];
  }
}

/** Which of the versions may be deleted. Throws for one that is not there, so that a slip of the pen deletes nothing. */
function chosen(
  { entry, uses }: { entry: SessionManifestEntry; uses: Uses },
  versionIds: readonly string[],
  force: boolean,
): VersionDeletion {
  const result: VersionDeletion = { deleted: [], refused: [] };
  for (const versionId of new Set(versionIds)) {
    const usedIn = uses.of(recordIn(entry, versionId).versionId);
    if (usedIn.length > 0 && !force) result.refused.push({ versionId, usedIn });
    else result.deleted.push(versionId);
  }
  return result;
}
