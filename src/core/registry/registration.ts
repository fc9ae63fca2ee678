import { errorText, KeepitError, SessionLookupError } from '../errors';
import { collectKeepits } from '../keepit/collectKeepits';
import { storedKeepits } from '../keepit/effectiveKeepits';
import type { SessionManifestEntry } from '../model/manifest';
import type { ClaudeFolder, Log, MemoryStore } from '../ports';
import type { ConversationLoader } from './conversationLoader';
import type { DigestReader } from './digestReader';
import { titleOf } from './discoveredSession';
import { mapLimited } from './mapLimited';
import type {
  OnProgress,
  Progress,
  RegisterResult,
  RegistrationPreview,
  SessionRef,
  SyncResult,
  UnregisterPreview,
  UnregisterResult,
} from './results';
import type { SessionSource, SessionSources } from './sessionSources';
import { uncounted } from './sessionUpdater';
import type { SessionUpdater } from './sessionUpdater';

export interface RegistrationParts {
  store: MemoryStore;
  claude: ClaudeFolder;
  log: Log;
  sources: SessionSources;
  updater: SessionUpdater;
  digests: DigestReader;
  loader: ConversationLoader;
}

/** How many sessions are read at once: the machine's threads are few, and the store writes one after the other. */
const PARALLEL_UPDATES = 4;

/** Up to here counting exactly keeps nobody waiting. */
const EXACT_PREVIEW_BYTES = 8 * 1024 * 1024;

interface Failure {
  session: string;
  error: string;
}

/** Takes sessions into memory, keeps them up to date, and takes them out again. */
export class RegistrationService {
  constructor(private readonly parts: RegistrationParts) {}

  /** What "Add to Memory" shows before anything is written. */
  async preview(ref: SessionRef, signal?: AbortSignal): Promise<RegistrationPreview> {
    const source = await this.parts.sources.locate(ref, signal);
    const counting = source.file.bytes <= EXACT_PREVIEW_BYTES ? 'exact' : 'estimate';
    const { digest, foreignTitle } = await this.parts.digests.read(ref.projectId, source.file, counting, signal);
    const hasKeepits = Object.keys(digest.keepitCandidates).length > 0;
    const conversation = hasKeepits
      ? await this.parts.loader.load(source.file.path, { estimator: uncounted }, signal)
      : undefined;
    const { markers, diagnostics } = collectKeepits(conversation?.messages ?? []);
    return {
      ...ref,
      title: titleOf(digest, foreignTitle),
      file: source.file.path,
      bytes: source.file.bytes,
      messages: digest.messages,
      tokens: { count: digest.tokens, kind: digest.counting },
      firstTimestamp: digest.firstTimestamp ?? '',
      lastTimestamp: digest.lastTimestamp ?? '',
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

  /** Takes in what is new of registered sessions; those that are up to date are not opened. */
  async sync(refs: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<SyncResult> {
    const result: SyncResult = { synced: [], failed: [] };
    const sources = await this.parts.sources.locateAll(refs, signal);
    const located = refs.map((ref, index) => ({ ref, source: sources[index] }));
    const grown = located.filter(({ source }) => source === undefined || !isUpToDate(source));
    result.failed = await this.updateAll(
      grown,
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
    const entry = manifest?.sessions[sessionId];
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
    const agents = await this.parts.store.keptSubAgents(projectId, sessionId);
    const isShared = hasOriginal && kept?.method === 'link';
    return isShared ? 0 : agents.reduce((sum, { bytes }) => sum + bytes, kept?.bytes ?? 0);
  }

  async unregister(ref: SessionRef): Promise<UnregisterResult> {
    const preview = await this.previewUnregister(ref);
    return { ...preview, trash: await this.parts.store.discardSession(ref.projectId, ref.sessionId) };
  }

  private async updateAll(
    items: readonly { ref: SessionRef; source: SessionSource | undefined }[],
    { step, onProgress }: { step: Progress['step']; onProgress: OnProgress | undefined },
    onUpdated: (source: SessionSource, entry: SessionManifestEntry, isUnchanged: boolean) => void,
    signal?: AbortSignal,
  ): Promise<Failure[]> {
    let done = 0;
    const failures = await mapLimited(items, PARALLEL_UPDATES, async ({ ref, source }) => {
      signal?.throwIfAborted();
      try {
        if (source === undefined) throw new SessionLookupError('not-found', ref.sessionId);
        const { entry, isUnchanged } = await this.parts.updater.update(source, signal);
        onUpdated(source, entry, isUnchanged);
        onProgress?.({ step, done: ++done, total: items.length, label: entry.metadata.title ?? ref.sessionId });
        return undefined;
      } catch (error) {
        if (signal?.aborted === true) throw error;
        onProgress?.({ step, done: ++done, total: items.length, label: ref.sessionId });
        return this.failure(ref, error);
      }
    });
    return failures.filter((failure) => failure !== undefined);
  }

  /** One session that fails does not stop the others. */
  private failure({ sessionId }: SessionRef, error: unknown): Failure {
    if (!(error instanceof KeepitError)) this.parts.log.error(`Session ${sessionId} failed`, error);
    return {
      session: sessionId,
      error: error instanceof KeepitError ? `${error.message} ${error.hint}` : errorText(error),
    };
  }
}

/** Whether every byte of the file has been taken in: then there is nothing to look for. */
function isUpToDate({ file, entry }: SessionSource): boolean {
  return entry?.kept !== undefined && entry.kept.syncedBytes === file.bytes && entry.kept.bytes === file.bytes;
}
