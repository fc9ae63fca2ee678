import { LIKE, NOT_FOUND, resolve, type Resolved, resolveTime } from './foundTerms';
import { nearness, type Meaning } from './meaning';
import { Best } from './order';
import type { QueryTerm } from './searchQuery';
import { type Passages, PLACES, type Scratch, scratchFor, type SegmentTables } from './segment';

/** BM25's usual figures. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
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
const FACTORS = PLACES.map((place) => placeFactors[place]);
const MOST_FACTOR = Math.max(...FACTORS);

/** What counts besides the words: what is near to each of them, and what a passage means. */
const NEAR_SHARE = 0.25;
const MEAN_SHARE = 0.35;
/** What has no word of a question has to have so much that is near to these. Who types a word or two means these. */
const LEAST_NEAR = 0.1;
const FEWEST_OF_QUESTION = 3;

/** Counts are kept in halves, in a byte. */
const HALVES = 2;

/** What a document says to a query. */
export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
  /** Whether one of its passages has all words of the query. */
  readonly isWhole: boolean;
}

/** The documents of a segment that say most, in their order; and how many have a word of the query at all, those of an exchange counted once. */
export interface SegmentScores {
  readonly best: readonly ScoredDocument[];
  readonly total: number;
  /** Whether others were not looked at. */
  readonly isCut: boolean;
}

export interface ScoringOptions {
  readonly meaning?: Meaning | undefined;
  /** Whether it happened when the query says, which counts as one more word of it. */
  readonly isThen?: ((seconds: number) => boolean) | undefined;
  /** Passages that are looked at closely, over all segments: those that say most by their own words. All when absent. */
  readonly most?: number | undefined;
  /** Which documents can be an answer, for each segment; undefined where all can. */
  readonly takes?: ((segment: number) => Takes | undefined) | undefined;
  /** Documents are counted one by one. */
  readonly isSingle?: boolean | undefined;
}

/** Whether a document can be an answer. */
export type Takes = (document: number) => boolean;

/** A passage that is looked at closely, by its words, by what is near to them, and by what it means as a whole. */
interface Close {
  words: number;
  near: number;
  mean: number;
  isWhole: boolean;
  /** What it, or the one next to it that led to it, has by its own words, or by what is near to them. */
  own: number;
  beside: number;
}

/**
 * Scores by BM25 over passages, with the words around them, and by what they mean: as a whole, and word by word. All segments are looked at
 * as one: first by the words that each passage has itself, and then closely at the best of them and what stands next to these.
 */
export function scoreDocuments(
  segments: readonly SegmentTables[],
  terms: readonly QueryTerm[],
  options: ScoringOptions = {},
): SegmentScores[] {
  const { isThen } = options;
  const resolved = segments.map((segment) => {
    const found = terms.map((term) => resolve(term, segment));
    return isThen === undefined ? found : [...found, resolveTime(isThen, segment)];
  });
  const query = queryOf(segments, resolved, { terms, options });
  const { rarities, all, byWords } = query;
  const looks = segments.map(
    (segment, at) => new SegmentLook(segment, query, { resolved: resolved[at] ?? [], at, options }),
  );
  let left = all;
  for (const term of [...rarities.keys()].sort((a, b) => (rarities[b] ?? 0) - (rarities[a] ?? 0))) {
    // So much at most has a passage with none of the rarer words: where that is too little, the common ones need not be gone through.
    if (left * (SATURATION + 1) * Math.sqrt(left / all) * MOST_FACTOR < byWords.least) break;
    for (const look of looks) look.chooseByWord(term);
    left -= rarities[term] ?? 0;
  }
  for (const look of looks) look.chooseByNear();
  for (const look of looks) look.lookClosely();
  return looks.map((look) => look.settled());
}

type Query = ReturnType<typeof queryOf>;

/** What is asked of all segments alike. */
function queryOf(
  segments: readonly SegmentTables[],
  resolved: readonly (readonly Resolved[])[],
  { terms, options }: { terms: readonly QueryTerm[]; options: ScoringOptions },
) {
  const { meaning, most = Infinity } = options;
  const sum = (of: (segment: SegmentTables, at: number) => number): number =>
    segments.reduce((all, segment, at) => all + of(segment, at), 0);
  const total = sum(({ lengths }) => lengths.length);
  const rarities = (resolved[0] ?? []).map((_, term) => {
    const holders = sum((_segment, at) => resolved[at]?.[term]?.holders ?? 0);
    return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
  });
  const all = rarities.reduce((rest, rarity) => rest + rarity, 0);
  const meant = meaning?.mean(terms.map(({ term }) => ({ place: meaning.placeOf(term), times: 1 })));
  return {
    rarities,
    all,
    /** Words of a passage. */
    usual: Math.max(1, sum(({ words }) => words) / Math.max(1, total)),
    nearTerms: terms.map(({ term }) => meaning?.near(term) ?? []),
    meant: meant?.some((value) => value !== 0) === true ? meant : undefined,
    leastNear: terms.length < FEWEST_OF_QUESTION ? Infinity : LEAST_NEAR * all,
    byWords: new Best(most),
    byNear: new Best(most / 2),
    /** The most that any passage has by each of the three ways. */
    highest: { words: 1e-9, near: 1e-9, mean: 1e-9 },
  };
}

const WAYS = ['words', 'near', 'mean'] as const;
const NO_COUNTS = new Uint8ClampedArray();
const NO_POSTINGS: Passages = { passages: [], length: 0 };

/** A look at one segment. */
class SegmentLook {
  /** What lends a passage some of its words, and how much: the same places for one passage after the other. */
  private readonly lenders = { passages: [0, 0, 0, 0], shares: [0, 0, 0, 0], length: 0 };
  private readonly scratch: Scratch;
  private readonly counts: Uint8ClampedArray[];
  private readonly documents: ArrayLike<number>;
  private readonly lengths: ArrayLike<number>;
  private readonly isAside: ArrayLike<number>;
  private readonly holders: ArrayLike<number>;
  private readonly places: ArrayLike<number>;
  private readonly exchanges: ArrayLike<number> | undefined;
  private readonly close = new Map<number, Close>();
  private readonly resolved: readonly Resolved[];
  private readonly takes: Takes | undefined;
  /** So many passages have what is near to a word. */
  private besideEnd = 0;
  private total = 0;

  constructor(
    private readonly segment: SegmentTables,
    private readonly query: Query,
    { resolved, at, options }: { resolved: readonly Resolved[]; at: number; options: ScoringOptions },
  ) {
    this.resolved = resolved;
    this.takes = options.takes?.(at);
    this.documents = segment.documents;
    this.lengths = segment.lengths;
    this.isAside = segment.isAside;
    this.holders = segment.holders;
    this.places = segment.places;
    this.exchanges = options.isSingle === true ? undefined : segment.exchanges;
    this.scratch = scratchFor(at, this.lengths.length);
    this.counts = resolved.map((_, term) => this.scratch.countsOf(term));
    for (let term = 0; term < resolved.length; term++) {
      this.count(term);
      this.addNear(term);
    }
  }

  /** Counts a term in all passages that have it. */
  private count(term: number): void {
    const { terms, together } = this.resolved[term] ?? NOT_FOUND;
    const counts = this.counts[term] ?? NO_COUNTS;
    for (const { term: found, share } of terms) {
      const { passages, counts: times, length } = found.postings();
      const halves = share * HALVES;
      for (let at = 0; at < length; at++) {
        const passage = passages[at] ?? 0;
        counts[passage] = (counts[passage] ?? 0) + halves * (times[at] ?? 0);
      }
      this.find(passages, length);
    }
    for (const passage of together) counts[passage] ||= LIKE * HALVES;
    this.find(together);
  }

  private find(passages: ArrayLike<number>, length = passages.length): void {
    for (let at = 0; at < length; at++) this.findOne(passages[at] ?? 0);
  }

  /** Counts what can be an answer, each exchange once. */
  private findOne(passage: number): void {
    const { exchanges } = this;
    const { isFound } = this.scratch;
    const document = this.documents[passage] ?? 0;
    const one = exchanges === undefined ? document : (exchanges[document] ?? 0);
    if (isFound[one] !== 0 || this.takes?.(document) === false) return;
    isFound[one] = 1;
    this.total += 1;
  }

  /** For each passage what is nearest to a term; the term itself is as near as can be. */
  private addNear(term: number): void {
    const { nearest, touched } = this.scratch;
    const counts = this.counts[term] ?? NO_COUNTS;
    let end = 0;
    for (const { term: other, near: worth } of this.query.nearTerms[term] ?? []) {
      const { passages, length } = this.segment.term(other)?.postings() ?? NO_POSTINGS;
      for (let at = 0; at < length; at++) {
        const passage = passages[at] ?? 0;
        if (counts[passage] !== 0 || worth <= (nearest[passage] ?? 0)) continue;
        if (nearest[passage] === 0) touched[end++] = passage;
        nearest[passage] = worth;
      }
    }
    this.settleNear(this.query.rarities[term] ?? 0, end);
  }

  private settleNear(rarity: number, end: number): void {
    const { near, nearest, touched, beside } = this.scratch;
    for (let at = 0; at < end; at++) {
      const passage = touched[at] ?? 0;
      if (near[passage] === 0) beside[this.besideEnd++] = passage;
      near[passage] = (near[passage] ?? 0) + rarity * (nearest[passage] ?? 0) ** 2;
      nearest[passage] = 0;
    }
  }

  /** Takes the passages with a term that say most by their own words. */
  chooseByWord(term: number): void {
    const { terms, together } = this.resolved[term] ?? NOT_FOUND;
    for (const { term: found } of terms) {
      const { passages, length } = found.postings();
      this.choose(passages, length);
    }
    this.choose(together);
  }

  private choose(passages: ArrayLike<number>, length = passages.length): void {
    const { isSeen } = this.scratch;
    for (let at = 0; at < length; at++) {
      const passage = passages[at] ?? 0;
      if (isSeen[passage] !== 0) continue;
      isSeen[passage] = 1;
      if (this.takes?.(this.documents[passage] ?? 0) === false) continue;
      this.lenders.length = 0;
      const own = this.wordsOf(passage) * this.factorOf(passage);
      if (this.query.byWords.add(own)) this.open(passage, own);
    }
  }

  /** Takes the passages that have no word of the query and the most that is near to these. */
  chooseByNear(): void {
    const { near, beside: passages } = this.scratch;
    const { leastNear, byNear } = this.query;
    for (const passage of passages.subarray(0, leastNear === Infinity ? 0 : this.besideEnd)) {
      const nearest = near[passage] ?? 0;
      if (nearest < leastNear || this.counts.some((counts) => counts[passage] !== 0)) continue;
      if (this.takes?.(this.documents[passage] ?? 0) === false) continue;
      this.findOne(passage);
      const beside = nearest * this.factorOf(passage);
      if (byNear.add(beside)) this.open(passage, 0, beside);
    }
  }

  /** Once all have chosen: looks at those that are among the best of all, and at what stands next to these. */
  lookClosely(): void {
    const { byWords, byNear } = this.query;
    this.close.forEach(({ own, beside }, passage) => {
      const isAmongBest = (own > 0 && own >= byWords.least) || (beside > 0 && beside >= byNear.least);
      if (!isAmongBest) this.close.delete(passage);
    });
    this.openNeighbours();
    const inOrder = [...this.close.keys()].sort((a, b) => a - b); // what stands together is read together
    for (const passage of inOrder) this.lookAt(passage);
  }

  private open(passage: number, own: number, beside = 0): void {
    this.close.set(passage, { words: 0, near: 0, mean: 0, isWhole: true, own, beside });
  }

  /** What stands next to the best by their own words. */
  private openNeighbours(): void {
    for (const [passage, { own }] of [...this.close]) {
      for (let to = passage - LENT.length; to <= passage + LENT.length; to++) {
        if (own === 0 || !this.isNextTo(passage, to)) continue;
        const known = this.close.get(to);
        if (known !== undefined) known.own ||= own;
        else if (this.takes?.(this.documents[to] ?? 0) !== false) this.open(to, own);
      }
    }
  }

  /** Whether words of one passage tell something about the other, in the same session. */
  private isNextTo(passage: number, other: number): boolean {
    const document = this.documents[other];
    if (document === undefined || this.isAside[passage] === 1 || this.isAside[other] === 1) return false;
    return this.holders[document] === this.holders[this.documents[passage] ?? 0];
  }

  /** What a passage has by each of the three ways, with the words around it. */
  private lookAt(passage: number): void {
    const close = this.close.get(passage);
    if (close === undefined) return;
    const { rarities, nearTerms, meant, highest } = this.query;
    let near = this.scratch.near[passage] ?? 0;
    for (let term = 0; term < rarities.length; term++) {
      const isThere = (this.counts[term]?.[passage] ?? 0) > 0;
      close.isWhole &&= isThere;
      if (isThere && (nearTerms[term]?.length ?? 0) > 0) near += rarities[term] ?? 0;
    }
    const factor = this.factorOf(passage);
    this.findLenders(passage);
    close.words = this.wordsOf(passage) * factor;
    close.near = near * factor;
    if (meant !== undefined) close.mean = nearness(meant, this.segment.meaning(passage)) * factor;
    for (const way of WAYS) highest[way] = Math.max(highest[way], close[way]);
  }

  /** What the words of a passage say, with those that it is lent; what has a little of all of the query says more than what has much of a little. */
  private wordsOf(passage: number): number {
    const { rarities, usual, all } = this.query;
    const { passages, shares } = this.lenders;
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * (this.lengths[passage] ?? 0)) / usual);
    let words = 0;
    let covered = 0;
    for (let term = 0; term < rarities.length; term++) {
      const rarity = rarities[term] ?? 0;
      const counts = this.counts[term] ?? NO_COUNTS;
      let count = (counts[passage] ?? 0) / HALVES;
      for (let at = 0; at < this.lenders.length; at++)
        count += (shares[at] ?? 0) * Math.min(1, (counts[passages[at] ?? 0] ?? 0) / HALVES);
      words += (rarity * count * (SATURATION + 1)) / (count + norm);
      covered += rarity * Math.min(1, count);
    }
    return words * Math.sqrt(covered / all);
  }

  /** The passages next to one, and how much of their words each lends; a long one takes little of them. */
  private findLenders(passage: number): void {
    const { lenders } = this;
    const damping = 1 + ((this.lengths[passage] ?? 0) / OWN_WORDS) ** 2;
    lenders.length = 0;
    for (let distance = 1; distance <= LENT.length; distance++) {
      for (let from = passage - distance; from <= passage + distance; from += 2 * distance) {
        if (!this.isNextTo(passage, from)) continue;
        const lent = (LENT[distance - 1] ?? 0) * Math.min(1, MOST_LENT / Math.max(1, this.lengths[from] ?? 0));
        lenders.passages[lenders.length] = from;
        lenders.shares[lenders.length++] = lent / damping;
      }
    }
  }

  private factorOf(passage: number): number {
    return FACTORS[this.places[this.documents[passage] ?? 0] ?? 0] ?? 1;
  }

  /** Weighs words, nearness and meaning against the most that any passage has of each; a document is worth what its best passage is. */
  settled(): SegmentScores {
    const { highest } = this.query;
    const scored = new Map<number, ScoredDocument>();
    for (const [passage, { words, near, mean, isWhole }] of this.close) {
      const document = this.documents[passage] ?? 0;
      const score = words / highest.words + (NEAR_SHARE * near) / highest.near + (MEAN_SHARE * mean) / highest.mean;
      const before = scored.get(document) ?? { score: 0, isWhole: false };
      if (score === 0) continue;
      const best = { document, score: Math.max(score, before.score), isWhole: isWhole || before.isWhole };
      scored.set(document, best);
    }
    const { byWords, byNear } = this.query;
    const best = [...scored.values()].sort((a, b) => a.document - b.document);
    return { best, total: this.total, isCut: byWords.isFull || byNear.isFull };
  }
}
