import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, root } from './root.mjs';

const durationsFile = inRoot('node_modules/.cache/keepit/durations.json');
const nameOf = (file) => path.relative(root, file);
let known;
let writing = Promise.resolve();

async function durations() {
  known ??= readFile(durationsFile, 'utf8').then(JSON.parse, () => ({}));
  return known;
}

/** Notes how long a test file took. */
export async function noteDuration(file, ms) {
  const all = await durations();
  all[nameOf(file)] = Math.round(ms);
  writing = writing.then(async () => {
    await mkdir(path.dirname(durationsFile), { recursive: true });
    await writeFile(durationsFile, JSON.stringify(all));
  });
  return writing;
}

/** Test files by how long they took when they last ran, the longest first; before all, the largest first, those that never did. */
export async function longestFirst(files) {
  const all = await durations();
  const sizes = new Map(await Promise.all(files.map(async (file) => [file, (await stat(file)).size])));
  const lengthOf = (file) => all[nameOf(file)] ?? Number.MAX_SAFE_INTEGER;
  return files.toSorted((a, b) => lengthOf(b) - lengthOf(a) || sizes.get(b) - sizes.get(a));
}
