import type { Meaning } from './meaning';
import { scoreDocuments, type ScoredDocument, type SegmentScores, type Takes } from './scoring';
import { firstFrom } from './order';
import type { SearchDocument, SearchKind } from './searchDocument';
import { parseQuery, type SearchQuery } from './searchQuery';
import { CHANGED_MARK, FILE_MARK, PLACES, SegmentBuilder, type SegmentTables } from './segment';
import { asSpelt } from './spelling';

/** Documents that are searched, and who holds them. */
export interface Searched {
  readonly tables: SegmentTables;
  /** What a document is besides what was said in a session; undefined for such a message. */
  readonly known: (document: number) => SearchDocument | undefined;
  /** Undefined for what is of no session that is wanted. */
  readonly sessionOf: (document: number) => string | undefined;
  /** In the order asked for. */
  readonly read: (documents: readonly number[]) => Promise<SearchDocument[]>;
}

/** Documents at hand: the messages of one session, or others that are each found by themselves. */
export function inMemory(documents: readonly SearchDocument[], sessionId?: string, meaning?: Meaning): Searched {
  const tables = new SegmentBuilder(meaning);
  if (sessionId === undefined) for (const [at, document] of documents.entries()) tables.add(at, [document]);
  else tables.add(0, documents);
  return {
    tables,
    known: (at) => (sessionId === undefined ? documents[at] : undefined),
    sessionOf: () => sessionId,
    read: async (wanted) => wanted.flatMap((at) => documents[at] ?? []),
  };
}

/** Something that was found: an exchange with the messages of it that say something to the query, the best first; or one document. */
export interface Found {
  /** Tells it from all others, whichever of its messages says most. */
  readonly key: string;
  readonly searched: Searched;
  readonly documents: readonly number[];
  readonly score: number;
  /** Whether a passage of it has all words of a query. */
  readonly isWhole: boolean;
}

export interface RankingOptions {
  /** Tells which documents can be an answer at all, undefined where all can; others help to weigh words. */
  readonly takes: (searched: Searched) => Takes | undefined;
  /** Whether it happened when the query says; absent where it says nothing about that. */
  readonly isThen?: ((seconds: number) => boolean) | undefined;
  readonly meaning?: Meaning | undefined;
  /** Messages one by one. */
  readonly isSingle: boolean;
  /** Passages that are looked at closely; absent where all are wanted. */
  readonly most?: number | undefined;
}

/** What was found, the best first. */
export interface Ranking {
  readonly found: Found[];
  /** Also those that are not among them; more than these wherever some were not looked at. */
  readonly total: number;
}

/** What somebody has judged, or put together, says more than one message among many. */
const kindFactors: Readonly<Record<SearchKind, number>> = {
  fact: 1.3,
  keepit: 1.3,
  note: 0.9,
  memory: 0.8,
  concept: 0.7, // its name repeats the words of what it is about
  composition: 0.5, // says again what its sessions say
  version: 0.4,
  exchange: 1,
  message: 1,
};
/** Besides its best message, an exchange is worth this share of the next one; and its session's best lifts all of it. */
const NEXT_SHARE = 0.5;
const SESSION_SHARE = 0.5;
const REPLACED_FACTOR = 0.1;
/** Usual for adding up ranks: the first places differ little from each other. */
const RANK_OFFSET = 60;

/** Ranks what several queries find, each for itself, and adds up the ranks. The same documents give the same ranking. */
export function rank(all: readonly Searched[], queries: readonly SearchQuery[], options: RankingOptions): Ranking {
  const rankings = queries.map((query) => rankOne(all, query, options));
  const [only = { found: [], total: 0 }] = rankings;
  if (rankings.length <= 1) return eachOnce(only);
  const sums = new Map<string, Found>();
  for (const { found: ranking } of rankings) {
    for (const [at, found] of ranking.entries()) {
      const { key, searched } = found;
      const before = sums.get(key);
      const documents = [...new Set([...(before?.documents ?? []), ...found.documents])];
      const score = (before?.score ?? 0) + RANK_OFFSET / (RANK_OFFSET + at + 1);
      const isWhole = found.isWhole || before?.isWhole === true;
      sums.set(key, { key, searched, documents, score, isWhole });
    }
  }
  const total = sums.size + Math.max(...rankings.map((ranking) => ranking.total - ranking.found.length));
  return eachOnce({ found: sorted([...sums.values()]), total });
}

/** What a closer look finds besides what was found before. */
export function besides(before: readonly Found[], found: readonly Found[]): Found[] {
  const keys = new Set(before.map(({ key }) => key));
  const messages = new Set(before.map(messageOf));
  return found.filter((one) => !keys.has(one.key) && (messageOf(one) === 0 || !messages.has(messageOf(one))));
}

/** 0 for what stands beside its message. */
function messageOf({ searched, documents: [first = 0] }: Found): number {
  return searched.known(first)?.kind === 'fact' ? 0 : (searched.tables.messages[first] ?? 0);
}

/** A resumed session holds the messages of the one before, and a keepit is a message as well. */
function eachOnce({ found: ranked, total }: Ranking): Ranking {
  const seen = new Set<number>();
  const found = ranked.filter((one) => {
    const message = messageOf(one);
    const isNew = message === 0 || !seen.has(message);
    seen.add(message);
    return isNew;
  });
  return { found, total: total - (ranked.length - found.length) };
}

function rankOne(all: readonly Searched[], query: SearchQuery, options: RankingOptions): Ranking {
  const takes = all.map((searched) => options.takes(searched));
  const tables = all.map((searched) => searched.tables);
  const scores =
    query.terms.length === 0 && options.isThen === undefined
      ? tables.map((one, at) => allAlike(one, takes[at]))
      : scoreDocuments(tables, query.terms, { ...options, takes: (at) => takes[at] });
  const weighed = all.map((searched, at) => weighedBy(searched, scores[at]?.best ?? []));
  const best = weighed.reduce((most, of) => of.reduce((one, { score }) => Math.max(one, score), most), 0);
  const found = all.flatMap((searched, at) => foundIn(searched, weighed[at] ?? [], { at, best, options }));
  const isWordless = query.terms.length === 0;
  const having = scores.reduce((sum, of) => sum + of.total, 0);
  const total = scores.some(({ isCut }) => isCut) ? Math.max(having, found.length + 1) : found.length;
  return { found: sorted(isWordless ? found.map((one) => ({ ...one, score: 1 })) : found), total };
}

/** Where nothing is asked for by its words. */
function allAlike({ holders }: SegmentTables, takes: Takes | undefined): SegmentScores {
  const best: ScoredDocument[] = [];
  for (let document = 0; document < holders.length; document++)
    if (takes?.(document) !== false) best.push({ document, score: 1, isWhole: false });
  return { best, total: best.length, isCut: false };
}

/** What documents are worth by what they are, besides their words. */
function weighedBy(searched: Searched, scored: readonly ScoredDocument[]): ScoredDocument[] {
  return scored.map((one) => ({ ...one, score: one.score * factorOf(searched.known(one.document)) }));
}

/** What belongs to one exchange is found together. */
function foundIn(
  searched: Searched,
  scored: readonly ScoredDocument[],
  { at, best, options }: { at: number; best: number; options: RankingOptions },
): Found[] {
  const { holders } = searched.tables;
  const bestOfHolder = new Map<number, number>();
  for (const { document, score } of scored) {
    const holder = holders[document] ?? 0;
    bestOfHolder.set(holder, Math.max(bestOfHolder.get(holder) ?? 0, score));
  }
  const found: Found[] = [];
  for (let start = 0, end = 0; start < scored.length; start = end) {
    const first = scored[start]?.document ?? 0;
    const whole = wholeOf(searched, first, options);
    end = firstFrom(scored.length, (one) => wholeOf(searched, scored[one]?.document ?? 0, options) <= whole);
    const group = scored.slice(start, end).sort((a, b) => b.score - a.score || a.document - b.document);
    const isSaid = searched.known(first) === undefined;
    const lift = 1 + SESSION_SHARE * (isSaid ? (bestOfHolder.get(holders[first] ?? 0) ?? 0) / best : 1);
    const worth = (group[0]?.score ?? 0) + NEXT_SHARE * (group[1]?.score ?? 0);
    found.push({
      key: `${at} ${whole}`,
      searched,
      documents: group.map(({ document }) => document),
      score: worth * lift,
      isWhole: group.some(({ isWhole }) => isWhole),
    });
  }
  return found;
}

/** The first of the exchange that a document is found with; itself, where it is found by itself. */
function wholeOf({ tables, known }: Searched, document: number, { isSingle }: RankingOptions): number {
  return isSingle || known(document) !== undefined ? document : (tables.exchanges[document] ?? 0);
}

/** Files of a session by their paths, with how often it touched them. */
export type Touched = ReadonlyMap<string, { readonly changed: number; readonly read: number }>;

/** What each session touched of some files. */
export function touchedIn(opened: readonly Searched[], isWanted: (path: string) => boolean): Map<string, Touched> {
  const touched = new Map<string, Map<string, { changed: number; read: number }>>();
  for (const { tables, sessionOf } of opened) {
    for (const [what, mark] of [['read', FILE_MARK] as const, ['changed', CHANGED_MARK] as const]) {
      for (const { document, path, times } of touchesOf(tables, mark, isWanted)) {
        const sessionId = sessionOf(document);
        if (sessionId === undefined) continue;
        const files = touched.get(sessionId) ?? new Map<string, { changed: number; read: number }>();
        const before = files.get(path) ?? { changed: 0, read: 0 };
        touched.set(sessionId, files.set(path, { ...before, [what]: before[what] + times }));
      }
    }
  }
  return touched;
}

/** The messages that touched some files. */
export function touching(tables: SegmentTables, isWanted: (path: string) => boolean): Set<number> {
  return new Set([...touchesOf(tables, FILE_MARK, isWanted)].map(({ document }) => document));
}

function* touchesOf(tables: SegmentTables, mark: string, isWanted: (path: string) => boolean) {
  for (const { rest: path, term } of tables.termsBehind(mark)) {
    if (!isWanted(path)) continue;
    const { passages, counts, length } = term.postings();
    for (let at = 0; at < length; at++) {
      yield { document: tables.documents[passages[at] ?? 0] ?? 0, path, times: counts[at] ?? 0 };
    }
  }
}

function factorOf(known: SearchDocument | undefined): number {
  if (known === undefined) return 1;
  const { kind, weight = 0, replacedBy } = known;
  return kindFactors[kind] * (1 + weight / 2) * (replacedBy === undefined ? 1 : REPLACED_FACTOR);
}

/** The best first; of equals the newest, then in their order. */
export function sorted(found: Found[]): Found[] {
  const time = ({ searched, documents: [first = 0] }: Found): number => searched.tables.seconds[first] ?? 0;
  return found.sort((a, b) => b.score - a.score || time(b) - time(a));
}

/** The request and the closing of the exchange that a message belongs to. */
export function framesOf({ exchanges, places }: SegmentTables, document: number): number[] {
  const frames: number[] = [];
  for (let at = exchanges[document] ?? 0; exchanges[at] === exchanges[document]; at++) {
    const place = PLACES[places[at] ?? 0];
    if (place === 'request' || place === 'closing') frames.push(at);
  }
  return frames;
}

/** How much each text says to a query, 0 for nothing: as search scores what is indexed. Texts of one session stand in their order. */
export function scoreTexts(query: string, sessions: readonly (readonly Pick<SearchDocument, 'text'>[])[]): number[][] {
  const segment = new SegmentBuilder();
  const document = { kind: 'message' as const, projectId: '', id: '', files: [], topics: [] };
  for (const [holder, texts] of sessions.entries()) {
    segment.add(
      holder,
      texts.map(({ text }) => ({ ...document, text })),
    );
  }
  const [{ terms } = { terms: [] }] = asSpelt([segment], [parseQuery(query)]);
  const [scores] = scoreDocuments([segment], terms);
  const byText = new Map(scores?.best.map(({ document, score }) => [document, score]));
  let at = 0;
  return sessions.map((texts) => texts.map(() => byText.get(at++) ?? 0));
}
