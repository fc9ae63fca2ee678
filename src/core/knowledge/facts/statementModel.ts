import { phrasesIn, placedWords, type PhraseKind } from '../../text/phrases';
import model from './statementWeights.json';

/** What clauses are hashed into; a power of two. */
export const BUCKETS = 1 << 15;
/** One character for each weight, from `#` to `[`; this one is 0. */
export const ZERO = 63;

const LONGEST = 240;
const MOST_WORDS = 40;
const GRAMS = [3, 4, 5];
const MOST_COUNTED = 12;
const NEAR_THE_START = 3;
const SIGNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['?', /[?？]\s*$/u],
  ['!', /[!！]\s*$/u],
  [':', /[:：]/u],
  ['quoted', /["“”«»「`]/u],
  ['code', /[{}=;<>]|\(\)/],
  ['capital', /^\p{Lu}/u],
  ['stop', /[.。]\s*$/u],
];
const FORMS: readonly PhraseKind[] = [
  'opener',
  'remember',
  'henceforth',
  'always',
  'idle',
  'here',
  'denies',
  'allows',
  'changes',
  'maybe',
  'past',
  'once',
  'elsewhere',
  'wrong',
  'pending',
  'agrees',
  'offers',
  'ahead',
];
/** Frequent words are kept as they are in the skeleton of a clause; all others are one. */
const SKELETON: readonly PhraseKind[] = ['manner', 'denies', 'always', 'opener'];

/** How sure it is that a clause states something that is to hold, from 0 to 1. Deterministic; proposes, and decides nothing. */
export function statementScore(clause: string): number {
  const features = featuresOf(clause);
  let sum = 0;
  for (const feature of features) sum += model.weights.charCodeAt(feature) - ZERO;
  return 1 / (1 + Math.exp(-(model.bias + (model.scale * sum) / Math.sqrt(features.length))));
}

/** From here on about one in ten of the others is taken for a statement. */
export const LIKELY = model.likely;

/** In which clause a feature was found last, so that nothing has to be made for each. */
const foundIn = new Float64Array(BUCKETS);
let clauses = 0;

/** The hashed features of a clause, each once: words, pairs, skips, skeleton, characters, form. */
export function featuresOf(clause: string): number[] {
  const text = clause.slice(0, LONGEST);
  const found: number[] = [];
  clauses += 1;
  const add = (feature: number): void => {
    if (foundIn[feature] !== clauses) found.push(feature);
    foundIn[feature] = clauses;
  };
  for (const [kind, value] of [...wordFeatures(text), ...phraseFeatures(text), ...signFeatures(text)])
    add(hashOf(value, hashOf(kind, 0x811c9dc5)) & (BUCKETS - 1));
  const line = `^${text.toLowerCase()}$`;
  for (const size of GRAMS) for (let at = 0; at + size <= line.length; at++) add(gramAt(line, at, size));
  return found;
}

type Feature = readonly [kind: string, value: string];

function wordFeatures(text: string): Feature[] {
  const words = placedWords(text).slice(0, MOST_WORDS);
  const plain = new Set(SKELETON.flatMap((kind) => phrasesIn(kind, text).map(({ start }) => start)));
  const bones = words.map(({ word, start }) => (plain.has(start) ? word : /\d/.test(word) ? '0' : '*'));
  const wordAt = (at: number): string => words[at]?.word ?? (at < 0 ? '^' : '$');
  const boneAt = (at: number): string => bones[at] ?? (at < 0 ? '^' : '$');
  const features: Feature[] = [
    ['n', String(Math.min(MOST_COUNTED, words.length))],
    ['1', `${wordAt(0)} ${wordAt(1)}`],
  ];
  for (let at = 0; at <= words.length; at++) {
    features.push(['p', `${wordAt(at - 1)} ${wordAt(at)}`], ['b', `${boneAt(at - 1)} ${boneAt(at)} ${boneAt(at + 1)}`]);
    if (at < words.length) features.push(['w', wordAt(at)], ['s', `${wordAt(at)} ${wordAt(at + 2)}`]);
  }
  return features;
}

function phraseFeatures(text: string): Feature[] {
  return FORMS.flatMap((kind): Feature[] => {
    const places = phrasesIn(kind, text);
    if (places.length === 0) return [];
    return places.some(({ start }) => start < NEAR_THE_START)
      ? [
          ['f', kind],
          ['f', `${kind} first`],
        ]
      : [['f', kind]];
  });
}

function signFeatures(text: string): Feature[] {
  return SIGNS.flatMap(([name, pattern]): Feature[] => (pattern.test(text) ? [['f', name]] : []));
}

function gramAt(line: string, at: number, size: number): number {
  let hash = size;
  for (let offset = 0; offset < size; offset++) hash = Math.imul(hash ^ line.charCodeAt(at + offset), 0x01000193);
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
