import { TranscriptUnreadableError } from '../transcript/unreadableError';
import type { Log, Pause } from '../model/host';
import type { DigestReader } from './digestReader';
import type { SessionRef, TokenFigure } from './results';
import type { SessionSource, SessionSources } from './sessionSources';

export interface ExactCountingParts {
  sources: SessionSources;
  digests: DigestReader;
  pause: Pause;
  log: Log;
}

/**
 * Counts sessions exactly, newest first, one after the other: background work that leaves the machine to others. What
 * was counted before, for the same size and date, is told at once.
 */
export async function countExactly(
  { sources, digests, pause, log }: ExactCountingParts,
  refs: readonly SessionRef[],
  onCounted: (ref: SessionRef, figure: TokenFigure) => void,
  signal?: AbortSignal,
): Promise<void> {
  const located = (await sources.locateAll(refs, signal)).filter((source) => source !== undefined);
  for (const source of located.sort(newestFirst)) {
    signal?.throwIfAborted();
    try {
      const { digest } = await digests.read(source.ref.projectId, source.file, 'exact', signal);
      onCounted(source.ref, { count: digest.tokens, kind: digest.counting });
    } catch (error) {
      if (!(error instanceof TranscriptUnreadableError)) throw error;
      log.debug(`${source.file.path} stays estimated: ${error.message}`);
    }
    await pause();
  }
}

function newestFirst(a: SessionSource, b: SessionSource): number {
  return b.file.mtimeMs - a.file.mtimeMs;
}
