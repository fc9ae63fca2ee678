import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { unlessGone } from '../files/errorCode';

/** What the files below a folder take: of their own, and shared with others by hard links. */
export async function sizeBelow(folder: string): Promise<{ bytes: number; linkedBytes: number }> {
  const entries = (await unlessGone(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  const sum = { bytes: 0, linkedBytes: 0 };
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const stats = await unlessGone(lstat(path.join(entry.parentPath, entry.name)));
    if (stats !== undefined) sum[stats.nlink > 1 ? 'linkedBytes' : 'bytes'] += stats.size;
  }
  return sum;
}
