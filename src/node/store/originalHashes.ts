import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { KeptFile } from '../../core/model/host';
import { READ_NO_FOLLOW } from '../files/links';

/** Of so many bytes each: what is added to a long transcript is hashed without what came before it. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const HASH_CHARS = 32;

/** The content of a kept original as it was when it was kept: one hash for each block, the last one shorter. */
export interface HashedContent {
  readonly bytes: number;
  readonly hashes: readonly string[];
}

/** What is recorded of what was kept; undefined where that was before anything was. */
export function hashedContent(kept: Pick<KeptFile, 'bytes' | 'hashes'> | undefined): HashedContent | undefined {
  return kept?.hashes === undefined ? undefined : { bytes: kept.bytes, hashes: kept.hashes };
}

/** The hashes of a file's first `bytes`. What is known of an earlier content, which this one begins with, is not read again. */
export async function hashContent(
  file: string,
  bytes: number,
  known: HashedContent = { bytes: 0, hashes: [] },
  signal?: AbortSignal,
): Promise<string[]> {
  const hashes = known.hashes.slice(0, Math.floor(Math.min(known.bytes, bytes) / BLOCK_BYTES));
  for await (const hash of blocksOf(file, { from: hashes.length, bytes }, signal)) hashes.push(hash);
  return hashes;
}

/** Where a file first differs from what it held, to a block; undefined when it begins with all of that. */
export async function firstChange(
  file: string,
  { bytes, hashes }: HashedContent,
  signal?: AbortSignal,
): Promise<number | undefined> {
  let index = 0;
  for await (const hash of blocksOf(file, { from: 0, bytes }, signal)) {
    if (hash !== hashes[index]) return index * BLOCK_BYTES;
    index += 1;
  }
  return index < hashes.length ? index * BLOCK_BYTES : undefined;
}

async function* blocksOf(
  file: string,
  { from, bytes }: { from: number; bytes: number },
  signal?: AbortSignal,
): AsyncIterable<string> {
  const handle = await open(file, READ_NO_FOLLOW);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, Math.max(1, bytes)));
    for (let start = from * BLOCK_BYTES; start < bytes; start += BLOCK_BYTES) {
      signal?.throwIfAborted();
      const wanted = Math.min(BLOCK_BYTES, bytes - start);
      let done = 0;
      while (done < wanted) {
        const { bytesRead } = await handle.read(buffer, done, wanted - done, start + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      if (done === 0) return;
      yield createHash('sha256').update(buffer.subarray(0, done)).digest('hex').slice(0, HASH_CHARS);
    }
  } finally {
    await handle.close();
  }
}
