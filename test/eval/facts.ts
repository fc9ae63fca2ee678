// npm run eval -- facts [--json] [--show missed|outdated|extra] [--data ../shared/data]
// Measures the facts that are found: which rules hold at the end of a dialogue, and which statements of real sessions are facts.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import type { SourceMessage } from '../../src/core/material/types';
import { FactBook } from '../../src/core/knowledge/facts/factBook';
import { emptyFacts } from '../../src/core/knowledge/documents';
import { factViews, type FactView } from '../../src/core/knowledge/facts/factViews';
import { rulesIn } from '../../src/core/knowledge/facts/ruleFinder';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';
import { dialogues, isHeldOut } from './compression/corpora';
import { wordsOf } from '../../src/core/text/words';
import { isTold } from './compression/measures';
import { judgeLabels } from './labels/judgeLabels';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    show: { type: 'string', default: '' },
    data: { type: 'string', default: '../shared/data' },
  },
});
const counter = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const START_MS = Date.UTC(2026, 0, 5, 9);

type Part = 'dev' | 'held-out';
const tallies = new Map<string, { hits: number; all: number }>();

function count(part: Part, measure: string, isHit: boolean): void {
  const key = `${measure}|${part}`;
  const tally = tallies.get(key) ?? { hits: 0, all: 0 };
  tally.all += 1;
  if (isHit) tally.hits += 1;
  tallies.set(key, tally);
}

function show(what: string, part: Part, text: string): void {
  if (options.show === what && part === 'dev') console.error(`${what}: ${text}`);
}

/** All rules that were found, those that are presented as valid after all that was said and those that were replaced. */
function rulesOf(messages: readonly SourceMessage[]): FactView[] {
  const book = new FactBook(emptyFacts());
  for (const message of messages) {
    const timestamp = new Date(START_MS + message.index * 60_000).toISOString();
    const origin = { sessionId: 'dialogue', nowIso: timestamp };
    for (const rule of rulesIn({ ...message, timestamp })) book.addRule(rule, origin);
  }
  return factViews({ ...emptyFacts(), ...book.permanent() }, { kind: 'rules', all: true });
}

/** Words that tell a rule apart from what took its place, or was replaced by it: `use Slack for communication`. */
function tellsApart(rule: string, others: readonly string[]): string[] {
  const stems = (text: string): string[] => wordsOf(text).map(({ stem }) => stem);
  const own = stems(rule);
  const relatives = others.filter((other) => other !== rule && shared(own, stems(other)) >= 0.5);
  const foreign = new Set(relatives.flatMap(stems));
  const named = wordsOf(rule).filter(
    ({ weight, stem }) => weight > 0 && !/^(?:always|never|¬|main|prefer)$/.test(stem),
  );
  return relatives.length === 0 ? [] : named.map(({ stem }) => stem).filter((stem) => !foreign.has(stem));
}

function shared(one: readonly string[], other: readonly string[]): number {
  return one.filter((stem) => other.includes(stem)).length / Math.max(1, Math.min(one.length, other.length));
}

/** `Stop using X` forbids as `never use X` does. */
const FORBIDS = /\b(?:refrain from|stop|cease|quit|steer clear of|no need (?:to|for))\b/gi;

/** As `isTold`, where the words that tell the rule apart are there too: another value is another rule. */
function tells(said: string, rule: string, others: readonly string[]): boolean {
  const content = said.replace(FORBIDS, 'not');
  const there = new Set(wordsOf(content).map(({ stem }) => stem));
  return isTold(rule, content) && tellsApart(rule, others).every((stem) => there.has(stem));
}

const topicsSchema = z.object({ instructions: z.array(z.object({ text: z.array(z.string()) })) });
const topics: unknown = JSON.parse(await readFile(path.resolve(options.data, 'memorycode', 'topics.json'), 'utf8'));
/** Conventions of code, whose following can be checked in code; the other rules are about how people work. */
const conventions = new Set(topicsSchema.parse(topics).instructions.flatMap(({ text }) => text));
const kindOf = (rule: string): string => (conventions.has(rule) ? 'code' : 'habits');

for (const { name, messages, valid, outdated } of await dialogues(path.resolve(options.data, 'memorycode'), counter)) {
  const part: Part = isHeldOut(name) ? 'held-out' : 'dev';
  const all = [...valid, ...outdated];
  const found = rulesOf(messages);
  const facts = found.filter(({ state }) => state === 'valid');
  for (const rule of valid) {
    const isFound = facts.some(({ content }) => tells(content, rule, all));
    count(part, `recall: valid rules that are presented, ${kindOf(rule)}`, isFound);
    const replaced = isFound ? undefined : found.find(({ content }) => tells(content, rule, all));
    const by = found.find(({ id }) => id === replaced?.supersededBy)?.content ?? 'not found';
    if (!isFound) show('missed', part, `${name} ${rule} | ${replaced?.content ?? ''} | ${by}`);
  }
  for (const rule of outdated) {
    const fact = facts.find(({ content }) => tells(content, rule, all));
    count(part, `outdated rules presented as valid, ${kindOf(rule)} ↓`, fact !== undefined);
    if (fact !== undefined) show('outdated', part, `${name} ${rule} | ${fact.content}`);
  }
  for (const { content } of facts) {
    const isRule = valid.some((rule) => tells(content, rule, all));
    count(part, 'precision: presented rules that are valid ones', isRule);
    if (!isRule) show('extra', part, `${name} ${content}`);
  }
}

const labels = await judgeLabels(path.resolve('test/eval/labels/statements.json'));
for (const { measure, part, isHit, text } of labels) {
  count(part, measure, isHit);
  if (!isHit) show('labels', part, `${measure}: ${text}`);
}

const figures = [...tallies].map(([key, { hits, all }]) => {
  const [measure = '', part = ''] = key.split('|');
  return { measure, part, hits, all, share: hits / all };
});
if (options.json) console.log(JSON.stringify(figures, undefined, 2));
else {
  for (const { measure, part, hits, all, share } of figures) {
    console.log(
      `${measure.padEnd(58)} ${part.padEnd(9)} ${(share * 100).toFixed(1).padStart(5)} %  (${hits} of ${all})`,
    );
  }
}
