import type { MemoryStore } from '../../model/memoryStore';
import type { SessionSources } from '../../sessions/sessionSources';
import type { CompressionWork } from '../compressionJob';
import type { SessionRef } from '../../sessions/results';
import { SessionLookupError } from '../../sessions/lookup';
import type { SessionManifestEntry } from '../../model/manifest';
import { CompressionError } from '../compressionError';
import { ORIGINAL, type VersionDiff } from './types';
import type { ComparisonJob, StoredVersion } from './compareVersions';

interface ComparisonServiceParts {
  readonly store: MemoryStore;
  readonly sources: SessionSources;
  readonly work: CompressionWork;
}

/** Compares versions of registered sessions with each other and with the original. */
export class ComparisonService {
  constructor(private readonly parts: ComparisonServiceParts) {}

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

  private async stored(ref: SessionRef, entry: SessionManifestEntry, versionId: string): Promise<ComparisonJob['a']> {
    if (versionId === ORIGINAL) return ORIGINAL;
    const record = entry.compressions.find((one) => one.versionId === versionId);
    if (record === undefined) throw new CompressionError('no-such-version', versionId);
    const read = async (format: 'md' | 'jsonl'): Promise<string> => {
      const text = await this.parts.store.readVersion(ref.projectId, ref.sessionId, record.file, format);
      if (text === undefined) throw new CompressionError('version-unreadable', `${record.file}.${format}`);
      return text;
    };
    const [md, jsonl] = await Promise.all([read('md'), read('jsonl')]);
    return { record, md, jsonl } satisfies StoredVersion;
  }
}
