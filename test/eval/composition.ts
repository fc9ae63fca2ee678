// npm run eval -- composition [--budgets 3000,8000,16000] [--only gold,devmembench] [--show NAME --budget N [--purpose TEXT]] [--missed] [--json] [--data ../shared/data]
// Measures what contexts hold of many sessions, without a purpose and with one, beside simple ways of the same budget.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { CompositionStrategy } from '../../src/core/model/composition';
import { MaterialReader } from '../../src/core/sessions/sessionMaterial';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';
import { CompositionWorld, PROJECT } from '../unit/core/compositions/compositionWorld';
import { FakeExcerpts } from '../unit/support/fakeExcerpts';
import { contextMethods, queryAware, type ReadSession } from './composition/compositionMethods';
import {
  devSet,
  goldSets,
  meetingSets,
  sampleSets,
  type CompositionSet,
  type Wanted,
} from './composition/compositionSets';
import { fidelityOf } from './compression/measures';

const { values: options } = parseArgs({
  options: {
    budgets: { type: 'string', default: '3000,8000,16000' },
    only: { type: 'string', default: 'gold,devmembench,memorycode,samples' },
    strategies: { type: 'string', default: 'best' },
    show: { type: 'string' },
    purpose: { type: 'string' },
    missed: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    data: { type: 'string', default: '../shared/data' },
  },
});
const counter = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const budgets = options.budgets.split(',').map(Number);
const methods = contextMethods(counter);

/** A set in memory, as the product reads it and as the simple ways do. */
interface OpenSet {
  readonly set: CompositionSet;
  readonly world: CompositionWorld;
  readonly read: readonly ReadSession[];
}

async function opened(set: CompositionSet): Promise<OpenSet> {
  const world = new CompositionWorld();
  const read: ReadSession[] = [];
  for (const [at, { id, title, transcript }] of set.sessions.entries()) {
    const file = `/eval/${id}.jsonl`;
    world.claude.write(file, transcript);
    const reader = new MaterialReader({
      claude: world.claude,
      openExcerpts: (name) => new FakeExcerpts(world.claude, name),
    });
    const { messages, title: own } = await reader.read(file, counter);
    const originalTokens = messages.reduce((sum, { tokens }) => sum + tokens, 0);
    read.push({ title: title || own, messages });
    world.add({ id, day: at + 1, title: title || own, transcript, originalTokens, originalMessages: messages.length });
  }
  return { set, world, read };
}

async function composed(
  { world }: OpenSet,
  totalTokenBudget: number,
  more: { strategy?: CompositionStrategy; purpose?: string } = {},
): Promise<string> {
  const request = world.request({ totalTokenBudget, outputFormat: 'markdown', makesMissing: true, ...more });
  const { markdown = '' } = await world.services.saved.previewTexts(PROJECT, request);
  const tokens = counter.count(markdown);
  if (tokens > totalTokenBudget) throw new Error(`${tokens} of ${totalTokenBudget} tokens`);
  return markdown;
}

const sums = new Map<string, { sum: number; count: number }>();

function add(place: readonly [measure: string, corpus: string, budget: number, method: string], value: number): void {
  const key = place.join('|');
  const known = sums.get(key) ?? { sum: 0, count: 0 };
  sums.set(key, { sum: known.sum + value, count: known.count + 1 });
}

async function judgeHeld(open: OpenSet): Promise<void> {
  const { corpus, name } = open.set;
  const measured = open.read.map(({ title, messages }): Wanted => ({
    id: title,
    held: (context) => fidelityOf(messages, context).score,
  }));
  const wanted = corpus === 'samples' ? measured : open.set.wanted;
  const contexts = async (budget: number): Promise<[string, string][]> => [
    ...(await Promise.all(
      (options.strategies.split(',') as CompositionStrategy[]).map(async (strategy): Promise<[string, string]> => [
        `keepit ${strategy}`,
        await composed(open, budget, { strategy }),
      ]),
    )),
    ...(await Promise.all(
      Object.entries(options.fast ? {} : methods).map(async ([method, make]): Promise<[string, string]> => [
        method,
        await make(open.read, budget),
      ]),
    )),
  ];
  for (const budget of budgets) {
    for (const [method, context] of await contexts(budget)) {
      for (const { id, held } of wanted) {
        const value = held(context);
        add(['held', corpus, budget, method], value);
        if (options.missed && value < 0.5) console.error(`${name} ${budget} ${method}: ${id}`);
      }
    }
  }
}

const WORDS = /[\p{L}\p{N}]+/gu;
const SHINGLE = 4;
/** A message is in a context with half of its words, or with so many of a long one. */
const ENOUGH_WORDS = 60;

function shinglesOf(text: string): string[] {
  const words = [...text.toLowerCase().matchAll(WORDS)].map(([word]) => word);
  if (words.length < SHINGLE) return [words.join(' ')];
  return words.slice(0, words.length - SHINGLE + 1).map((_, at) => words.slice(at, at + SHINGLE).join(' '));
}

function holds(context: ReadonlySet<string>, text: string): boolean {
  const all = shinglesOf(text);
  return all.filter((shingle) => context.has(shingle)).length >= Math.min(all.length / 2, ENOUGH_WORDS);
}

async function judgePurposes(open: OpenSet): Promise<void> {
  const { corpus, questions } = open.set;
  for (const { question, places, id } of questions) {
    if (places.length === 0) continue;
    for (const budget of budgets) {
      const contexts = {
        'keepit --purpose': await composed(open, budget, { purpose: question }),
        'query-aware BM25': queryAware(question, open.read, budget, counter),
      };
      for (const [method, context] of Object.entries(contexts)) {
        const words = new Set(shinglesOf(context));
        // One- to three-word messages are looked for as words.
        const text = ` ${[...context.toLowerCase().matchAll(WORDS)].map(([word]) => word).join(' ')} `;
        const isIn = (one: string): boolean =>
          holds(words, one) || (shinglesOf(one).length === 1 && text.includes(` ${shinglesOf(one)[0] ?? ''} `));
        const isHit = places.every((place) => place.some(isIn));
        add(['hits', corpus, budget, method], isHit ? 1 : 0);
        if (options.missed && !isHit) console.error(`${id} ${budget} ${method}: ${question}`);
      }
    }
  }
}

if (!existsSync(options.data)) {
  console.error(`${options.data} is not there: there is nothing to compose.`);
} else {
  const sets = {
    gold: () => goldSets(options.data),
    devmembench: async () => [await devSet(path.join(options.data, 'devmembench'))],
    memorycode: () => meetingSets(path.join(options.data, 'memorycode')),
    samples: () => sampleSets(path.join(options.data, 'claude-home')),
  };
  for (const [corpus, load] of Object.entries(sets)) {
    if (!options.only.split(',').includes(corpus)) continue;
    for (const set of await load()) {
      if (options.show !== undefined && set.name !== options.show) continue;
      const open = await opened(set);
      if (options.show !== undefined) {
        const { purpose } = options;
        console.log(await composed(open, budgets[0] ?? 8000, purpose === undefined ? {} : { purpose }));
        continue;
      }
      await judgeHeld(open);
      if (!options.fast) await judgePurposes(open);
    }
  }
}

const figures = [...sums].map(([key, { sum, count }]) => {
  const [measure = '', corpus = '', budget = '', method = ''] = key.split('|');
  return { measure, corpus, budget: Number(budget), method, count, value: sum / count };
});
if (options.json) console.log(JSON.stringify(figures, undefined, 2));
else {
  const rows = [...new Set(figures.map(({ measure, corpus, method }) => [measure, corpus, method].join('|')))];
  for (const row of rows) {
    const own = figures.filter(({ measure, corpus, method }) => [measure, corpus, method].join('|') === row);
    const [measure = '', corpus = '', method = ''] = row.split('|');
    const values = budgets.map((budget) => own.find((one) => one.budget === budget)?.value ?? 0);
    const cells = values.map((value, at) => `${budgets[at] ?? 0}: ${(value * 100).toFixed(1).padStart(5)} %`);
    console.log(
      `${measure.padEnd(5)} ${corpus.padEnd(12)} (${String(own[0]?.count ?? 0).padStart(4)}) ${method.padEnd(18)} ${cells.join('   ')}`,
    );
  }
}
