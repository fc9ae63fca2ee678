import type { TokenEstimator } from '../text/tokens/tokenCounter';
import type { RecordIds } from '../transcript/recordIds';
import type { Counting, SessionStats } from '../transcript/sessionStats';
import { readTranscript } from '../transcript/transcriptReader';

/** One reading of a transcript. */
export interface Scan {
  stats: SessionStats;
  /** The ids of the file's records. */
  ids: RecordIds;
  bytesRead: number;
}

/** Reads transcripts into their figures, in the background where the host has threads. */
export interface TranscriptScanner {
  /**
   * Reads the whole file. A last line that is not whole yet is left out.
   * `bytes` is the size that the caller has seen: it tells how much work is to be expected.
   * Throws `TranscriptUnreadableError` when the file vanishes or cannot be opened.
   */
  scan(path: string, request: { counting: Counting; bytes?: number }, signal?: AbortSignal): Promise<Scan>;
}

/** The one way in which figures are read; `estimator` counts as `counting` says. */
export async function scanTranscript(
  chunks: AsyncIterable<Uint8Array>,
  how: { counting: Counting; estimator: TokenEstimator },
  signal?: AbortSignal,
): Promise<Scan> {
  let bytesRead = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      bytesRead += chunk.length;
      yield chunk;
    }
  };
  const reader = await readTranscript(counted(), { ...how, detail: 'counts' }, signal);
  return { stats: reader.stats(), ids: reader.ids(), bytesRead };
}
