import { collectKeepits } from '../keepits/collectKeepits';
import { failureText, KeepitError } from '../text/keepitError';
import { storedKeepits } from '../keepits/effectiveKeepits';
import type { SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { type Log, manifestsIn, type MemoryStore } from '../model/host';
import { mapLimited, settled } from '../text/mapLimited';
import { bestTitle } from '../transcript/sessionStats';
import { SessionLookupError } from './sessionLookupError';
import type {
  OnProgress,
  Progress,
  RegisterResult,
  RegistrationPreview,
  SessionRef,
  SyncResult,
  UnregisterPreview,
  UnregisterResult,
  SessionSource,
} from './results';
import type { SessionIndex } from './sessionIndex';
import type { SessionUpdater } from './sessionUpdater';

interface RegistrationParts {
  store: MemoryStore;
  claude: ClaudeFolder;
  log: Log;
  sources: SessionIndex;
  updater: SessionUpdater;
  /** Told of sessions that have something new in memory: searches go by them at once. */
  index: (sources: readonly SessionSource[], signal?: AbortSignal) => Promise<void>;
}

/** While one batch is written, the next one is read. */
const PARALLEL_BATCHES = 2;
/** What is lost of the work when it ends half-way, at most: this many sessions, or the one that passes so many bytes. */
const BATCH_SESSIONS = 64;
const BATCH_BYTES = 32 * 1024 * 1024;

interface Failure {
  session: string;
  error: string;
}

interface Item {
  readonly ref: SessionRef;
  readonly source: SessionSource | undefined;
}

interface Batch {
  readonly projectId: string;
  readonly located: { readonly ref: SessionRef; readonly source: SessionSource }[];
  bytes: number;
}

/** Takes sessions into memory, keeps them up to date, and takes them out again. */
export class RegistrationService {
  constructor(private readonly parts: RegistrationParts) {}

  /** What "Add to Memory" shows before anything is written. */
  async preview(ref: SessionRef, signal?: AbortSignal): Promise<RegistrationPreview> {
    const source = await this.parts.sources.locate(ref, signal);
    const { stats, foreignTitle } = await this.parts.sources.stats(source, 'estimate', signal);
    const hasKeepits = Object.keys(stats.keepitCandidates).length > 0;
    const conversation = hasKeepits ? await this.parts.sources.open(source, {}, signal) : undefined;
    const { markers, diagnostics } = collectKeepits(conversation?.messages ?? [], conversation?.copiedMarkers);
    return {
      ...ref,
      title: bestTitle(stats.titles, foreignTitle) ?? '',
      file: source.file.path,
      bytes: source.file.bytes,
      messages: stats.messages,
      tokens: { count: stats.tokens, kind: stats.counting },
      firstTimestamp: stats.meta.firstTimestamp ?? '',
      lastTimestamp: stats.meta.lastTimestamp ?? '',
      keepits: markers,
      malformedKeepits: diagnostics.length,
      alreadyRegistered: source.entry !== undefined,
    };
  }

  /** Each session is taken in whole or not at all; after an abort those that are done stay. */
  async register(refs: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<RegisterResult> {
    const result: RegisterResult = { registered: [], unchanged: [], failed: [] };
    const sources = await this.parts.sources.locateAll(refs, signal);
    result.failed = await this.updateAll(
      refs.map((ref, index) => ({ ref, source: sources[index] })),
      { step: 'register', onProgress },
      (source, entry, isUnchanged) => {
        if (isUnchanged) result.unchanged.push(source.ref.sessionId);
        else result.registered.push(entry);
      },
      signal,
    );
    return result;
  }

  /** Registered sessions, of all projects when `projectId` is absent, newest first. */
  async list(projectId?: string): Promise<SessionManifestEntry[]> {
    const manifests = await manifestsIn(this.parts.store, projectId);
    const entries = manifests.flatMap(({ sessions }) => Object.values(sessions));
    return entries.sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? 1 : -1));
  }

  /** As `sync`, for those of the sessions that are in memory. */
  async takeIn(refs: readonly SessionRef[], signal?: AbortSignal): Promise<void> {
    const sources = await this.parts.sources.locateAll(refs, signal);
    const known = refs.filter((_, at) => sources[at]?.entry !== undefined);
    await this.sync(known, undefined, signal);
  }

  /** Takes in what is new of registered sessions, of all when `only` is absent; those that are up to date are not opened. */
  async sync(only?: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<SyncResult> {
    const result: SyncResult = { synced: [], failed: [] };
    const refs = only ?? (await this.registeredRefs());
    const sources = await this.parts.sources.locateAll(refs, signal);
    const located = refs.map((ref, index) => ({ ref, source: sources[index] }));
    result.failed = await this.updateAll(
      located,
      { step: 'sync', onProgress },
      ({ ref, entry: before }, entry, isUnchanged) => {
        if (isUnchanged) return;
        const newMessages = entry.originalMessages - (before?.originalMessages ?? 0);
        const newTokens = entry.originalTokens - (before?.originalTokens ?? 0);
        result.synced.push({ sessionId: ref.sessionId, newMessages, newTokens });
      },
      signal,
    );
    return result;
  }

  async previewUnregister(ref: SessionRef): Promise<UnregisterPreview> {
    const { store, claude } = this.parts;
    const { projectId, sessionId } = ref;
    const manifest = await store.readManifest(projectId);
    const entry = ownValue(manifest?.sessions, sessionId);
    if (entry === undefined) throw new SessionLookupError('not-registered', sessionId);
    const original = entry.originalFile === '' ? undefined : await claude.stat(entry.originalFile);
    const compositions = Object.values(manifest?.compositions ?? {});
    return {
      projectId,
      sessionId,
      title: entry.metadata.title ?? '',
      versions: entry.compressions.length,
      keepits: storedKeepits(entry).length,
      compositions: compositions
        .filter(({ components }) => components.some((component) => component.sessionId === sessionId))
        .map(({ name }) => name),
      bytes: await this.bytesFreed(ref, entry, original !== undefined),
      isLastCopy: original === undefined,
    };
  }

  /** A hard link to Claude Code's own file takes no space of its own. */
  private async bytesFreed(
    { projectId, sessionId }: SessionRef,
    { kept }: SessionManifestEntry,
    hasOriginal: boolean,
  ): Promise<number> {
    const agents = await this.parts.store.sessions.subAgents(projectId, sessionId);
    const isShared = hasOriginal && kept?.method === 'link';
    return isShared ? 0 : agents.reduce((sum, { bytes }) => sum + bytes, kept?.bytes ?? 0);
  }

  async unregister(ref: SessionRef): Promise<UnregisterResult> {
    const preview = await this.previewUnregister(ref);
    return { ...preview, trash: await this.parts.store.sessions.discard(ref.projectId, ref.sessionId) };
  }

  /** Undoes `unregister`. */
  async restore(projectId: string, trash: string): Promise<SessionManifestEntry> {
    return this.parts.store.sessions.takeBack(projectId, trash);
  }

  private async registeredRefs(): Promise<SessionRef[]> {
    const manifests = await manifestsIn(this.parts.store);
    return manifests.flatMap(({ projectId, sessions }) =>
      Object.keys(sessions).map((sessionId) => ({ projectId, sessionId })),
    );
  }

  private async updateAll(
    items: readonly Item[],
    { step, onProgress }: { step: Progress['step']; onProgress: OnProgress | undefined },
    onUpdated: (source: SessionSource, entry: SessionManifestEntry, isUnchanged: boolean) => void,
    signal?: AbortSignal,
  ): Promise<Failure[]> {
    const failures = new Map<SessionRef, Failure>();
    const changed: SessionSource[] = [];
    let done = 0;
    const report = (label: string) => onProgress?.({ step, done: ++done, total: items.length, label });
    const fail = (item: Item, error: unknown) => {
      failures.set(item.ref, this.failure(item.ref, error));
      report(item.ref.sessionId);
    };
    for (const item of items) {
      if (item.source === undefined) fail(item, new SessionLookupError('not-found', item.ref.sessionId));
    }
    await mapLimited(batchesOf(items), PARALLEL_BATCHES, async ({ projectId, located }) => {
      signal?.throwIfAborted();
      const sources = located.map(({ source }) => source);
      const outcomes = await settled(this.parts.updater.updateAll(projectId, sources, signal));
      signal?.throwIfAborted();
      for (const [index, item] of located.entries()) {
        const outcome = outcomes.status === 'fulfilled' ? outcomes.value[index] : outcomes;
        if (outcome?.status !== 'fulfilled') {
          fail(item, outcome?.reason);
          continue;
        }
        const { entry, isUnchanged } = outcome.value;
        onUpdated(item.source, entry, isUnchanged);
        if (!isUnchanged) changed.push(item.source);
        report(entry.metadata.title ?? item.ref.sessionId);
      }
    });
    await this.parts.index(changed, signal);
    return items.flatMap((item) => failures.get(item.ref) ?? []);
  }

  /** One session that fails does not stop the others. */
  private failure({ sessionId }: SessionRef, error: unknown): Failure {
    if (!(error instanceof KeepitError)) this.parts.log.error(`Session ${sessionId} failed`, error);
    return { session: sessionId, error: failureText(error) };
  }
}

/** Sessions of one project in the order given, in batches that are soon done: each is one change of the manifest. */
function batchesOf(items: readonly Item[]): Batch[] {
  const open = new Map<string, Batch>();
  const batches: Batch[] = [];
  for (const item of items) {
    const { ref, source } = item;
    if (source === undefined) continue;
    let batch = open.get(ref.projectId);
    if (batch === undefined || batch.located.length >= BATCH_SESSIONS || batch.bytes >= BATCH_BYTES) {
      batch = { projectId: ref.projectId, located: [], bytes: 0 };
      open.set(ref.projectId, batch);
      batches.push(batch);
    }
    batch.located.push({ ref, source });
    batch.bytes += source.file.bytes;
  }
  return batches;
}
