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

/** Notes how long test files took that ran one after the other. */
export async function noteDuration(files, ms) {
  const all = await durations();
  for (const file of files) all[nameOf(file)] = Math.round(ms / files.length);
  writing = writing.then(async () => {
    await mkdir(path.dirname(durationsFile), { recursive: true });
    await writeFile(durationsFile, JSON.stringify(all));
  });
  return writing;
}

/** Parts of test files by how long they took when they last ran, the longest first; before all, the largest first, those that never did. */
export async function longestFirst(parts) {
  const all = await durations();
  const measured = await Promise.all(
    parts.map(async (files) => {
      const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
      const known = files.map((file) => all[nameOf(file)] ?? Number.MAX_SAFE_INTEGER);
      return { files, size: sum(sizes), ms: Math.min(sum(known), Number.MAX_SAFE_INTEGER) };
    }),
  );
  return measured.toSorted((a, b) => b.ms - a.ms || b.size - a.size).map(({ files }) => files);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
