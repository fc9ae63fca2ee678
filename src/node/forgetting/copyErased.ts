import { open } from 'node:fs/promises';
import { createFile } from '../files/atomicFile';
import { READ_NO_FOLLOW } from '../files/links';
import { fill, type Run } from './erasedRuns';

const CHUNK_BYTES = 1024 * 1024;

/** Copies the first bytes of a file, with its date and without what was erased; all of it where nothing is said. */
export async function copyErased(
  source: string,
  target: string,
  runs: readonly Run[],
  mostBytes = Infinity,
): Promise<void> {
  const from = await open(source, READ_NO_FOLLOW);
  try {
    const { size, atime, mtime } = await from.stat();
    const end = Math.min(size, mostBytes);
    await createFile(target, async (to) => {
      for (let at = 0; at < end;) {
        const { buffer, bytesRead } = await from.read(Buffer.alloc(Math.min(CHUNK_BYTES, end - at)), 0, null, at);
        if (bytesRead === 0) break;
        const piece = buffer.subarray(0, bytesRead);
        fill(piece, at, runs);
        await to.writeFile(piece);
        at += bytesRead;
      }
      await to.utimes(atime, mtime);
      await to.sync();
    });
  } finally {
    await from.close();
  }
}
