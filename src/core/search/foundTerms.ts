import { pushTo } from '../text/ownValue';
import type { QueryTerm } from './searchQuery';
import type { Postings, SegmentTables, Term } from './segment';

/** What is only like a word, or stands for it in parts. */
export const LIKE = 0.5;

interface AlikeTerm {
  readonly term: Term;
  readonly share: number;
}

/** A query's term as a segment has it. */
export interface Resolved {
  readonly terms: readonly AlikeTerm[];
  /** Passages that have all its parts. */
  readonly together: readonly number[];
  /** How many passages have it; those that have several forms of it count for each. */
  readonly holders: number;
}

export const NOT_FOUND: Resolved = { terms: [], together: [], holders: 0 };

export function resolve(one: QueryTerm, segment: SegmentTables): Resolved {
  const terms = termsFor(one, segment);
  const together = one.parts === undefined ? [] : inAll(segment, one.parts);
  const holders = terms.reduce((sum, { term }) => sum + term.holders, together.length);
  return { terms, together, holders: Math.min(holders, segment.lengths.length) };
}

/** What happened at a time, as if it were a word of it. */
export function resolveTime(isThen: (seconds: number) => boolean, segment: SegmentTables): Resolved {
  const ofDocuments = Array.from(segment.seconds, isThen);
  const passages = Array.from(segment.documents, (document, at) => (ofDocuments[document] === true ? at : -1)).filter(
    (passage) => passage !== -1,
  );
  const holders = passages.length;
  const postings = (): Postings => ({ passages, counts: new Uint8Array(holders).fill(1), length: holders });
  return { terms: [{ term: { holders, postings }, share: 1 }], together: [], holders };
}

/** The terms of a segment that are one, or are like it, and what each counts. */
export function termsFor({ term, like, others = [] }: QueryTerm, segment: SegmentTables): AlikeTerm[] {
  const exact = segment.term(term);
  const found = exact === undefined ? [] : [{ term: exact, share: 1 }];
  for (const other of others) {
    const alike = segment.term(other);
    if (alike !== undefined) found.push({ term: alike, share: LIKE });
  }
  if (like === undefined) return found;
  for (const { rest, term: alike } of segment.termsBehind(like.prefix)) {
    const whole = like.prefix + rest;
    if (whole !== term && whole.length <= like.longest) found.push({ term: alike, share: LIKE });
  }
  return found;
}

/** The passages that have all of some terms. */
function inAll(segment: SegmentTables, terms: readonly string[]): number[] {
  let left: number[] | undefined;
  for (const one of terms) {
    const found = segment.term(one)?.postings();
    if (found === undefined) return [];
    const these = new Set<number>();
    for (let at = 0; at < found.length; at++) these.add(found.passages[at] ?? 0);
    left = left?.filter((passage) => these.has(passage)) ?? [...these];
  }
  return left ?? [];
}

/** Which of some terms each holder has at all, by their index. */
export function holdersOf(segment: SegmentTables, terms: readonly QueryTerm[]): Map<number, number[]> {
  const held = new Map<number, number[]>();
  for (const [at, one] of terms.entries()) {
    const having = new Set<number>();
    for (const { term } of termsFor(one, segment)) {
      const { passages, length } = term.postings();
      for (let place = 0; place < length; place++) {
        having.add(segment.holders[segment.documents[passages[place] ?? 0] ?? 0] ?? 0);
      }
    }
    for (const holder of having) pushTo(held, holder, at);
  }
  return held;
}
