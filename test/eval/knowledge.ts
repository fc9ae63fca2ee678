// npm run eval -- knowledge [--show] [--missed] [--only PROJECT] [--data ../shared/data]
// Measures on labelled sessions what is known of them, what a session would be given, and what is told of each request.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { emptyFacts } from '../../src/core/knowledge/documents';
import { FactBook } from '../../src/core/knowledge/facts/factBook';
import { factViews, type FactView } from '../../src/core/knowledge/facts/factViews';
import { statedIn } from '../../src/core/knowledge/facts/stated';
import type { Exchange } from '../../src/core/model/layers';
import { FakeMemory } from '../unit/support/fakeMemory';
import { sourceMessages } from '../unit/support/sourceMessages';
import { goldTranscripts } from './composition/compositionSets';
import { topicsSchema } from './memoryCode';

const { values: options } = parseArgs({
  options: {
    show: { type: 'boolean', default: false },
    missed: { type: 'boolean', default: false },
    only: { type: 'string' },
    data: { type: 'string', default: '../shared/data' },
  },
});

const uuids = z._default(z.array(z.string()), []);
const labelsSchema = z.object({
  project: z.string(),
  sessions: z.record(
    z.string(),
    z.object({
      remember: z.array(
        z.object({
          id: z.string(),
          kind: z.string(),
          what: z.string(),
          importance: z.number(),
          valid: z._default(z.boolean(), true),
          replacedBy: z.optional(z.string()),
          evidenceGroups: z.array(z.array(z.string())),
        }),
      ),
      noise: z.array(z.object({ uuid: z.string(), uuids, quote: z.optional(z.string()) })),
      requests: z._default(
        z.array(z.object({ uuid: z.string(), uuids, what: z.string(), outcome: z.string(), outcomeEvidence: uuids })),
        [],
      ),
    }),
  ),
});
type Labels = z.output<typeof labelsSchema>;
type Item = Labels['sessions'][string]['remember'][number];

const PROJECT = '-home-ada-app';
/** What our words for what became of a request are in the labels. */
const OUTCOMES = new Map([
  ['done', ['done', 'answered']],
  ['failed', ['partly', 'abandoned']],
  ['corrected', ['partly', 'abandoned', 'done', 'answered']],
  ['abandoned', ['abandoned', 'partly']],
]);

/** Right and counted, by what is measured. */
const shares = new Map<string, [part: number, all: number]>();

function count(measure: string, isRight: boolean): void {
  const [part, all] = shares.get(measure) ?? [0, 0];
  shares.set(measure, [part + Number(isRight), all + 1]);
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const isIn = (groups: readonly (readonly string[])[], named: readonly string[]): boolean =>
  groups.some((group) => group.some((uuid) => named.includes(uuid)));

/** What a line says, and the first of its sources. */
interface Line {
  readonly text: string;
  readonly named: readonly string[];
}

function lineOf({ content, source, sources = [] }: FactView): Line {
  const places = [source, ...sources].flatMap((one) => one?.messageUuid ?? []);
  return { text: content, named: [...new Set(places)].slice(0, 2) };
}

/** What labels say of lines: which items they make known, and whether each is right, forbidden or not spoken of. */
function judged(
  lines: readonly Line[],
  { sessions }: Labels,
): { known: Set<string>; verdicts: (boolean | undefined)[] } {
  const items = Object.values(sessions).flatMap(({ remember }) => remember);
  const noise = Object.values(sessions).flatMap((session) => session.noise);
  const known = new Set<string>();
  const verdicts = lines.map(({ text, named }) => {
    const hits = items.filter(({ evidenceGroups }) => isIn(evidenceGroups, named));
    const isNoise = noise.some(({ quote = '' }) => quote !== '' && plain(text).includes(plain(quote)));
    if (!isNoise) for (const { id } of hits.filter(({ valid }) => valid).slice(0, 2)) known.add(id);
    if (isNoise) return false;
    if (hits.some(({ valid }) => valid)) return true;
    return hits.length > 0 || noise.some((one) => isIn([[one.uuid, ...one.uuids]], named)) ? false : undefined;
  });
  return { known, verdicts };
}

function judge(measure: string, lines: readonly Line[], labels: Labels): Set<string> {
  const { known, verdicts } = judged(lines, labels);
  for (const [at, verdict] of verdicts.entries()) {
    if (verdict !== undefined) count(measure, verdict);
    const word = verdict === undefined ? 'unlabelled' : verdict ? 'right' : 'FORBIDDEN';
    if (options.show) console.log(`  ${measure}: ${word}: ${lines[at]?.text ?? ''}`);
  }
  return known;
}

async function opened(labels: Labels, transcripts: ReadonlyMap<string, string>): Promise<FakeMemory> {
  const memory = new FakeMemory();
  for (const id of Object.keys(labels.sessions)) {
    const text = await readFile(transcripts.get(id) ?? '', 'utf8');
    memory.claude.write(`${PROJECT}/${id}.jsonl`, text.replace(/"cwd":"(?:[^"\\]|\\.)*"/g, '"cwd":"/home/ada/app"'));
  }
  await memory.service.sessions.register(
    Object.keys(labels.sessions).map((sessionId) => ({ projectId: PROJECT, sessionId })),
  );
  await memory.service.layers.enable(PROJECT);
  await memory.service.layers.build(PROJECT);
  return memory;
}

async function judgeProject(labels: Labels, transcripts: ReadonlyMap<string, string>): Promise<void> {
  const { service } = await opened(labels, transcripts);
  const all = await service.layers.facts(PROJECT, { all: true, reported: true });
  const current = all.filter(({ state }) => state !== 'superseded' && state !== 'rejected');
  const of = (...trusts: readonly string[]): Line[] =>
    current.filter(({ trust }) => trusts.includes(trust)).map(lineOf);
  const proved = judge('stated and proved', of('stated', 'proved'), labels);
  const reported = judge('reported', of('reported'), labels);
  const proposed = judge('proposed', of('proposed'), labels);
  const { items: brief } = await service.hooks.brief(PROJECT);
  const told = brief.map(({ kind, text, sources }) => ({
    kind,
    text,
    named: sources.flatMap(({ messageUuid }) => messageUuid ?? []).slice(0, 2),
  }));
  const isReport = ({ kind }: { kind: string }): boolean => kind === 'state' || kind === 'index';
  const given = judge(
    'given as holding',
    told.filter((line) => !isReport(line)),
    labels,
  );
  const state = judge('given as a report', told.filter(isReport), labels);
  const items = Object.values(labels.sessions).flatMap(({ remember }) => remember);
  const known = [proved, given, state].reduce((sum, one) => new Set([...sum, ...one]));
  judgeItems(items, { ...labels }, [known, reported, proposed]);
  judgeReplaced(items, all);
  await judgeRequests(labels, service);
}

function judgeItems(items: readonly Item[], { project }: Labels, sets: readonly ReadonlySet<string>[]): void {
  const [known, reported, proposed] = sets;
  for (const { id, kind, importance, valid, what } of items) {
    if (!valid) continue;
    const isReported = known?.has(id) === true || reported?.has(id) === true;
    for (const name of [kind, `importance ${importance}`]) {
      count(`${name}: known`, isReported);
      count(`${name}: known, or proposed`, isReported || proposed?.has(id) === true);
    }
    if (options.missed && !isReported) console.log(`  missed in ${project}: ${kind} ${id}: ${what}`);
  }
}

/** Where the old and the new are known, the old one must be gone. */
function judgeReplaced(items: readonly Item[], all: readonly FactView[]): void {
  const factsOf = ({ evidenceGroups }: Item): FactView[] =>
    all.filter((fact) => fact.trust === 'stated' && isIn(evidenceGroups, lineOf(fact).named));
  for (const item of items) {
    const newer = items.find(({ id }) => id === item.replacedBy);
    if (newer === undefined) continue;
    const [before, after] = [factsOf(item), factsOf(newer)];
    if (before.length === 0 || after.length === 0 || before.some((fact) => after.includes(fact))) continue;
    count(
      'changes of mind',
      before.every(({ state }) => state === 'superseded'),
    );
  }
}

async function judgeRequests(labels: Labels, service: FakeMemory['service']): Promise<void> {
  for (const [sessionId, { requests }] of Object.entries(labels.sessions)) {
    const l2 = await service.layers.layer(PROJECT, 'l2', sessionId);
    const exchanges = l2.layer === 'l2' ? l2.sessions.flatMap((one) => one.exchanges) : [];
    for (const request of requests) {
      const exchange =
        exchanges.find(({ uuid }) => uuid === request.uuid) ??
        exchanges.find(({ uuid = '' }) => request.uuids.includes(uuid));
      judgeRequest(request, exchange);
    }
  }
}

function judgeRequest(
  { uuid, what, outcome, outcomeEvidence }: Labels['sessions'][string]['requests'][number],
  exchange: Exchange | undefined,
): void {
  const { outcome: ours = 'none', closing = '', details = '' } = exchange ?? {};
  const isRight = OUTCOMES.get(ours)?.includes(outcome) === true;
  const isNamed = isIn([outcomeEvidence], [closing]);
  count('requests: what became of them', isRight);
  count('requests: told by the right message', isNamed);
  if (options.missed && !(isRight && isNamed))
    console.log(
      `  request ${uuid.slice(0, 8)} “${what}”: ${outcome}, ours ${ours}${isNamed ? '' : `, other message (${closing.slice(0, 8)}, not ${outcomeEvidence.map((one) => one.slice(0, 8)).join(' ')})`}: ${details}`,
    );
}

/** Of two ways to do the same thing that are laid down one after the other, the earlier one must be gone. */
async function judgeTopics(): Promise<void> {
  const file = path.join(options.data, 'memorycode/topics.json');
  const { instructions } = topicsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  for (const { text } of instructions) {
    for (const [at, older] of text.entries()) for (const newer of text.slice(at + 1)) judgeChange(older, newer);
  }
}

function judgeChange(older: string, newer: string): void {
  const book = new FactBook(emptyFacts());
  for (const [minute, said] of [older, newer].entries()) {
    const timestamp = new Date(Date.UTC(2026, 0, 5, 9, minute)).toISOString();
    const rules = sourceMessages(['human', `From now on, ${said}.`, { timestamp }]).flatMap((message) =>
      statedIn({ ...message, uuid: `m${minute}` }),
    );
    for (const rule of rules) book.addRule(rule, { sessionId: 's', nowIso: timestamp });
  }
  const views = factViews({ ...emptyFacts(), ...book.permanent() }, { all: true });
  if (views.length < 2) return;
  const isGone = views.filter(({ state }) => state === 'valid').length === 1;
  count('changes of mind, as they are laid down in meetings', isGone);
  if (options.missed && !isGone) console.log(`  both hold: ${older} / ${newer}`);
}

const transcripts = await goldTranscripts(options.data);
for (const file of (await readdir(path.join(options.data, 'gold/labels'))).sort()) {
  const labels = labelsSchema.parse(JSON.parse(await readFile(path.join(options.data, 'gold/labels', file), 'utf8')));
  if (options.only !== undefined && labels.project !== options.only) continue;
  if (options.show || options.missed) console.log(labels.project);
  await judgeProject(labels, transcripts);
}
if (options.only === undefined) await judgeTopics();
for (const [measure, [part, all]] of shares)
  console.log(
    `${measure.padEnd(52)} ${String(part).padStart(4)} of ${String(all).padStart(4)}  ${((100 * part) / all).toFixed(0)} %`,
  );
