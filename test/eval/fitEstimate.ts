// npm run eval -- fitEstimate <folder or file>…: fits the weights of `o200kWeights` anew, and prints them.
// Every argument is one kind of text (a language, a programming language, transcripts …): a kind with many texts counts
// more than one with few, but only with the square root of their number, and one that is named twice counts twice.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  characterClasses,
  classBits,
  classOfByte,
  contexts,
  RunMachine,
  type RunWeights,
} from '../../src/core/text/tokens/estimatingTokenCounter';
import type { ExactTokenCounter } from '../../src/core/text/tokens/exactTokenCounter';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';

const PIECE_CHARS = 1_500;
const MIN_PIECE_CHARS = 200;
const MAX_PIECES_PER_KIND = 1_500;
const ROUNDS = 25;
const SWEEPS = 60;
/** What a weight is without any text that tells. */
const PRIOR_AFTER = 0.6;
const PRIOR_RUN = 0.3;
/** How much that counts, against one piece of text. */
const PRIOR_STRENGTH = 2e-5;
/** Errors below this count alike; it keeps single pieces from ruling the fit. */
const SMALLEST_ERROR = 0.02;
/** However long a run of these gets, each further character costs something. */
const LEAST_LAST_WEIGHT = 0.008;
const LEAST_LAST_LETTER_WEIGHT = 0.1;

/** A piece of text: how often each weight is used in it, divided by its tokens. */
interface Sample {
  readonly kind: number;
  readonly shares: Float64Array;
}

/** The place of each weight in a row of numbers: per class `after`, then `run`. */
const places: Record<string, RunWeights> = {};
const priors: number[] = [];
const floors: number[] = [];

function layOut(): void {
  for (const { name, positions, context } of characterClasses) {
    const isLetter = context === 'wide' || context === 'lower' || context === 'upper';
    const place = (prior: number, floor: number) => {
      floors.push(floor);
      return priors.push(prior);
    };
    const after = contexts.map(() => place(PRIOR_AFTER, 0));
    const last = isLetter ? LEAST_LAST_LETTER_WEIGHT : LEAST_LAST_WEIGHT;
    const run = Array.from({ length: positions }, (_, index) => place(PRIOR_RUN, index === positions - 1 ? last : 0));
    places[name] = { after, run };
  }
}

async function textsOf(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => undefined);
  const files = entries?.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const pieces: string[] = [];
  for (const file of files ?? [place]) {
    const text = await readFile(file, 'utf8');
    for (let start = 0; start + MIN_PIECE_CHARS <= text.length; start += PIECE_CHARS) {
      pieces.push(text.slice(start, start + PIECE_CHARS));
    }
  }
  const step = Math.max(1, pieces.length / MAX_PIECES_PER_KIND);
  return Array.from({ length: Math.floor(pieces.length / step) }, (_, index) => pieces[Math.floor(index * step)] ?? '');
}

/** Walks the machine whose costs are places of weights (from 1), and counts where it comes by. */
function sampleOf(text: string, kind: number, machine: RunMachine, exact: ExactTokenCounter): Sample {
  const shares = new Float64Array(priors.length);
  const share = 1 / exact.count(text);
  let state = machine.initialState;
  for (const byte of new TextEncoder().encode(text)) {
    const entry = (state << classBits) | (classOfByte[byte] ?? 0);
    const place = (machine.cost[entry] ?? 0) - 1;
    if (place >= 0) shares[place] = (shares[place] ?? 0) + share;
    state = machine.next[entry] ?? machine.initialState;
  }
  return { kind, shares };
}

function predicted(sample: Sample, weights: readonly number[]): number {
  return weights.reduce((sum, weight, place) => sum + weight * (sample.shares[place] ?? 0), 0);
}

/** One round: weighted least squares with floors, by going over the weights one at a time. */
function solve(samples: readonly Sample[], importance: readonly number[], start: readonly number[]): number[] {
  const size = start.length;
  const matrix = Array.from({ length: size }, () => new Float64Array(size));
  const target = new Float64Array(size);
  samples.forEach(({ shares }, index) => {
    const used = [...shares.keys()].filter((place) => shares[place] !== 0);
    for (const row of used) {
      const value = (shares[row] ?? 0) * (importance[index] ?? 0);
      target[row] = (target[row] ?? 0) + value;
      const line = matrix[row];
      if (line) for (const column of used) line[column] = (line[column] ?? 0) + value * (shares[column] ?? 0);
    }
  });
  const strength = PRIOR_STRENGTH * importance.reduce((sum, value) => sum + value, 0);
  const weights = [...start];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [row, line] of matrix.entries()) {
      const sum = line.reduce((total, value, column) => total + value * (weights[column] ?? 0), 0);
      const own = (line[row] ?? 0) + strength;
      const rest = sum - (line[row] ?? 0) * (weights[row] ?? 0);
      const best = ((target[row] ?? 0) + strength * (priors[row] ?? 0) - rest) / own;
      weights[row] = Math.max(floors[row] ?? 0, best);
    }
  }
  return weights;
}

/** Least absolute relative error: least squares again and again, with what is far off counting less. */
function fit(samples: readonly Sample[]): number[] {
  const perKind = new Map<number, number>();
  for (const { kind } of samples) perKind.set(kind, (perKind.get(kind) ?? 0) + 1);
  let weights: number[] = priors.map((prior, place) => Math.max(prior, floors[place] ?? 0));
  let importance = samples.map(({ kind }) => 1 / Math.sqrt(perKind.get(kind) ?? 1));
  for (let round = 0; round < ROUNDS; round++) {
    weights = solve(samples, importance, weights);
    importance = samples.map((sample) => {
      const error = Math.max(Math.abs(predicted(sample, weights) - 1), SMALLEST_ERROR);
      return 1 / error / Math.sqrt(perKind.get(sample.kind) ?? 1);
    });
  }
  return weights;
}

function quantileText(samples: readonly Sample[], weights: readonly number[]): string {
  const errors = samples.map((sample) => Math.abs(predicted(sample, weights) - 1) * 100).sort((a, b) => a - b);
  const at = (share: number) => (errors[Math.floor(errors.length * share)] ?? 0).toFixed(1);
  return `median error ${at(0.5)} %, nine of ten within ${at(0.9)} % (${errors.length} texts)`;
}

function rows(weights: readonly number[]): string {
  const numbers = (list: readonly number[]) => list.map((place) => Number((weights[place - 1] ?? 0).toFixed(3)));
  return Object.entries(places)
    .map(([name, { after, run }]) => `  "${name}": ${JSON.stringify({ after: numbers(after), run: numbers(run) })}`)
    .join(',\n');
}

layOut();
const exact = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const machine = new RunMachine(places);
const kinds = process.argv.slice(2);
if (kinds.length === 0) throw new Error('Name the folders or files to fit to.');
const samples: Sample[] = [];
for (const [kind, place] of kinds.entries()) {
  for (const text of await textsOf(place)) samples.push(sampleOf(text, kind, machine, exact));
}
const seen = samples.filter((_, index) => index % 10 >= 3);
const unseen = samples.filter((_, index) => index % 10 < 3);
console.log(`Fitted to seven of ten texts, tested on the others: ${quantileText(unseen, fit(seen))}`);
const weights = fit(samples);
console.log(`Fitted to all: ${quantileText(samples, weights)}\n\n${rows(weights)}`);
