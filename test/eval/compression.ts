// npm run eval -- compression [--ratios 10,30] [--json] [--only real,memorycode,devmembench] [--data ../shared/data]
// Compares the local compressor with truncation, lead-k, TextRank and TF-IDF at equal budgets. Everything is deterministic.
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { SourceMessage } from '../../src/core/material/types';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';
import { dialogues, haystack, isHeldOut, realSessions, spokenMessage, type EvalSession } from './compression/corpora';
import { answerRecall, fidelityOf, heldNames, isTold, neededLater } from './compression/measures';
import { methodsWith, type Method } from './compression/methods';

/** One figure of one method; lower is better only where the measure says so. */
interface Figure {
  readonly set: string;
  readonly measure: string;
  readonly part: 'dev' | 'held-out';
  readonly ratio: number;
  readonly method: string;
  readonly value: number;
}

const { values: options } = parseArgs({
  options: {
    ratios: { type: 'string', default: '3,10,30,50' },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: 'real,memorycode,devmembench' },
    data: { type: 'string', default: '../shared/data' },
    methods: { type: 'string', default: '' },
  },
});
const data = path.resolve(options.data);
const ratios = options.ratios.split(',').map(Number);
const counter = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const wantedMethods = options.methods === '' ? undefined : new Set(options.methods.split(','));
const methods = methodsWith(counter).filter(({ name }) => wantedMethods?.has(name) !== false);

const sums = new Map<string, { figure: Omit<Figure, 'value'>; sum: number; count: number }>();

function add(figure: Omit<Figure, 'value'>, value: number, weight = 1): void {
  const key = Object.values(figure).join('|');
  const known = sums.get(key) ?? { figure, sum: 0, count: 0 };
  sums.set(key, { figure, sum: known.sum + value * weight, count: known.count + weight });
}

function tokensOf(messages: readonly SourceMessage[]): number {
  return messages.reduce((sum, message) => sum + message.tokens, 0);
}

function targetOf(messages: readonly SourceMessage[], ratio: number): number {
  return Math.max(1, Math.round(tokensOf(messages) / ratio));
}

function partOf(name: string): 'dev' | 'held-out' {
  return isHeldOut(name) ? 'held-out' : 'dev';
}

async function eachVersion(
  sessions: readonly EvalSession[],
  judge: (session: EvalSession, base: Omit<Figure, 'value' | 'measure' | 'set'>, method: Method) => Promise<void>,
): Promise<void> {
  for (const session of sessions) {
    for (const ratio of ratios) {
      for (const method of methods)
        await judge(session, { part: partOf(session.name), ratio, method: method.name }, method);
    }
  }
}

async function evaluateReal(): Promise<void> {
  const sessions = await realSessions(path.join(data, 'claude-home'), counter);
  await eachVersion(sessions, async ({ messages }, base, method) => {
    const set = 'real';
    const target = targetOf(messages, base.ratio);
    const version = await method.compress(messages, target);
    const fidelity = fidelityOf(messages, version);
    for (const measure of [
      'score',
      'instructions',
      'decisions',
      'paths',
      'commands',
      'errors',
      'identifiers',
    ] as const) {
      add({ ...base, set, measure: measure === 'score' ? 'fidelity' : `· ${measure}` }, fidelity[measure]);
    }
    const { first, needed } = neededLater(messages);
    if (needed.size > 0) {
      const early = await method.compress(first, targetOf(first, base.ratio));
      add({ ...base, set, measure: 'names needed later' }, heldNames(needed, early));
    }
    add({ ...base, set, measure: 'tokens / target' }, counter.count(version) / target);
  });
}

async function evaluateDialogues(): Promise<void> {
  const all = await dialogues(path.join(data, 'memorycode'), counter);
  await eachVersion(all, async ({ name, messages }, base, method) => {
    const set = 'memorycode';
    const { valid, outdated } = all.find((dialogue) => dialogue.name === name) ?? { valid: [], outdated: [] };
    const version = await method.compress(messages, targetOf(messages, base.ratio));
    for (const [rules, measure, isValid] of [
      [valid, 'valid rules kept', 1],
      [outdated, 'outdated rules kept ↓', 0],
    ] as const) {
      for (const rule of rules) {
        const isKept = isTold(rule, version);
        add({ ...base, set, measure }, isKept ? 1 : 0);
        if (isKept) add({ ...base, set, measure: 'kept rules that are valid' }, isValid);
      }
    }
  });
}

/** Each session by itself, and all of them as one long one. */
async function evaluateHaystack(): Promise<void> {
  const { sessions, questions } = await haystack(path.join(data, 'devmembench'), counter);
  const original = new Map(sessions.map(({ name, messages }) => [name, textOf(messages)]));
  const long = sessions
    .flatMap(({ messages }) => messages)
    .map(({ role, texts }, index) => spokenMessage(index, role, texts[0]?.text ?? '', counter));
  for (const ratio of ratios) {
    for (const method of methods) {
      const versions = new Map<string, string>();
      for (const { name, messages } of sessions)
        versions.set(name, await method.compress(messages, targetOf(messages, ratio)));
      const whole = await method.compress(long, targetOf(long, ratio));
      for (const { id, answer, sessions: names } of questions) {
        const base = { set: 'devmembench', part: partOf(id), ratio, method: method.name };
        const source = names.map((name) => original.get(name) ?? '').join('\n');
        const each = answerRecall(answer, source, names.map((name) => versions.get(name) ?? '').join('\n'));
        const inOne = answerRecall(answer, source, whole);
        if (each === undefined || inOne === undefined) continue;
        add({ ...base, measure: 'answer words' }, each);
        add({ ...base, measure: 'answers (≥ 80 % of words)' }, each >= 0.8 ? 1 : 0);
        add({ ...base, measure: 'answer words, one session' }, inOne);
      }
    }
  }
}

function textOf(messages: readonly SourceMessage[]): string {
  return messages.flatMap(({ texts }) => texts.map(({ text }) => text)).join('\n');
}

function figures(): Figure[] {
  return [...sums.values()].map(({ figure, sum, count }) => ({ ...figure, value: sum / count }));
}

function printTables(all: readonly Figure[]): void {
  const names = methods.map(({ name }) => name);
  for (const set of new Set(all.map((figure) => figure.set))) {
    console.log(`\n${set}`.padEnd(42) + names.map((name) => name.padStart(9)).join(''));
    const own = all.filter((figure) => figure.set === set);
    for (const measure of new Set(own.map((figure) => figure.measure))) {
      for (const ratio of ratios) {
        for (const part of ['dev', 'held-out'] as const) {
          const row = names.map(
            (method) =>
              own.find(
                (one) => one.measure === measure && one.ratio === ratio && one.part === part && one.method === method,
              )?.value,
          );
          const label = `  ${measure.padEnd(26)}${`${ratio}:1`.padStart(5)} ${part}`;
          console.log(
            label.padEnd(42) + row.map((value) => (value === undefined ? '–' : value.toFixed(3)).padStart(9)).join(''),
          );
        }
      }
    }
  }
}

const parts = { real: evaluateReal, memorycode: evaluateDialogues, devmembench: evaluateHaystack };
for (const [name, evaluate] of Object.entries(parts)) if (options.only.split(',').includes(name)) await evaluate();
if (options.json) console.log(JSON.stringify(figures(), undefined, 2));
else printTables(figures());
