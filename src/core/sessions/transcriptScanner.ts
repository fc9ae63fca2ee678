import type { TranscriptFile } from '../model/host';
import { type TokenEstimator, uncounted } from '../text/tokens/tokenCounter';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { RecordIds } from '../transcript/chainTable';
import type { Counting, SessionStats } from '../transcript/sessionStats';

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
   * Reads the file as far as it went when the caller saw its size, `bytes`. A last line that is not whole yet is left out.
   * Throws `TranscriptUnreadableError` when the file vanishes or cannot be opened.
   */
  scan(path: string, request: { counting: Counting; bytes: number }, signal?: AbortSignal): Promise<Scan>;
}

/** The one way in which figures are read; `estimator` counts as `counting` says. */
export async function scanTranscript(
  chunks: AsyncIterable<Uint8Array>,
  how: { counting: Counting; estimator: TokenEstimator },
  signal?: AbortSignal,
): Promise<Scan> {
  const { readTranscript } = await import('../transcript/transcriptReader'); // loaded with the first transcript
  const reader = await readTranscript(chunks, { ...how, detail: 'counts' }, signal);
  return { stats: reader.stats(), ids: reader.ids(), bytesRead: reader.bytesRead };
}

/** How much of a transcript a first look reads, at its beginning and at its end. */
const END_BYTES = 16 * 1024;
const NEWLINE = new Uint8Array([0x0a]);

/** The figures in the first and the last bytes of a transcript: its names and dates are those of the whole, its counts are not. */
export async function scanEnds(
  claude: ClaudeFolder,
  { path, bytes }: TranscriptFile,
  signal?: AbortSignal,
): Promise<SessionStats> {
  const { TranscriptReader } = await import('../transcript/transcriptReader');
  const reader = new TranscriptReader({ estimator: uncounted, detail: 'counts' });
  const tail = Math.max(bytes - END_BYTES, END_BYTES);
  for await (const chunk of claude.read(path, { end: END_BYTES }, signal)) reader.feed(chunk);
  reader.feed(NEWLINE); // the last line of the beginning is cut off, and so is the first one of the end
  if (tail < bytes) for await (const chunk of claude.read(path, { start: tail }, signal)) reader.feed(chunk);
  return reader.stats();
}
