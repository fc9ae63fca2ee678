import { nearness, type Meaning, type NearTerms } from './meaning';
import type { QueryTerm, SearchQuery } from './searchQuery';
import { PLACES, type SegmentTables } from './segment';

/** BM25's usual figures. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** What is only like a word, or stands for it in parts. */
const LIKE = 0.5;
/** So much the share of the query counts that a passage has at all. */
const COVERAGE_POWER = 0.5;
/** What the passages next to one lend it of their words, and from which length on a passage speaks for itself. */
const LENT = [0.35, 0.15];
const MOST_LENT = 60;
const OWN_WORDS = 60;

/** The user's words tell most, what the assistant says on its way least. */
const placeFactors: Readonly<Record<(typeof PLACES)[number], number>> = {
  request: 1.2,
  answer: 1.2,
  closing: 1,
  within: 0.6,
  other: 1,
};
const ASIDE_FACTOR = 0.5;
/** Shorter words are not taken for misspelt ones; from the other length on, two letters may be wrong. */
const SHORTEST_WRONG = 4;
const LONG_WRONG = 8;

/** What counts besides the words: what is near to each of them, and what a passage means. */
const NEAR_SHARE = 0.3;
const MEAN_SHARE = 0.4;
/** What has no word of a question has to have so much that is near to these. Who types a word or two means these. */
const LEAST_NEAR = 0.1;
const FEWEST_OF_QUESTION = 3;

/** By the words themselves, by what is near to them, and by what a passage means as a whole. */
interface Shares {
  readonly words: number;
  readonly near: number;
  readonly mean: number;
}

/** How much each document of a segment says to a query; 0 for nothing. */
export type DocumentScores = Float32Array;

/** Queries whose words are there: those that nothing has come with what is spelt nearly so instead: wrong by a letter or, in long words, by two. */
export function asSpelt(segments: readonly SegmentTables[], queries: readonly SearchQuery[]): SearchQuery[] {
  return queries.map((query) => ({ ...query, terms: query.terms.map((one) => spelt(segments, one)) }));
}

function spelt(segments: readonly SegmentTables[], one: QueryTerm): QueryTerm {
  const { term } = one;
  const most = term.length < SHORTEST_WRONG ? 0 : term.length < LONG_WRONG ? 1 : 2;
  if (most === 0 || segments.some((segment) => termsFor(one, segment).length > 0)) return one;
  const others = new Set<string>();
  // Nearly nobody misses the first letter; what begins otherwise need not be looked at.
  const first = term.slice(0, 1);
  for (const segment of segments) {
    for (const { rest } of termsBehind(segment, first)) {
      const other = first + rest;
      if (Math.abs(other.length - term.length) <= most && isNear(term, other, most)) others.add(other);
    }
  }
  return { ...one, others: [...others] };
}

/**
 * Scores by BM25 over passages, with the words around them, and by what they mean: as a whole, and word by word. All segments are looked at
 * as one.
 */
export function scoreDocuments(
  segments: readonly SegmentTables[],
  terms: readonly QueryTerm[],
  meaning?: Meaning,
): DocumentScores[] {
  const total = segments.reduce((sum, { lengths }) => sum + lengths.length, 0);
  const words = segments.reduce((sum, { lengths }) => sum + sumOf(lengths), 0);
  const usual = Math.max(1, words / Math.max(1, total));
  const accumulators = segments.map((segment) => new Accumulator(segment, usual));
  let all = 0;
  for (const term of terms) {
    const holders = accumulators.reduce((sum, accumulator) => sum + accumulator.gather(term), 0);
    const rarity = Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
    const near = meaning?.near(term.term) ?? [];
    for (const accumulator of accumulators) accumulator.add(rarity, near);
    all += rarity;
  }
  const meant = meaning?.mean(terms.map(({ term }) => [term, 1] as const));
  const least = terms.length < FEWEST_OF_QUESTION ? Infinity : LEAST_NEAR * all;
  const scored = accumulators.map((accumulator) => accumulator.finish(all, { meant, least }));
  const most = (of: keyof Shares): number => scored.reduce((best, one) => Math.max(best, one[of]), 1e-9);
  const scale = { words: 1 / most('words'), near: NEAR_SHARE / most('near'), mean: MEAN_SHARE / most('mean') };
  return accumulators.map((accumulator) => accumulator.documents(scale));
}

/** Which share of some terms each holder has at all. */
export function sharesOf(segment: SegmentTables, terms: readonly QueryTerm[]): Map<number, number> {
  const shares = new Map<number, number>();
  for (const term of terms) {
    const having = new Set<number>();
    for (const { index } of termsFor(term, segment)) {
      const { passages } = segment.postings(index);
      for (let at = 0; at < passages.length; at++) {
        having.add(segment.holders[segment.documents[passages[at] ?? 0] ?? 0] ?? 0);
      }
    }
    for (const holder of having) shares.set(holder, (shares.get(holder) ?? 0) + 1 / terms.length);
  }
  return shares;
}

/** The terms that begin with something, with what follows it. */
export function* termsBehind(segment: SegmentTables, start: string): Generator<{ rest: string; term: number }> {
  for (let term = firstFrom(segment, start); term < segment.terms.length; term++) {
    const whole = segment.terms.at(term) ?? '';
    if (!whole.startsWith(start)) return;
    yield { rest: whole.slice(start.length), term };
  }
}

/** The terms of a segment that are one, or are like it. */
function termsFor({ term, like, others = [] }: QueryTerm, segment: SegmentTables): { index: number; share: number }[] {
  const exact = indexOf(segment, term);
  const found = exact === -1 ? [] : [{ index: exact, share: 1 }];
  for (const other of others) {
    const index = indexOf(segment, other);
    if (index !== -1) found.push({ index, share: LIKE });
  }
  if (like === undefined) return found;
  for (const { rest, term: index } of termsBehind(segment, like.prefix)) {
    if (index !== exact && like.prefix.length + rest.length <= like.longest) found.push({ index, share: LIKE });
  }
  return found;
}

class Accumulator {
  private readonly scores: Float32Array;
  private readonly coverage: Float32Array;
  private readonly counts: Float32Array;
  private readonly lent: Float32Array;
  /** Passages that have the term at hand, and then those beside them. */
  private readonly touched: Uint32Array;
  private readonly near: Float32Array;
  private readonly mean: Float32Array;
  private end = 0;

  constructor(
    private readonly segment: SegmentTables,
    private readonly usual: number,
  ) {
    const { length } = segment.lengths;
    this.scores = new Float32Array(length);
    this.coverage = new Float32Array(length);
    this.counts = new Float32Array(length);
    this.lent = new Float32Array(length);
    this.touched = new Uint32Array(length);
    this.near = new Float32Array(length);
    this.mean = new Float32Array(length);
  }

  /** Finds the passages that have a term, or what is like it, and tells how many there are. */
  gather(term: QueryTerm): number {
    for (const { index, share } of termsFor(term, this.segment)) {
      const { passages, counts } = this.segment.postings(index);
      for (let at = 0; at < passages.length; at++) this.count(passages[at] ?? 0, share * (counts[at] ?? 0));
    }
    for (const passage of term.parts === undefined ? [] : inAll(this.segment, term.parts)) {
      if (this.counts[passage] === 0) this.count(passage, LIKE);
    }
    return this.end;
  }

  private count(passage: number, times: number): void {
    const before = this.counts[passage] ?? 0;
    if (before === 0) this.touched[this.end++] = passage;
    this.counts[passage] = before + times;
  }

  /** Adds what the term says, to the passages around those that have it as well. */
  add(rarity: number, near: NearTerms): void {
    const { lengths, isAside } = this.segment;
    if (near.length > 0) this.addNear(rarity, near);
    for (let at = 0, own = this.end; at < own; at++) {
      const passage = this.touched[at] ?? 0;
      if (isAside[passage] === 1) continue;
      const lending =
        Math.min(1, this.counts[passage] ?? 0) * Math.min(1, MOST_LENT / Math.max(1, lengths[passage] ?? 0));
      for (let distance = 1; distance <= LENT.length; distance++) {
        const lent = lending * (LENT[distance - 1] ?? 0);
        this.lend(passage, passage - distance, lent);
        this.lend(passage, passage + distance, lent);
      }
    }
    for (let at = 0; at < this.end; at++) this.settle(this.touched[at] ?? 0, rarity);
    this.end = 0;
  }

  /** To what stands near in the same session. */
  private lend(from: number, to: number, lent: number): void {
    const { isAside, documents, holders } = this.segment;
    const document = documents[to];
    if (document === undefined || isAside[to] === 1 || holders[document] !== holders[documents[from] ?? 0]) return;
    if (this.counts[to] === 0 && this.lent[to] === 0) this.touched[this.end++] = to;
    this.lent[to] = (this.lent[to] ?? 0) + lent;
  }

  /** Takes what one term says in a passage to its score. */
  private settle(passage: number, rarity: number): void {
    const length = this.segment.lengths[passage] ?? 0;
    const own = this.counts[passage] ?? 0;
    const count = own + (this.lent[passage] ?? 0) / (1 + (length / OWN_WORDS) ** 2);
    this.counts[passage] = 0;
    this.lent[passage] = 0;
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / this.usual);
    this.scores[passage] = (this.scores[passage] ?? 0) + (rarity * count * (SATURATION + 1)) / (count + norm);
    this.coverage[passage] = (this.coverage[passage] ?? 0) + rarity * Math.min(1, count);
  }

  /** For each passage what is nearest to the term at hand; the term itself is as near as can be. */
  private addNear(rarity: number, near: NearTerms): void {
    const nearest = new Map<number, number>();
    for (const { term, near: share } of near) {
      const index = indexOf(this.segment, term);
      if (index === -1) continue;
      const { passages } = this.segment.postings(index);
      for (let at = 0; at < passages.length; at++) {
        const passage = passages[at] ?? 0;
        if (share > (nearest.get(passage) ?? 0)) nearest.set(passage, share);
      }
    }
    for (const [passage, share] of nearest) {
      if (this.counts[passage] === 0) this.near[passage] = (this.near[passage] ?? 0) + rarity * share ** 2;
    }
    for (let at = 0; at < this.end; at++) {
      const passage = this.touched[at] ?? 0;
      this.near[passage] = (this.near[passage] ?? 0) + rarity;
    }
  }

  /** Settles what passages have by each of the three ways, and tells the most that one has. */
  finish(all: number, { meant, least }: { meant: Int8Array | undefined; least: number }): Shares {
    const { meanings } = this.segment;
    const isMeant = meanings.length > 0 && meant?.some((value) => value !== 0) === true;
    let [words, near, mean] = [0, 0, 0];
    for (let passage = 0; passage < this.scores.length; passage++) {
      const plain = this.scores[passage] ?? 0;
      const beside = this.near[passage] ?? 0;
      this.near[passage] = 0;
      if (plain === 0 && (beside === 0 || beside < least)) continue;
      const factor = this.factorOf(passage);
      const covered = (this.coverage[passage] ?? 0) / all;
      words = Math.max(words, (this.scores[passage] = plain * covered ** COVERAGE_POWER * factor));
      near = Math.max(near, (this.near[passage] = beside * factor));
      if (isMeant)
        mean = Math.max(mean, (this.mean[passage] = nearness(meant, meanings, passage * meant.length) * factor));
    }
    return { words, near, mean };
  }

  private factorOf(passage: number): number {
    const { documents, places, isAside } = this.segment;
    const place = PLACES[places[documents[passage] ?? 0] ?? 0] ?? 'other';
    return placeFactors[place] * (isAside[passage] === 1 ? ASIDE_FACTOR : 1);
  }

  documents(scale: Shares): DocumentScores {
    const { documents, holders } = this.segment;
    const scores = new Float32Array(holders.length);
    for (let passage = 0; passage < this.scores.length; passage++) {
      const near = this.near[passage] ?? 0;
      const words = this.scores[passage] ?? 0;
      if (words === 0 && near === 0) continue;
      const score = words * scale.words + near * scale.near + (this.mean[passage] ?? 0) * scale.mean;
      const document = documents[passage] ?? 0;
      if (score > (scores[document] ?? 0)) scores[document] = score;
    }
    return scores;
  }
}

/** The passages that have all of some terms. */
function inAll(segment: SegmentTables, terms: readonly string[]): number[] {
  let left: number[] | undefined;
  for (const term of terms) {
    const index = indexOf(segment, term);
    if (index === -1) return [];
    const passages = Array.from(segment.postings(index).passages);
    const these = new Set(passages);
    left = left?.filter((passage) => these.has(passage)) ?? passages;
  }
  return left ?? [];
}

function indexOf(segment: SegmentTables, term: string): number {
  const index = firstFrom(segment, term);
  return segment.terms.at(index) === term ? index : -1;
}

/** The first term that is not before another. */
function firstFrom({ terms }: Pick<SegmentTables, 'terms'>, term: string): number {
  let [from, to] = [0, terms.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((terms.at(middle) ?? '') < term) from = middle + 1;
    else to = middle;
  }
  return from;
}

function sumOf(numbers: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < numbers.length; at++) sum += numbers[at] ?? 0;
  return sum;
}

/** Whether one word becomes another by so many letters put in, left out, or changed, or two that changed places. */
function isNear(a: string, b: string, most: number): boolean {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      next.push(least);
    }
    if (Math.min(...next) > most) return false;
    [before, row] = [row, next];
  }
  return (row[b.length] ?? 0) <= most;
}
