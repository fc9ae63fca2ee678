import type { Meaning } from './meaning';
import { scoreDocuments, termsBehind } from './scoring';
import type { SearchDocument, SearchKind } from './searchDocument';
import type { SearchQuery } from './searchQuery';
import { FILE_MARK, PLACES, SegmentBuilder, type SegmentTables } from './segment';

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
  readonly searched: Searched;
  readonly documents: readonly number[];
  readonly score: number;
}

export interface RankingOptions {
  /** Tells which documents can be an answer at all; others help to weigh words. */
  readonly takes: (searched: Searched) => (document: number) => boolean;
  /** Whether it happened when the query says; absent where it says nothing about that. */
  readonly isThen?: ((seconds: number) => boolean) | undefined;
  readonly meaning?: Meaning | undefined;
  /** Messages one by one. */
  readonly isSingle: boolean;
  /** More are counted, and not ranked; absent where all are wanted. */
  readonly most?: number | undefined;
}

/** What was found, the best first. */
export interface Ranking {
  readonly found: Found[];
  /** Also those that are not among them. */
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
const NEXT_SHARE = 0.3;
const SESSION_SHARE = 0.5;
const THEN_FACTOR = 1.3;
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
      const [first = 0] = found.documents;
      const key = `${all.indexOf(found.searched)} ${isAlone(found.searched, first, options) ? first : exchangeKey(found.searched.tables, first)}`;
      const before = sums.get(key);
      const documents = [...new Set([...(before?.documents ?? []), ...found.documents])];
      const score = (before?.score ?? 0) + RANK_OFFSET / (RANK_OFFSET + at + 1);
      sums.set(key, { searched: found.searched, documents, score });
    }
  }
  const total = Math.max(sums.size, ...rankings.map((ranking) => ranking.total));
  return eachOnce({ found: sorted([...sums.values()]), total });
}

/** A resumed session holds the messages of the one before, and a keepit is a message as well. */
function eachOnce({ found: ranked, total }: Ranking): Ranking {
  const seen = new Set<number>();
  const found = ranked.filter(({ searched, documents: [first = 0] }) => {
    const message = searched.tables.messages[first] ?? 0;
    if (message === 0 || searched.known(first)?.kind === 'fact') return true;
    const isNew = !seen.has(message);
    seen.add(message);
    return isNew;
  });
  return { found, total: total - (ranked.length - found.length) };
}

function rankOne(all: readonly Searched[], query: SearchQuery, options: RankingOptions): Ranking {
  const isWordless = query.terms.length === 0;
  const scores = isWordless
    ? all.map(({ tables }) => new Float32Array(tables.holders.length).fill(1)) // all is as good
    : scoreDocuments(
        all.map(({ tables }) => tables),
        query.terms,
        options.meaning,
      );
  for (const [at, searched] of all.entries()) weigh(searched, scores[at] ?? new Float32Array(), options);
  const best = scores.reduce((most, of) => of.reduce((one, score) => Math.max(one, score), most), 0);
  const groups = all.map((searched, at) => groupsIn(searched, scores[at] ?? new Float32Array(), { best, options }));
  const total = groups.reduce((sum, { starts }) => sum + starts.length, 0);
  const least = options.most !== undefined && options.most < total ? leastOf(groups, options.most) : 0;
  const found = groups.flatMap((of) => foundIn(of, least));
  return { found: sorted(isWordless ? found.map((one) => ({ ...one, score: 1 })) : found), total };
}

/** Those that have enough, each with its documents, the best first. */
function foundIn({ searched, documentScores, starts, ends, scores }: Groups, least: number): Found[] {
  const found: Found[] = [];
  for (let group = 0; group < scores.length; group++) {
    const [start = 0, end = 0, score = 0] = [starts[group], ends[group], scores[group]];
    if (score < least) continue;
    const documents: number[] = [];
    for (let at = start; at < end; at++) if (documentScores[at] !== 0) documents.push(at);
    documents.sort((a, b) => (documentScores[b] ?? 0) - (documentScores[a] ?? 0) || a - b);
    found.push({ searched, documents, score });
  }
  return found;
}

/** What a document is worth by what it is, besides its words; 0 for what cannot be an answer. */
function weigh(searched: Searched, scores: Float32Array, { takes, isThen }: RankingOptions): void {
  const isTaken = takes(searched);
  for (let document = 0; document < scores.length; document++) {
    const plain = scores[document] ?? 0;
    if (plain === 0) continue;
    const factor = isThen?.(searched.tables.seconds[document] ?? 0) === true ? THEN_FACTOR : 1;
    scores[document] = isTaken(document) ? plain * factor * factorOf(searched.known(document)) : 0;
  }
}

/** Documents that are found together, from one to before another. In columns: there are very many. */
interface Groups {
  readonly searched: Searched;
  readonly documentScores: Float32Array;
  readonly starts: number[];
  readonly ends: number[];
  readonly scores: number[];
}

function groupsIn(
  searched: Searched,
  scores: Float32Array,
  { best, options }: { best: number; options: RankingOptions },
): Groups {
  const { holders, exchanges } = searched.tables;
  const bestOfHolder = bestByHolder(searched.tables, scores);
  const groups: Groups = { searched, documentScores: scores, starts: [], ends: [], scores: [] };
  for (let start = 0, end = 0; start < scores.length; start = end) {
    end = start + 1;
    if (scores[start] === 0) continue;
    const isWith = !isAlone(searched, start, options);
    while (isWith && holders[end] === holders[start] && exchanges[end] === exchanges[start]) end += 1;
    const isSaid = searched.known(start) === undefined;
    const lift = 1 + SESSION_SHARE * (isSaid ? (bestOfHolder[holders[start] ?? 0] ?? 0) / best : 1);
    groups.starts.push(start);
    groups.ends.push(end);
    groups.scores.push(worthOf(scores, start, end) * lift);
  }
  return groups;
}

function bestByHolder({ holders }: SegmentTables, scores: Float32Array): number[] {
  const best: number[] = [];
  for (let at = 0; at < scores.length; at++) {
    const [holder = 0, score = 0] = [holders[at], scores[at]];
    if (score > (best[holder] ?? 0)) best[holder] = score;
  }
  return best;
}

/** Of documents that are found together: the best, and a share of the next one. */
function worthOf(scores: Float32Array, start: number, end: number): number {
  let [most, next] = [0, 0];
  for (let at = start; at < end; at++) {
    const score = scores[at] ?? 0;
    if (score > most) [most, next] = [score, most];
    else if (score > next) next = score;
  }
  return most + NEXT_SHARE * next;
}

/** What the last of so many has. */
function leastOf(groups: readonly Groups[], most: number): number {
  const all = Float64Array.from(groups.flatMap(({ scores }) => scores)).sort();
  return all[all.length - most] ?? 0;
}

/** What is found by itself, and not with its exchange. */
function isAlone(searched: Searched, document: number, { isSingle }: RankingOptions): boolean {
  return isSingle || searched.known(document) !== undefined;
}

/** The exchange that a message belongs to. */
export function exchangeKey({ holders, exchanges }: SegmentTables, document: number): string {
  return `${holders[document]} ${exchanges[document]}`;
}

/** The messages that touched some files. */
export function touching(tables: SegmentTables, isWanted: (path: string) => boolean): Set<number> {
  const messages = new Set<number>();
  for (const { rest, term } of termsBehind(tables, FILE_MARK)) {
    if (!isWanted(rest)) continue;
    const { passages } = tables.postings(term);
    for (let at = 0; at < passages.length; at++) messages.add(tables.documents[passages[at] ?? 0] ?? 0);
  }
  return messages;
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
export function framesOf({ holders, exchanges, places }: SegmentTables, document: number): number[] {
  const isNear = (other: number): boolean =>
    holders[other] === holders[document] && exchanges[other] === exchanges[document];
  const frames: number[] = [];
  let first = document;
  while (isNear(first - 1)) first -= 1;
  for (let at = first; isNear(at); at++) {
    const place = PLACES[places[at] ?? 0];
    if (place === 'request' || place === 'closing') frames.push(at);
  }
  return frames;
}
