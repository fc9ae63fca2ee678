import { createHash } from 'node:crypto';
import type { Scan } from '../../core/sessions/transcriptScanner';
import type { ScanState } from '../../core/sessions/projectCache';
import type { Counting } from '../../core/sessions/transcriptDigest';
import { TranscriptScan } from '../../core/sessions/transcriptScan';
import type { RecordMemory } from '../../core/transcript/recordMemory';
import { runStepsWithPauses } from '../../core/transcript/steps';
import type { TokenEstimator } from '../../core/text/tokens/tokenCounter';
import { asUnreadable } from './asUnreadable';
import { NodeByteText } from './nodeByteText';
import type { OpenTranscript } from './openTranscript';

export interface ScanRequest {
  path: string;
  prior?: ScanState | undefined;
  counting: Counting;
  /** The size that the caller has seen. */
  bytes?: number;
  wantsState?: boolean;
}

export interface ScanTools {
  estimators: Record<Counting, () => Promise<TokenEstimator>>;
  open(path: string): Promise<OpenTranscript> | OpenTranscript;
  /** Shared by all scans of a thread: whatever was learned with one file helps with the next. */
  memory: RecordMemory;
  /** What each chunk is read into. */
  buffer(): Buffer;
  /** Called after each chunk. */
  pause(): Promise<void>;
}

/** How much of a file's beginning, and of what was read last, tells whether it is still the same file. */
const FINGERPRINT_BYTES = 4096;

/**
 * Reads a transcript from where `prior` ended, or anew when the file is not the one that `prior` was made from.
 * The one way in which files are scanned, in the background and in the host's own thread.
 */
export async function scanFile(request: ScanRequest, tools: ScanTools, signal?: AbortSignal): Promise<Scan> {
  signal?.throwIfAborted();
  const { path } = request;
  let transcript: OpenTranscript;
  try {
    transcript = await tools.open(path);
  } catch (error) {
    throw asUnreadable(path, error);
  }
  try {
    const { size } = transcript;
    const file = new ChunkedFile(transcript, () => tools.buffer());
    const prior = (await isContinuation(file, size, request)) ? request.prior : undefined;
    const counting = prior?.counting ?? request.counting;
    const estimator = await tools.estimators[counting]();
    const { memory } = tools;
    const scan = new TranscriptScan({ counting, estimator, bytes: new NodeByteText(), memory, prior });
    let bytesRead = 0;
    for await (const chunk of file.chunks(scan.startOffset, size)) {
      signal?.throwIfAborted();
      bytesRead += chunk.length;
      scan.feed(chunk);
      await tools.pause();
    }
    const pause = () => tools.pause();
    const state = request.wantsState === true ? await runStepsWithPauses(scan.settling(), pause, signal) : undefined;
    const digest = await runStepsWithPauses(scan.finishing(), pause, signal);
    const reading = { digest, bytesRead, isContinued: prior !== undefined };
    if (state === undefined) return { ...reading, ids: scan.ids() };
    return { ...reading, state: { ...state, ...(await fingerprint(file, state.reader.offset)) } };
  } catch (error) {
    throw asUnreadable(path, error);
  } finally {
    await transcript.close();
  }
}

/** A file that is read from one place to another; what was read last can be looked at again without reading it. */
class ChunkedFile {
  readonly #transcript: OpenTranscript;
  readonly #buffer: () => Buffer;
  #window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  constructor(transcript: OpenTranscript, buffer: () => Buffer) {
    this.#transcript = transcript;
    this.#buffer = buffer;
  }

  /** The buffer of a chunk is used again. Ends early when the file is cut while it is read. */
  async *chunks(start: number, end: number): AsyncIterable<Buffer> {
    const buffer = this.#buffer();
    for (let position = start; position < end;) {
      const wanted = Math.min(buffer.length, end - position);
      const bytesRead = await this.#transcript.read(buffer.subarray(0, wanted), position);
      if (bytesRead === 0) return;
      const bytes = buffer.subarray(0, bytesRead);
      this.#window = { start: position, bytes };
      position += bytesRead;
      yield bytes;
    }
  }

  async hash(position: number, length: number): Promise<string> {
    return createHash('sha1')
      .update(await this.#bytes(position, length))
      .digest('base64');
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    const { start, bytes } = this.#window;
    if (position >= start && position + length <= start + bytes.length) {
      return bytes.subarray(position - start, position - start + length);
    }
    const buffer = Buffer.alloc(length);
    const bytesRead = await this.#transcript.read(buffer, position);
    return buffer.subarray(0, bytesRead);
  }
}

async function isContinuation(file: ChunkedFile, size: number, { prior, counting }: ScanRequest): Promise<boolean> {
  if (prior === undefined || prior.reader.offset > size) return false;
  if (counting === 'exact' && prior.counting !== 'exact') return false;
  const { headHash, tailHash } = await fingerprint(file, prior.reader.offset);
  return headHash === prior.headHash && tailHash === prior.tailHash;
}

async function fingerprint(file: ChunkedFile, offset: number): Promise<{ headHash: string; tailHash: string }> {
  const length = Math.min(FINGERPRINT_BYTES, offset);
  return { headHash: await file.hash(0, length), tailHash: await file.hash(offset - length, length) };
}
