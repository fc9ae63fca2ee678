import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a file in one step, unless it is there already as it is to be. */
export async function placeFile(file, content) {
  if ((await readFile(file).catch(() => undefined))?.equals(content)) return;
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(temporary, content);
  await rename(temporary, file);
}
