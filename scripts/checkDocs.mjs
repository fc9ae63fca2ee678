// npm run docs: every path, npm script, command and setting that a document names has to exist: docs that cannot rot.
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { docProblems } from './lib/docProblems.mjs';
import { houseShape, shapeProblems } from './lib/houseShape.mjs';
import { inRoot, root } from './lib/root.mjs';

const { scripts, contributes = {} } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
const { commands = [], configuration = [], views = {} } = contributes;
const topLevel = new Set(await readdir(root));

/** @type {import('./lib/docProblems.d.mts').House} */
const house = {
  scripts: new Set(Object.keys(scripts)),
  ids: new Set([
    ...commands.map(({ command }) => command),
    ...[configuration].flat().flatMap(({ properties = {} }) => Object.keys(properties)),
    ...Object.values(views).flatMap((list) => list.map(({ id }) => id)),
  ]),
  titles: new Set(commands.map(({ category, title }) => (category === undefined ? title : `${category}: ${title}`))),
  topLevel,
  exists: (place) => existsSync(inRoot(place)),
  hasTest: (place, words) => testNames(readFileSync(inRoot(place), 'utf8')).some((name) => name.includes(words)),
};

/** The first argument of each `it`, as it is written. */
function testNames(code) {
  return [...code.matchAll(/\bit\(\s*(['"`])(.*?)\1,/gs)].map((match) => match[2].replaceAll('\\', ''));
}

/** The changelog is left out: it names what there was. */
async function documents() {
  const below = async (folder) =>
    topLevel.has(folder)
      ? (await readdir(inRoot(folder), { recursive: true })).map((name) => path.join(folder, name))
      : [];
  const all = [...topLevel, ...(await below('docs'))];
  return all.filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md').sort();
}

const files = await documents();
const problems = [];
for (const file of files) {
  problems.push(...docProblems(file.split(path.sep).join('/'), await readFile(inRoot(file), 'utf8'), house));
}
problems.push(...shapeProblems(await houseShape(), await readFile(inRoot('CONTRIBUTING.md'), 'utf8')));
for (const problem of problems) console.error(problem);
console.log(`${files.length} documents, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
