import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tiktoken } from 'js-tiktoken/lite';
import { EstimatingTokenCounter } from '../../../src/core/text/tokens/estimatingTokenCounter';
import type { ExactTokenCounter } from '../../../src/core/text/tokens/exactTokenCounter';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';
import { NodeTokenCounters } from '../../../src/node/tokens/nodeTokenCounters';
import { CaseSkipped, type BenchCase, type Metrics } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';

const CORPUS_CHARS = 3_000_000;
const CHARS_PER_FILE = 60_000;
const ESTIMATED_CHARS = 15_000_000;
/** What ten times 10,000 characters may cost less than 100,000 in a row: n log n, and some noise. */
const LINEAR = 1.6;

/** The file that the build puts beside the bundles. */
function ranksFile(): string {
  return path.join(benchEnvironment().root, 'dist', 'o200k_base.bin');
}

function exactCounter(): Promise<ExactTokenCounter> {
  return new NodeTokenCounters(ranksFile()).exact();
}

/** Real transcripts where they are at hand, and source, declarations and prose out of the packages that are installed. */
async function corpusOf(chars: number): Promise<string> {
  const { root } = benchEnvironment();
  const parts: string[] = [];
  for (const [folder, ending] of [
    ['../shared/data/claude-home/projects', '.jsonl'],
    ['node_modules/zod', '.ts'],
    ['node_modules/typescript/lib', '.d.ts'],
    ['node_modules/fast-check', '.md'],
    ['node_modules/eslint/lib', '.js'],
    ['node_modules/playwright-core', '.json'],
  ] as const) {
    const place = path.join(root, folder);
    if (!existsSync(place)) continue;
    const files = (await readdir(place, { recursive: true })).filter((file) => file.endsWith(ending)).sort();
    for (const file of files.slice(0, 25)) {
      parts.push((await readFile(path.join(place, file), 'utf8')).slice(0, CHARS_PER_FILE));
    }
  }
  const text = parts.join('\n');
  if (text.length === 0) throw new CaseSkipped('there is no text to count');
  return text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
}

/** A real import at run time, as the cost of loading is a part of what is compared. */
async function naiveCounter(): Promise<Tiktoken> {
  const { default: ranks } = await import('js-tiktoken/ranks/o200k_base');
  return new Tiktoken(ranks);
}

function speed(chars: number, run: () => number): Metrics {
  const started = performance.now();
  const tokens = run();
  return { charsPerMs: chars / (performance.now() - started), tokens };
}

async function mixedCorpusCase(): Promise<BenchCase> {
  let text = '';
  let exact: ExactTokenCounter;
  let naive: Tiktoken;
  return {
    name: 'tokens: exact count of a mixed corpus',
    baseline: {
      name: 'js-tiktoken, encode().length',
      run: () => speed(text.length, () => naive.encode(text, [], []).length),
    },
    subject: { name: 'ExactTokenCounter', run: () => speed(text.length, () => exact.count(text)) },
    aim: { ratio: 0.1, direction: 'atMost' },
    repeats: 5,
    setup: async () => {
      [text, exact, naive] = [await corpusOf(CORPUS_CHARS), await exactCounter(), await naiveCounter()];
      const [expected, actual] = [naive.encode(text, [], []).length, exact.count(text)];
      if (expected !== actual) throw new Error(`${actual} tokens instead of ${expected}`);
    },
  };
}

/** Ten runs of a character against one that is ten times as long. */
function longRunCase(what: string, unit: (index: number) => string): BenchCase {
  const run = (length: number) => Array.from({ length }, (_, index) => unit(index)).join('');
  const [short, long] = [run(10_000), run(100_000)];
  let exact: ExactTokenCounter;
  return {
    name: `tokens: 100,000 ${what} in a row`,
    baseline: {
      name: 'ten times 10,000',
      run: () => {
        for (let times = 0; times < 10; times++) exact.count(short);
        return undefined;
      },
    },
    subject: { name: 'at once', run: () => ({ tokens: exact.count(long) }) },
    aim: { ratio: LINEAR, direction: 'atMost' },
    limits: { timeMs: 250 },
    repeats: 7,
    setup: async () => {
      exact = await exactCounter();
    },
  };
}

async function worstCase(): Promise<BenchCase> {
  const text = 'a'.repeat(2_000);
  const [exact, naive] = [await exactCounter(), await naiveCounter()];
  return {
    name: 'tokens: 2,000 letters "a"',
    baseline: { name: 'js-tiktoken', run: () => ({ tokens: naive.encode(text, [], []).length }) },
    subject: { name: 'ExactTokenCounter', run: () => ({ tokens: exact.count(text) }) },
    aim: { ratio: 0.02, direction: 'atMost' },
    repeats: 3,
  };
}

function startCase(): BenchCase {
  return {
    name: 'tokens: from nothing to the first exact count',
    baseline: { name: 'js-tiktoken', run: () => inFreshProcess(import.meta.url, 'startNaive', null) },
    subject: {
      name: 'NodeTokenCounters',
      run: () => inFreshProcess(import.meta.url, 'startExact', ranksFile()),
    },
    aim: { ratio: 0.1, direction: 'atMost' },
    limits: { timeMs: 100 },
    repeats: 5,
  };
}

async function estimateCase(): Promise<BenchCase> {
  let text = '';
  const estimate: TokenCounter = new EstimatingTokenCounter();
  return {
    name: 'tokens: estimate of 15 MB',
    subject: {
      name: 'EstimatingTokenCounter',
      run: () => speed(text.length, () => estimate.count(text)),
    },
    limits: { timeMs: 100 },
    repeats: 7,
    setup: async () => {
      text = await corpusOf(ESTIMATED_CHARS);
    },
  };
}

/** What runs in a process of its own. */
export const probes = {
  startNaive: async () => ({ tokens: (await naiveCounter()).encode('hello world').length }),
  startExact: async (file: string) => ({ tokens: (await new NodeTokenCounters(file).exact()).count('hello world') }),
};

/** Counting tokens: speed, bad cases, start-up. */
export const cases = async (): Promise<BenchCase[]> => [
  await mixedCorpusCase(),
  longRunCase('letters "a"', () => 'a'),
  longRunCase('Chinese characters', (index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))),
  await worstCase(),
  startCase(),
  await estimateCase(),
];
