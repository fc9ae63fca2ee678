import { APPROVED } from '../../knowledge/facts/decisions';
import { HABIT } from '../../knowledge/facts/habits';
import { isLasting, isTrusted, type FactView } from '../../knowledge/facts/factViews';
import type { BriefItem, BriefKind, FileNotes, PreparedBrief, SessionState } from '../../model/preparedBrief';
import type { HookSettings } from '../../model/hookSettings';
import { SCHEMA_VERSION } from '../../model/fields';
import { pathTokens } from '../../material/paths';
import { singleSpaced } from '../../text/cleanText';
import { baseName, shortId, plural } from '../../text/formats';
import { hash64 } from '../../text/hash64';
import { shortened } from '../../text/sentences';
import { wordsOf } from '../../text/words';
import { ownValue, setOwnValue, uniqueBy } from '../../text/ownValue';
import { BRIEF_HEAD, itemsText, harmless } from './briefText';

/** A file of the project's own words, such as `architecture.md`. */
export interface NoteFile {
  readonly name: string;
  readonly text: string;
}

/** A session of another project that belongs to the work here. */
export interface LinkedState {
  readonly state: SessionState;
  readonly project: string;
  /** Why, as whoever linked it said. */
  readonly reason: string;
}

/** All that a brief is made of. */
export interface BriefMaterial {
  readonly projectId: string;
  readonly madeAt: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly settings: HookSettings;
  readonly isAutomatic: boolean;
  /** Those that are valid, with the files that they speak of. */
  readonly facts: readonly (FactView & { readonly files?: readonly string[] | undefined })[];
  /** The last one first, then those that its work leads to, then the latest. */
  readonly sessions: readonly SessionState[];
  readonly linked: readonly LinkedState[];
  /** `project.md`, `architecture.md` and `conventions.md`, as far as there are any, and their folder. */
  readonly notes: { readonly dir: string; readonly files: readonly NoteFile[] };
  /** How many summaries came after the last synthesis. */
  readonly newSummaries: number;
  /** Texts that sessions have anyhow: `CLAUDE.md` and what it imports, Claude Code's own memory, what `/recall` says. */
  readonly known: readonly string[];
  /** What the next session is about, where that is known: else the files that the last one changed. */
  readonly files: readonly string[];
  readonly countTokens: (text: string) => number;
}

/** `Keepit session ID: …` goes before it. */
const ID_TOKENS = 40;
/** What each part may take at first, of all there is; what one leaves goes to those after it. */
const SHARES: readonly (readonly [readonly BriefKind[], number])[] = [
  [['state'], 0.6],
  [['rule', 'decision', 'solution'], 0.85],
  [['notes'], 0.93],
  [['index'], 1],
];

/** The brief of a project. The same material gives the same brief. */
export function makeBrief(material: BriefMaterial): PreparedBrief {
  const { projectId, madeAt, sources, settings, isAutomatic } = material;
  const inForce = factItems(material);
  const items = fitted(
    [
      ...stateItems(material),
      ...inForce.filter((item) => !isAsked(item, material)),
      ...noteItems(material),
      ...indexItems(material),
    ].filter(isTelling),
    material,
  );
  const base = { version: SCHEMA_VERSION, projectId, madeAt, sources: { ...sources }, settings, isAutomatic };
  return { ...base, items, inForce };
}

/** The request that is told where the work stands may be a decision, too. */
function isAsked({ kind, sources }: BriefItem, { sessions }: BriefMaterial): boolean {
  const uuid = sessions[0]?.request?.uuid;
  return kind === 'decision' && uuid !== undefined && sources[0]?.messageUuid === uuid;
}

/** In their order, as many as there is room for: each part up to its share at first, then what is left. */
function fitted(items: readonly BriefItem[], { settings, countTokens }: BriefMaterial): BriefItem[] {
  const room = settings.briefTokens - ID_TOKENS;
  const taken = new Set<BriefItem>();
  const tokensWith = (item: BriefItem): number => {
    const all = items.filter((one) => taken.has(one) || one === item);
    return countTokens(`${BRIEF_HEAD}\n${itemsText(all)}`);
  };
  for (const shares of [SHARES, SHARES.map(([kinds]) => [kinds, 1] as const)]) {
    for (const [kinds, share] of shares) {
      for (const item of items) {
        if (!taken.has(item) && kinds.includes(item.kind) && tokensWith(item) <= room * share) taken.add(item);
      }
    }
  }
  return items.filter((item) => taken.has(item));
}

type Place = BriefItem['sources'][number];

function itemOf(
  kind: BriefKind,
  heading: string,
  text: string,
  { trust, sources, factId }: Pick<BriefItem, 'trust' | 'sources'> & { factId?: string },
): BriefItem {
  const line = harmless(singleSpaced(text));
  return { kind, heading: harmless(heading), text: line, trust, sources, key: hash64(line), factId };
}

const LEAST_WORDS = 2;

/** A line without words of its own tells nothing. */
function isTelling({ text, kind }: BriefItem): boolean {
  return kind === 'state' || wordsOf(text).filter(({ weight }) => weight > 0).length >= LEAST_WORDS;
}

const TITLE_UNITS = 50;

function placeOf({ sessionId, at, branch }: SessionState, title: string): string {
  const titled = title === '' ? '' : ` “${shortened(title.replace(/[“”]/g, ''), TITLE_UNITS)}”`;
  const on = branch === undefined || branch === '' || branch === 'HEAD' ? '' : `, branch ${branch}`;
  return `${shortId(sessionId)}${titled}, ${at.slice(0, 10)}${on}`;
}

/** Where the last session stopped. */
function stateItems({ sessions, newSummaries }: BriefMaterial): BriefItem[] {
  const [last] = sessions;
  if (last === undefined) return summaryItems(newSummaries);
  const { sessionId, request, outcome, tasks, tasksUuid = '', plan, done } = last;
  // Where nobody named a session, its title is how its first request begins.
  const isSaid = request?.text.startsWith(last.title.replace(/…$/, '')) === true;
  const heading = `Where the last session stopped (${placeOf(last, isSaid ? '' : last.title)}):`;
  const lineOf = (text: string, trust: BriefItem['trust'], messageUuid: string): BriefItem =>
    itemOf('state', heading, text, { trust, sources: [{ sessionId, messageUuid }] });
  return [
    ...(request === undefined ? [] : [lineOf(`Asked: “${request.text}”`, 'stated', request.uuid)]),
    ...(tasks.length === 0 ? [] : [lineOf(`Left open in its tasks: ${tasks.join('; ')}`, 'proved', tasksUuid)]),
    ...(plan === undefined
      ? []
      : [lineOf(`Plan that the user approved, nothing committed since: ${plan.text}`, 'stated', plan.uuid)]),
    ...(outcome === undefined ? [] : [lineOf(`Claude said of it: ${outcome.text}`, 'reported', outcome.uuid)]),
    ...(done === undefined ? [] : [lineOf(`Done: ${done.text}`, 'proved', done.uuid)]),
    ...summaryItems(newSummaries),
  ];
}

function summaryItems(count: number): BriefItem[] {
  if (count === 0) return [];
  const text = `${plural(count, 'new summary', 'new summaries')} of sessions since the last synthesis (/keepit:synthesize)`;
  return [itemOf('state', 'Notebook:', text, { trust: 'proved', sources: [] })];
}

const HEADINGS = {
  rule: 'Rules, in the words of the user:',
  decision: 'Decided by the user:',
  solution: 'Solved before:',
} as const satisfies Partial<Record<BriefKind, string>>;

/** What holds, the most telling first: what bears on the files at hand, then rules, then the newest. */
function factItems(material: BriefMaterial): BriefItem[] {
  const { facts, sessions, files, known } = material;
  const isKnown = knownIn(known);
  const atHand = new Set([...files, ...(sessions[0]?.files ?? [])].map(baseName));
  const branchOf = new Map(sessions.map(({ sessionId, branch }) => [sessionId, branch]));
  const here = sessions[0]?.branch;
  const scoreOf = (fact: BriefMaterial['facts'][number]): number =>
    Number(bearsOn(fact, atHand)) * 4 +
    Number(kindOf(fact) === 'rule') * 2 +
    Number(fact.isConfirmed) -
    Number(fact.content.includes(APPROVED)) +
    Number(here !== undefined && branchOf.get(fact.source?.sessionId ?? '') === here);
  return facts
    .filter(
      (fact) =>
        isTrusted(fact) &&
        (fact.trigger !== HABIT || fact.isConfirmed) &&
        isLasting(fact) &&
        (kindOf(fact) !== 'solution' || bearsOn(fact, atHand)) &&
        !isPlan(fact, sessions[0]?.plan) &&
        !isKnown(fact.content),
    )
    .map((fact) => ({ fact, score: scoreOf(fact) }))
    .sort((a, b) => b.score - a.score || compare(dayOf(b.fact), dayOf(a.fact)))
    .map(({ fact }) => factItem(fact));
}

/** `keepit facts` has all of it. */
const FACT_UNITS = 240;
/** What a plan was about: its steps are done, or stand where the work does. */
const PLAN_UNITS = 140;

/** One that is stated or proved, as a line. */
export function factItem(fact: FactView): BriefItem {
  const { id, content, source, sources = [], trust } = fact;
  const kind = kindOf(fact);
  const day = dayOf(fact);
  const places: Place[] = [...(source === undefined ? [] : [source]), ...sources].map(({ sessionId, messageUuid }) => {
    return { sessionId, messageUuid };
  });
  const text = `${shortened(content, content.includes(APPROVED) ? PLAN_UNITS : FACT_UNITS)}${day === '' ? '' : ` (${day})`}`;
  const isProved = trust === 'proved';
  return itemOf(kind, HEADINGS[kind], text, {
    trust: isProved ? 'proved' : 'stated',
    sources: uniqueBy(places, (place) => `${place.sessionId} ${place.messageUuid ?? ''}`),
    factId: id,
  });
}

/** The plan that waits is told where the work stands. */
function isPlan({ content, source }: FactView, plan: SessionState['plan']): boolean {
  if (plan === undefined) return false;
  const [name = ''] = content.split(APPROVED, 1);
  return source?.messageUuid === plan.uuid || plan.text.includes(name);
}

function kindOf({ kind }: FactView): keyof typeof HEADINGS {
  if (kind === 'rules') return 'rule';
  return kind === 'core_logic' ? 'decision' : 'solution';
}

function dayOf({ source }: FactView): string {
  return source?.ts?.slice(0, 10) ?? '';
}

/** Whether a fact speaks of one of these files, by their names. */
function bearsOn(
  { files = [], content }: { readonly files?: readonly string[] | undefined; readonly content: string },
  names: ReadonlySet<string>,
): boolean {
  if (files.some((file) => names.has(baseName(file)))) return true;
  return fileNamesIn(content).some((name) => names.has(baseName(name)));
}

/** What looks like the names of files in a text, with folders where it has them. */
function fileNamesIn(text: string): string[] {
  return [...pathTokens(text)].map(({ token }) => token).filter((token) => FILE_NAME.test(token));
}

const FILE_NAME = /[\w-]\.[a-z]\w{0,9}$/i;

type Notes = FileNotes['notes'][string];

/** A file has more to say than a session needs to hear. */
const MOST_OF_A_FILE = 8;

/** What stated and proved facts say of files, for the moment in which one is opened. */
export function fileNotesOf(
  facts: BriefMaterial['facts'],
  source: FileNotes['facts'],
  isKnown: (line: string) => boolean,
): FileNotes {
  const notes: Record<string, Notes> = {};
  for (const fact of facts) {
    if (isKnown(fact.content)) continue;
    const { text, key } = factItem(fact);
    for (const file of new Set([...(fact.files ?? []), ...fileNamesIn(fact.content)])) {
      const name = baseName(file);
      const own = ownValue(notes, name) ?? [];
      if (own.length >= MOST_OF_A_FILE || own.some((one) => one.key === key)) continue;
      const { sessionId } = fact.source ?? {};
      setOwnValue(notes, name, [...own, { file, text, key, factId: fact.id, sessionId }]);
    }
  }
  return { version: SCHEMA_VERSION, facts: source, notes };
}

const NOTE_UNITS = 160;

/** The heads of the files that people write about a project. */
function noteItems({ notes: { dir, files } }: BriefMaterial): BriefItem[] {
  return files.flatMap(({ name, text }) => {
    const head = text
      .split('\n')
      .map((line) => line.replace(/^\s*(?:#{1,6}|[-*+>])\s+/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('<!--'))
      .slice(0, 4)
      .join(' · ');
    if (head === '') return [];
    return [
      itemOf('notes', `The project's own notes (in ${dir}):`, `${name}: ${shortened(head, NOTE_UNITS)}`, {
        trust: 'stated',
        sources: [],
      }),
    ];
  });
}

const INDEX_UNITS = 110;

/** Sessions before the last one, to be fetched from, and those that are linked. */
function indexItems({ sessions, linked }: BriefMaterial): BriefItem[] {
  return [
    ...sessions.slice(1).flatMap((session) => indexItem(session, EARLIER)),
    ...linked.flatMap(({ state, project, reason }) => indexItem(state, LINKED, ` in ${project} (${reason})`)),
  ];
}

const EARLIER = 'Earlier sessions (the tool `read` has their words):';
const LINKED = 'Linked from other projects (`read` with `project` has their words):';

function indexItem(session: SessionState, heading: string, of = ''): BriefItem[] {
  const { sessionId, request, outcome, done, title } = session;
  // Claude's own words about its work name what was done, or praise it: what was committed says it then.
  const isNamed = wordsOf(outcome?.text ?? '').some(({ weight }) => weight === 2);
  const came = (isNamed ? outcome : done) ?? outcome ?? request;
  if (came === undefined) return [];
  const said = `${came === request ? 'asked ' : ''}${shortened(came.text, INDEX_UNITS)}`;
  const sources = [{ sessionId, messageUuid: came.uuid }];
  const trust = came === done ? 'proved' : 'reported';
  return [itemOf('index', heading, `${placeOf(session, title)}${of}: ${said}`, { trust, sources })];
}

/** So much of a line's words in one line of what is known, and it says nothing new. */
const MOST_KNOWN = 0.8;

/** Whether one of these texts says a line already, in whatever form of its words. */
export function knownIn(texts: readonly string[]): (line: string) => boolean {
  const lines = texts.flatMap((text) => text.split('\n')).map(stemsIn);
  return (line) => {
    const stems = [...stemsIn(line)];
    if (stems.length === 0) return false;
    return lines.some((known) => stems.filter((stem) => known.has(stem)).length >= MOST_KNOWN * stems.length);
  };
}

function stemsIn(line: string): Set<string> {
  return new Set(wordsOf(line).flatMap(({ stem, weight }) => (weight > 0 ? [stem] : [])));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
