import type { Counting, TranscriptDigest } from './transcriptDigest';
import type { RecordIds } from '../transcript/recordIds';

/** One reading of a transcript. */
export interface Scan {
  digest: TranscriptDigest;
  /** The ids of the file's records. */
  ids: RecordIds;
  bytesRead: number;
}

/** Reads a transcript into its digest, in the background where the host has threads. */
export interface TranscriptScanner {
  /**
   * Reads the whole file. A last line that is not whole yet is left out.
   * `bytes` is the size that the caller has seen: it tells how much work is to be expected.
   * Throws `TranscriptUnreadableError` when the file vanishes or cannot be opened.
   */
  scan(path: string, request: { counting: Counting; bytes?: number }, signal?: AbortSignal): Promise<Scan>;
}
