import { positionInBlock, type LinePosition } from '../../sessions/document/saidBlocks';
import type { SaidBlock } from '../../sessions/document/transcriptDocument';
import { parseQuery } from '../searchQuery';
import { TermMatcher } from '../termMatcher';

interface HitRange {
  readonly start: LinePosition;
  readonly end: LinePosition;
}

/** Where a document shows the words of a query in one message, from where most of them are near each other. */
export function hitRanges(said: readonly SaidBlock[], messageUuid: string, query: string): HitRange[] {
  const matcher = new TermMatcher(parseQuery(query));
  const ranges = said
    .filter((block) => block.messageUuid === messageUuid)
    .flatMap((block) =>
      matcher
        .places(block.text)
        .sort((a, b) => a.start - b.start)
        .map(({ start, end, term }) => ({
          term,
          start: positionInBlock(block, start),
          end: positionInBlock(block, end),
        })),
    );
  const from = densest(ranges);
  return [...ranges.slice(from), ...ranges.slice(0, from)].map(({ start, end }) => ({ start, end }));
}

/** So many lines are seen at once, and read together. */
const NEAR_LINES = 6;

/** The index of the place from which on the most different words follow within a few lines; the first of several. */
function densest(ranges: readonly (HitRange & { readonly term: number })[]): number {
  let best = { at: 0, words: 0 };
  for (const [at, { start }] of ranges.entries()) {
    const near = new Set<number>();
    for (let next = at; next < ranges.length; next++) {
      const range = ranges[next];
      if (range === undefined || range.start.line > start.line + NEAR_LINES) break;
      near.add(range.term);
    }
    if (near.size > best.words) best = { at, words: near.size };
  }
  return best.at;
}
