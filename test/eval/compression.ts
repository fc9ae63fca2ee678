// npm run eval -- compression [--ratios 5,10,30] [--json] [--only real,gold,memorycode,devmembench] [--methods keepit] [--data ../shared/data]
// Compares the local compressor with truncation, lead-k, TextRank and TF-IDF at equal budgets, and what fidelity says with what is there.
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { SourceMessage } from '../../src/core/material/types';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';
import {
  dialogues,
  haystack,
  isHeldOut,
  labelledSessions,
  realSessions,
  type Dialogue,
  type EvalSession,
} from './compression/corpora';
import { artifactsOf, fidelityOf, heldNames, isTold, neededLater, rankCorrelation } from './compression/measures';
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
type FigureKey = Omit<Figure, 'value'>;

const { values: options } = parseArgs({
  options: {
    ratios: { type: 'string', default: '5,10,30' },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: 'real,gold,memorycode,devmembench' },
    data: { type: 'string', default: '../shared/data' },
    methods: { type: 'string', default: '' },
  },
});
const data = path.resolve(options.data);
const ratios = options.ratios.split(',').map(Number);
const counter = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const wantedMethods = options.methods === '' ? undefined : new Set(options.methods.split(','));
const methods = methodsWith(counter).filter(({ name }) => wantedMethods?.has(name) !== false);

const sums = new Map<string, { figure: FigureKey; sum: number; count: number }>();
/** The share of one or two items is none. */
const FEWEST_WANTED = 5;
/** Of each version with so much wanted: what fidelity says of it, and the share of what is wanted that it holds. */
const judged: { set: string; ratio: number; name: string; said: number; held: number }[] = [];
const risen: string[] = [];

function add(figure: FigureKey, value: number): void {
  const key = Object.values(figure).join('|');
  const known = sums.get(key) ?? { figure, sum: 0, count: 0 };
  sums.set(key, { figure, sum: known.sum + value, count: known.count + 1 });
}

function targetOf(messages: readonly SourceMessage[], ratio: number): number {
  return Math.max(1, Math.round(messages.reduce((sum, { tokens }) => sum + tokens, 0) / ratio));
}

type Base = Omit<FigureKey, 'measure'>;
type Judge<Session> = (session: Session, version: string, base: Base, method: Method) => void | Promise<void>;

async function eachVersion<Session extends EvalSession>(
  set: string,
  sessions: readonly Session[],
  judge: Judge<Session> = () => undefined,
): Promise<void> {
  for (const session of sessions) {
    for (const method of methods) {
      let before = Infinity;
      for (const ratio of ratios) {
        const base: Base = { set, part: isHeldOut(session.name) ? 'held-out' : 'dev', ratio, method: method.name };
        const target = targetOf(session.messages, ratio);
        const version = await method.compress(session.messages, target);
        const { score } = fidelityOf(session.messages, version);
        add({ ...base, measure: 'tokens / target' }, counter.count(version) / target);
        add({ ...base, measure: 'fidelity' }, score);
        judgeWanted(session, version, base, score);
        judgeArtifacts(session, version, base);
        if (method.name === 'keepit' && score > before) risen.push(`${set} ${session.name} ${ratio}:1`);
        before = score;
        await judge(session, version, base, method);
      }
    }
  }
}

function judgeWanted({ name, wanted }: EvalSession, version: string, base: Base, said: number): void {
  let held = 0;
  for (const { role, ...item } of wanted) {
    const isHeld = item.isHeldBy(version) ? 1 : 0;
    held += isHeld;
    add({ ...base, measure: 'wanted' }, isHeld);
    if (role !== undefined) add({ ...base, measure: `· of the ${role}` }, isHeld);
  }
  if (wanted.length < FEWEST_WANTED || base.method !== 'keepit') return;
  judged.push({ set: base.set, ratio: base.ratio, name, said, held: held / wanted.length });
}

function judgeArtifacts({ messages }: EvalSession, version: string, base: Base): void {
  const artifacts = artifactsOf(messages);
  if (artifacts.size > 0) add({ ...base, measure: 'artifacts' }, heldNames(artifacts, version));
}

const judgeLater: Judge<EvalSession> = async ({ messages }, _version, base, method) => {
  const { first, needed } = neededLater(messages);
  if (needed.size === 0) return;
  const early = await method.compress(first, targetOf(first, base.ratio));
  add({ ...base, measure: 'names needed later' }, heldNames(needed, early));
};

const judgeOutdated: Judge<Dialogue> = ({ outdated }, version, base) => {
  for (const rule of outdated) add({ ...base, measure: 'outdated rules kept ↓' }, isTold(rule, version) ? 1 : 0);
};

function figures(): Figure[] {
  return [...sums.values()].map(({ figure, sum, count }) => ({ ...figure, value: sum / count }));
}

function printTables(all: readonly Figure[]): void {
  const names = methods.map(({ name }) => name);
  for (const set of new Set(all.map((figure) => figure.set))) {
    console.log(`\n${set}`.padEnd(42) + names.map((name) => name.padStart(9)).join(''));
    const own = all.filter((figure) => figure.set === set);
    for (const measure of new Set(own.map((figure) => figure.measure))) {
      const lines = ratios.flatMap((ratio) => (['dev', 'held-out'] as const).map((part) => ({ ratio, part })));
      for (const { ratio, part } of lines) {
        const rows = own.filter((one) => one.measure === measure && one.ratio === ratio && one.part === part);
        if (rows.length > 0) printRow(`  ${measure.padEnd(26)}${`${ratio}:1`.padStart(5)} ${part}`, rows);
      }
    }
  }
}

function printRow(label: string, rows: readonly Figure[]): void {
  const values = methods.map(({ name }) => rows.find(({ method }) => method === name)?.value);
  const cells = values.map((value) => (value === undefined ? '–' : value.toFixed(3)).padStart(9));
  console.log(label.padEnd(42) + cells.join(''));
}

/** What fidelity says beside what is there: by set and ratio, and over all. */
function printFidelity(): void {
  if (judged.length === 0) return;
  console.log('\nfidelity of versions and what is wanted that they hold');
  const line = (label: string, some: typeof judged): void => {
    if (some.length === 0) return;
    const mean = (of: (one: (typeof judged)[number]) => number): string =>
      (some.reduce((sum, one) => sum + of(one), 0) / some.length).toFixed(3);
    const [said, held, apart] = [
      mean((one) => one.said),
      mean((one) => one.held),
      mean((one) => Math.abs(one.said - one.held)),
    ];
    const order = rankCorrelation(some.map((one) => [one.said, one.held] as const)).toFixed(2);
    const count = String(some.length).padStart(3);
    console.log(`  ${label.padEnd(22)} ${count} versions  says ${said}  holds ${held}  apart ${apart}  order ${order}`);
  };
  for (const set of new Set(judged.map((one) => one.set)))
    for (const ratio of ratios)
      line(
        `${set} ${ratio}:1`,
        judged.filter((one) => one.set === set && one.ratio === ratio),
      );
  line('all', judged);
  console.log(`  rises with the ratio: ${risen.length} times${risen.map((one) => `\n    ${one}`).join('')}`);
}

const sets: Readonly<Record<string, () => Promise<void>>> = {
  real: async () => eachVersion('real', await realSessions(path.join(data, 'claude-home'), counter), judgeLater),
  gold: async () => eachVersion('gold', await labelledSessions(data, counter)),
  memorycode: async () =>
    eachVersion('memorycode', await dialogues(path.join(data, 'memorycode'), counter), judgeOutdated),
  devmembench: async () => eachVersion('devmembench', await haystack(path.join(data, 'devmembench'), counter)),
};
for (const [name, evaluate] of Object.entries(sets)) if (options.only.split(',').includes(name)) await evaluate();
if (options.json) console.log(JSON.stringify({ figures: figures(), judged, risen }, undefined, 2));
else {
  printTables(figures());
  printFidelity();
}
