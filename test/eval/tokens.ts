// npm run eval -- tokens [<folder with projects>]: how well token counts agree with js-tiktoken's and with Claude's own.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  calibrate,
  defaultCalibration,
  medianErrorPctOf,
  type UsagePair,
  UsagePairCollector,
} from '../../src/core/text/tokens/calibration';
import { EstimatingTokenCounter } from '../../src/core/text/tokens/estimatingTokenCounter';
import { ExactEstimator, type TokenEstimator } from '../../src/core/text/tokens/tokenCounter';
import type { ExactTokenCounter } from '../../src/core/text/tokens/exactTokenCounter';
import { TranscriptReader } from '../../src/core/transcript/transcriptReader';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';

/** Texts that are long enough for an error in percent to mean something. */
const MIN_TEXT_CHARS = 200;

interface Counter {
  readonly name: string;
  readonly estimator: TokenEstimator;
}

/** A pair with what it must not be judged by: the project that it comes from. */
interface ProjectPair extends UsagePair {
  readonly project: string;
}

/** Any way of counting, made to read transcripts as the exact counter does. */
function counterOf(name: string, count: (text: string) => number): Counter {
  return { name, estimator: new ExactEstimator({ id: 'o200k_base', count }) };
}

async function transcriptsBelow(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.jsonl')).sort();
}

/** The pairs of a transcript: of its main thread, or of the sub-agent that it belongs to. */
function pairsOf(content: Uint8Array, estimator: TokenEstimator): UsagePair[] {
  const collectors = [new UsagePairCollector(false), new UsagePairCollector(true)];
  const reader = new TranscriptReader({
    estimator,
    detail: 'counts',
    onEntry: (entry) => collectors.forEach((collector) => collector.add(entry)),
  });
  reader.feed(content);
  reader.stats();
  return collectors.flatMap(({ pairs }) => pairs);
}

async function collect(folder: string, { estimator }: Counter): Promise<ProjectPair[]> {
  const all: ProjectPair[] = [];
  for (const file of await transcriptsBelow(folder)) {
    const [project = ''] = file.split(path.sep);
    const pairs = pairsOf(await readFile(path.join(folder, file)), estimator);
    all.push(...pairs.map((pair) => ({ ...pair, project })));
  }
  return all;
}

/** Models whose defaults are the same count as one, as pairs of a single model are few. */
function generationOf(pair: UsagePair): string {
  return `default ratio ${defaultCalibration(pair.model).ratio}`;
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Fits to all other projects, predicts the pairs of one, for each project in turn. */
function heldOutError(pairs: readonly ProjectPair[]): string {
  const projects = [...new Set(pairs.map(({ project }) => project))];
  if (projects.length < 2) return 'not known, as there is one project only';
  const predicted = projects.flatMap((project) => {
    const others = pairs.filter((pair) => pair.project !== project).map((pair) => ({ ...pair, model: 'any' }));
    const ratio = calibrate(others)[0]?.ratio ?? 1;
    return pairs.filter((pair) => pair.project === project).map((pair) => ({ ...pair, counted: pair.counted * ratio }));
  });
  return `${percent(medianErrorPctOf(1, predicted))} (${projects.length} projects)`;
}

function reportCalibration(name: string, pairs: readonly ProjectPair[]): void {
  for (const generation of [...new Set(pairs.map(generationOf))]) {
    const own = pairs.filter((pair) => generationOf(pair) === generation);
    const [fit] = calibrate(own.map((pair) => ({ ...pair, model: 'any' })));
    const bias = medianOf(own.map(({ counted, claudeTokens }) => (counted / claudeTokens - 1) * 100));
    const shipped = medianErrorPctOf(defaultCalibration(own[0]?.model ?? '').ratio, own);
    console.log(
      `  ${name.padEnd(12)} ${generation}: ${own.length} pairs, fitted ratio ${(fit?.ratio ?? 1).toFixed(3)}, ` +
        `median error ${percent(fit?.medianErrorPct ?? 0)}, on projects not fitted to ${heldOutError(own)}, ` +
        `with the default ${percent(shipped)}, uncalibrated ${percent(bias)}`,
    );
  }
}

/** How far the estimate is from the exact count, text by text. */
async function reportAgreement(folder: string, exact: ExactTokenCounter): Promise<void> {
  const estimate = new EstimatingTokenCounter();
  const errors: number[] = [];
  let [estimated, counted] = [0, 0];
  const compare = (text: string): number => {
    if (text.length < MIN_TEXT_CHARS) return 0;
    const [guess, truth] = [estimate.count(text), exact.count(text)];
    errors.push((Math.abs(guess - truth) / truth) * 100);
    estimated += guess;
    counted += truth;
    return truth;
  };
  await collect(folder, counterOf('both', compare));
  errors.sort((a, b) => a - b);
  const ninth = errors[Math.floor(errors.length * 0.9)] ?? 0;
  console.log(
    `Estimate against exact o200k_base: ${errors.length} texts, median error ${percent(medianOf(errors))}, ` +
      `nine of ten within ${percent(ninth)}, in total ${percent((estimated / counted - 1) * 100)}`,
  );
}

const folder = path.resolve(process.argv[2] ?? '../shared/data/claude-home/projects');
const exact = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const estimate = new EstimatingTokenCounter();
const counters: Counter[] = [
  { name: 'o200k_base', estimator: new ExactEstimator(exact) },
  { name: 'estimate', estimator: estimate },
  counterOf('chars/4', (text) => text.length / 4),
];
console.log(`Transcripts: ${folder}\n`);
await reportAgreement(folder, exact);
console.log('\nAgainst the usage that the API reported:');
for (const counter of counters) reportCalibration(counter.name, await collect(folder, counter));
