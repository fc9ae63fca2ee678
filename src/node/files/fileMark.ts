import { stat } from 'node:fs/promises';
import { unlessGone } from './errorCode';

/** Equal as long as a file is the same and nobody wrote it. */
export interface FileMark {
  text: string;
  bytes: number;
}

/** Undefined when there is no file. Taken before the file is read, a mark is never newer than what was read. */
export async function markOf(file: string): Promise<FileMark | undefined> {
  const stats = await unlessGone(stat(file, { bigint: true }));
  if (stats === undefined) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return { text: [dev, ino, size, mtimeNs, ctimeNs].join(' '), bytes: Number(size) };
}
