import type { Counting, TranscriptDigest } from './transcriptDigest';
import type { ScanState } from './projectCache';
import type { IdList } from '../transcript/hashIndex';

/** One reading of a transcript. */
export interface Scan {
  digest: TranscriptDigest;
  /** For the next reading, once the file has grown; only where it was asked for, and where the reading can go on from there. */
  state?: ScanState;
  /** The ids of the file's records; absent where there is a state, which tells them as well. */
  ids?: IdList;
  /** What was read this time. */
  bytesRead: number;
  /** Whether the reading went on from `prior`, rather than anew from the beginning. */
  isContinued: boolean;
}

/** Reads a transcript into its digest, in the background where the host has threads. */
export interface TranscriptScanner {
  /**
   * Continues from `prior` when the file has only grown, so that just the new bytes are read; starts anew when it
   * shrank or was rewritten. A last line that is not whole yet is left for the next time.
   * `bytes` is the size that the caller has seen: it tells how much work is to be expected.
   * `exact` counts with the exact counter, anew if `prior` was an estimate; a prior that is exact is always continued so.
   * `wantsState` asks for the state to go on from: making it takes a fifth of the time.
   * Throws `TranscriptUnreadableError` when the file vanishes or cannot be opened.
   */
  scan(
    path: string,
    request: { prior?: ScanState | undefined; counting: Counting; bytes?: number; wantsState?: boolean },
    signal?: AbortSignal,
  ): Promise<Scan>;
}
