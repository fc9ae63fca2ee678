import type { Scan } from '../../core/sessions/transcriptScanner';
import type { Counting } from '../../core/transcript/sessionStats';
import { scanTranscript } from '../../core/sessions/transcriptScanner';
import type { TokenEstimator } from '../../core/text/tokens/tokenCounter';
import { asUnreadable } from './asUnreadable';

/** A transcript that is open for reading. */
export interface OpenTranscript {
  readonly size: number;
  /** Fills the buffer from this position on and tells how far; 0 at the end of the file. */
  read(buffer: Buffer, position: number): number;
  close(): void;
}

export interface ScanRequest {
  path: string;
  counting: Counting;
  /** The size that the caller has seen. */
  bytes?: number;
}

export interface ScanTools {
  estimators: Record<Counting, () => Promise<TokenEstimator>>;
  open(path: string): OpenTranscript;
  /** What each chunk is read into. */
  buffer: () => Buffer;
  /** Called after each chunk. */
  pause: () => Promise<void>;
}

/** How a thread of its own scans a file. */
export async function scanFile(request: ScanRequest, tools: ScanTools, signal?: AbortSignal): Promise<Scan> {
  signal?.throwIfAborted();
  const { path, counting } = request;
  let transcript: OpenTranscript;
  try {
    transcript = tools.open(path);
  } catch (error) {
    throw asUnreadable(path, error);
  }
  try {
    const estimator = await tools.estimators[counting]();
    return await scanTranscript(chunksOf(transcript, tools), { counting, estimator }, signal);
  } catch (error) {
    throw asUnreadable(path, error);
  } finally {
    transcript.close();
  }
}

/** The file as it was when it was opened, in chunks; the buffer is used again. Ends early when the file is cut while it is read. */
async function* chunksOf(transcript: OpenTranscript, { buffer: make, pause }: ScanTools): AsyncIterable<Buffer> {
  const buffer = make();
  for (let position = 0; position < transcript.size;) {
    const wanted = Math.min(buffer.length, transcript.size - position);
    const bytesRead = transcript.read(buffer.subarray(0, wanted), position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
    await pause();
  }
}
