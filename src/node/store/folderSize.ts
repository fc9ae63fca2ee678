import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { unlessGone } from '../files/errorCode';

/** What a folder takes up; files that have another name elsewhere are counted for themselves. */
export async function folderSize(dir: string): Promise<{ bytes: number; linkedBytes: number }> {
  const entries = (await unlessGone(readdir(dir, { recursive: true, withFileTypes: true }))) ?? [];
  const sum = { bytes: 0, linkedBytes: 0 };
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const stats = await unlessGone(stat(path.join(entry.parentPath, entry.name)));
    if (stats !== undefined) sum[stats.nlink > 1 ? 'linkedBytes' : 'bytes'] += stats.size;
  }
  return sum;
}
