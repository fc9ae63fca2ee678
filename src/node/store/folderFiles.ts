import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../files/atomicFile';
import { isSafeSegment } from '../../core/model/fields';
import { refuseLinks, textWithin } from '../files/links';
import { unlessGone, storing } from '../files/errorCode';

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

/** Files, and all that lie below folders. What is gone, or a symbolic link, is none of them. */
export async function filesIn(root: string, places: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const place of places) {
    await refuseLinks(root, path.dirname(place));
    const stats = await unlessGone(lstat(place));
    if (stats?.isFile() === true) files.push(place);
    if (stats?.isDirectory() !== true) continue;
    const entries = await readdir(place, { recursive: true, withFileTypes: true });
    files.push(...entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name)));
  }
  return files;
}

/** What lies in a folder, but for names that nothing of ours has. Throws `StoreError`. */
export async function namesIn(folder: string): Promise<string[]> {
  return ((await storing(folder, () => unlessGone(readdir(folder)))) ?? []).filter(isSafeSegment);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What is deleted by its age is deleted only when it was old enough at an earlier look, a day or more ago: a clock that jumps forward and
 * comes back, as after a flat battery, must not cost anything. Given is the time before which things are old now; returned is that
 * time of the earlier look, which is noted in `file`, or undefined when there was none.
 */
export async function earlierLook(root: string, file: string, before: Date): Promise<Date | undefined> {
  const noted = new Date((await textWithin(root, file)) ?? '');
  const sinceMs = before.getTime() - noted.getTime();
  if (sinceMs >= 0 && sinceMs < DAY_MS) return undefined;
  await writeFileAtomic(file, before.toISOString(), { isDurable: false });
  return sinceMs >= DAY_MS ? noted : undefined;
}
