import { SessionLookupError } from '../sessions/sessionLookupError';
import { sessionDistance } from '../keepits/decay';
import type { CompressionRecord } from '../model/compression';
import { settingsOf, type ProjectManifest, type SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Clock, MemoryStore } from '../model/host';
import type { OnProgress, SessionRef, SessionSource } from '../sessions/results';
import type { SessionIndex } from '../sessions/sessionIndex';
import type { SessionUpdater } from '../sessions/sessionUpdater';
import { isLiveAt, nextPartNumber, partsOf } from '../sessions/sessionParts';
import { type CompressedSession, type CompressionJob, type CompressionWork, CompressionError } from './compressionJob';
import { settingsFor } from './compressionSettings';
import type { CompressionEstimate, CompressionRequest } from './types';
import {
  headline,
  nextVersionId,
  recordOf,
  versionsIndex,
  withVersions,
  type CompressionResult,
} from './versionEntries';

export interface CompressionServiceParts {
  readonly store: MemoryStore;
  readonly claude: ClaudeFolder;
  readonly clock: Clock;
  readonly sources: SessionIndex;
  readonly updater: SessionUpdater;
  readonly work: CompressionWork;
}

/** Makes versions of registered sessions: in whole, with files, index and manifest, or not at all. */
export class CompressionService {
  constructor(private readonly parts: CompressionServiceParts) {}

  /** What a version would be like; nothing is written, and no model is asked. */
  async preview(ref: SessionRef, request: CompressionRequest, signal?: AbortSignal): Promise<CompressionEstimate> {
    const source = await this.registered(ref, signal);
    return this.parts.work.estimate(await this.job(source, request), signal);
  }

  /** Takes in what is new of the session first, so that a version never knows more than the manifest does. */
  async compress(
    ref: SessionRef,
    request: CompressionRequest,
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<CompressionResult> {
    const source = await this.registered(ref, signal);
    await this.job(source, request); // a request that makes no sense changes nothing
    const { entry } = await this.parts.updater.update(source, signal);
    const job = await this.job({ ...source, entry }, request);
    const compressed = await this.parts.work.compress(
      job,
      (progress) => onProgress?.({ step: 'compress', ...progress }),
      signal,
    );
    signal?.throwIfAborted();
    return this.keep(job, compressed, request.isAutomatic);
  }

  /** The version that would be made; nothing is written. */
  async draft(
    ref: SessionRef,
    request: CompressionRequest,
    signal?: AbortSignal,
  ): Promise<{ version: CompressionRecord; jsonl: string }> {
    const source = await this.registered(ref, signal);
    const job = await this.job(source, request);
    const compressed = await this.parts.work.compress(job, undefined, signal);
    const versionId = nextVersionId(source.entry, compressed.part?.partNumber);
    return {
      version: recordOf(versionId, this.parts.clock.now().toISOString(), job, compressed),
      jsonl: compressed.jsonl,
    };
  }

  private async registered(
    ref: SessionRef,
    signal?: AbortSignal,
  ): Promise<SessionSource & { entry: SessionManifestEntry }> {
    const { entry, ...source } = await this.parts.sources.locate(ref, signal);
    if (entry === undefined) throw new SessionLookupError('not-registered', ref.sessionId);
    return { ...source, entry };
  }

  private async job(
    source: SessionSource & { entry: SessionManifestEntry },
    request: CompressionRequest,
  ): Promise<CompressionJob> {
    const { store, clock } = this.parts;
    const { ref, entry, file } = source;
    const manifest = await this.manifest(ref);
    const config = await store.readConfig();
    const { keepitDecay, defaults } = config;
    const provider = request.provider ?? 'local';
    const { rehearsal } = keepitDecay;
    const settings = settingsFor(request, {
      project: settingsOf(manifest, config),
      reductions: defaults.reductions,
      sessionDistance: sessionDistance(entry, Object.values(manifest.sessions), { rehearsal }),
      model: provider === 'local' ? provider : (request.model ?? defaults.model),
    });
    const { path, bytes, mtimeMs } = await this.readable(source);
    return {
      ref,
      path,
      bytes,
      mtimeMs,
      title: entry.metadata.title ?? '',
      overlay: entry.keepitOverlay ?? [],
      parts: partsOf(entry),
      scope: request.scope ?? { kind: 'whole' },
      settings,
      decay: keepitDecay,
      provider,
      options: { model: settings.model, maxCostUsd: request.maxCostUsd },
      written: request.written,
      isInUse: !source.isKept && isLiveAt(file.mtimeMs, clock.now()),
      timestamp: entry.lastTimestamp,
    };
  }

  /** The kept original where it has all that the transcript has: nobody deletes or rewrites that one meanwhile. */
  private async readable({ ref, file, entry }: SessionSource): Promise<SessionSource['file']> {
    const path = await this.parts.store.sessions.path(ref.projectId, ref.sessionId);
    const kept = path === undefined ? undefined : await this.parts.claude.stat(path);
    const isWhole = kept !== undefined && entry?.kept !== undefined && kept.bytes >= file.bytes;
    if (isWhole) return kept;
    return file;
  }

  private async manifest({ projectId, sessionId }: SessionRef): Promise<ProjectManifest> {
    const manifest = await this.parts.store.readManifest(projectId);
    if (manifest === undefined) throw new SessionLookupError('not-registered', sessionId);
    return manifest;
  }

  private async keep(
    job: CompressionJob,
    compressed: CompressedSession,
    isAutomatic = false,
  ): Promise<CompressionResult> {
    const { store, clock } = this.parts;
    const { projectId, sessionId } = job.ref;
    let version: CompressionRecord | undefined;
    await store.updateManifest(await this.manifest(job.ref), async (current) => {
      const entry = ownValue(current.sessions, sessionId);
      if (entry === undefined) throw new SessionLookupError('not-registered', sessionId);
      checkPart(entry, job, compressed);
      const versionId = nextVersionId(entry, compressed.part?.partNumber);
      const record = recordOf(versionId, clock.now().toISOString(), job, compressed);
      version = isAutomatic ? { ...record, isAutomatic } : record;
      const changed = withVersions(entry, [version], compressed.part);
      const texts = { md: `${headline(version, sessionId)}\n${compressed.body}`, jsonl: compressed.jsonl };
      await store.versions.keep(projectId, { file: version.file, texts }, versionsIndex(changed));
      return { ...current, sessions: { ...current.sessions, [sessionId]: changed } };
    });
    if (version === undefined) throw new TypeError(`The store did not ask for the version of ${sessionId}`);
    return { version, files: Object.values(store.versions.paths(projectId, sessionId, version.file)) };
  }
}

/** Two may have compressed what was new: the second one's messages must be those of the part that the first one made. */
function checkPart(entry: SessionManifestEntry, { ref, scope }: CompressionJob, { part }: CompressedSession): void {
  if (part === undefined) return;
  const parts = partsOf(entry);
  const known = parts.find(({ partNumber }) => partNumber === part.partNumber);
  const isNext = part.partNumber === nextPartNumber(parts);
  const fits = known === undefined ? isNext : scope.kind === 'part' || known.lastMessageUuid === part.lastMessageUuid;
  if (!fits) throw new CompressionError('changed-meanwhile', ref.sessionId);
}
