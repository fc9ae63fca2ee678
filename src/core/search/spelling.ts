import { termsFor } from './foundTerms';
import type { QueryTerm, SearchQuery } from './searchQuery';
import type { SegmentTables } from './segment';

/** Shorter words are not taken for misspelt ones; from the other length on, two letters may be wrong. */
const SHORTEST_WRONG = 4;
const LONG_WRONG = 8;

/** Queries whose words are there: those that nothing has come with what is spelt nearly so instead: wrong by a letter or, in long words, by two. */
export function asSpelt(segments: readonly SegmentTables[], queries: readonly SearchQuery[]): SearchQuery[] {
  return queries.map((query) => ({ ...query, terms: query.terms.map((one) => spelt(segments, one)) }));
}

function spelt(segments: readonly SegmentTables[], one: QueryTerm): QueryTerm {
  const { term } = one;
  const most = term.length < SHORTEST_WRONG ? 0 : term.length < LONG_WRONG ? 1 : 2;
  if (most === 0 || segments.some((segment) => termsFor(one, segment).length > 0)) return one;
  const alike = new Set<string>();
  // Nearly nobody misses the first letter; what begins otherwise need not be alike at.
  const first = term.slice(0, 1);
  for (const segment of segments) {
    for (const { rest } of segment.termsBehind(first)) {
      const other = first + rest;
      if (Math.abs(other.length - term.length) <= most) alike.add(other);
    }
  }
  return { ...one, others: [...alike].filter((other) => distance(term, other, most) <= most) };
}

/** How many letters put in, left out or changed, or two that changed places, make one word another; `Infinity` for more than `most`. */
export function distance(a: string, b: string, most: number): number {
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
    if (Math.min(...next) > most) return Infinity;
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
