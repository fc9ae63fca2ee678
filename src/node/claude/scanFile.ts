import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Scan } from '../../core/ports';
import type { ScanState } from '../../core/registry/projectCache';
import type { Counting } from '../../core/registry/transcriptDigest';
import { TranscriptScan } from '../../core/registry/transcriptScan';
import { runStepsWithPauses } from '../../core/transcript/steps';
import type { TokenEstimator } from '../../core/transcript/types';
import { asUnreadable } from './asUnreadable';
import { CHUNK_BYTES } from './claudeFolder';
import { NodeByteText } from './nodeByteText';

export interface ScanRequest {
  path: string;
  prior?: ScanState | undefined;
  counting: Counting;
}

export interface ScanTools {
  estimators: Record<Counting, () => Promise<TokenEstimator>>;
  /** Called after each chunk. */
  pause(): Promise<void>;
  chunkBytes?: number;
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
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw asUnreadable(path, error);
  }
  try {
    const { size } = await handle.stat();
    const prior = (await isContinuation(handle, size, request)) ? request.prior : undefined;
    const counting = prior?.counting ?? request.counting;
    const estimator = await tools.estimators[counting]();
    const scan = new TranscriptScan({ counting, estimator, bytes: new NodeByteText(), prior });
    const bytesRead = await feedAll(handle, { start: scan.startOffset, end: size }, { scan, tools, signal });
    const { digest, state } = await runStepsWithPauses(scan.finishing(), () => tools.pause(), signal);
    const hashes = await fingerprint(handle, state.reader.offset);
    return { digest, state: { ...state, ...hashes }, bytesRead, isContinued: prior !== undefined };
  } catch (error) {
    throw asUnreadable(path, error);
  } finally {
    await handle.close();
  }
}

async function isContinuation(handle: FileHandle, size: number, { prior, counting }: ScanRequest): Promise<boolean> {
  if (prior === undefined || prior.reader.offset > size) return false;
  if (counting === 'exact' && prior.counting !== 'exact') return false;
  const { headHash, tailHash } = await fingerprint(handle, prior.reader.offset);
  return headHash === prior.headHash && tailHash === prior.tailHash;
}

async function feedAll(
  handle: FileHandle,
  { start, end }: { start: number; end: number },
  { scan, tools, signal }: { scan: TranscriptScan; tools: ScanTools; signal: AbortSignal | undefined },
): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(tools.chunkBytes ?? CHUNK_BYTES, end - start)));
  let position = start;
  while (position < end) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - position), position);
    signal?.throwIfAborted();
    if (bytesRead === 0) break; // the file was cut while it was read
    position += bytesRead;
    scan.feed(buffer.subarray(0, bytesRead));
    await tools.pause();
  }
  return position - start;
}

async function fingerprint(handle: FileHandle, offset: number): Promise<{ headHash: string; tailHash: string }> {
  const length = Math.min(FINGERPRINT_BYTES, offset);
  return { headHash: await hashOf(handle, 0, length), tailHash: await hashOf(handle, offset - length, length) };
}

async function hashOf(handle: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return createHash('sha1').update(buffer.subarray(0, bytesRead)).digest('base64');
}
