import type { MatchPlace } from './termMatcher';

/** A piece of a text in one line, with the words that were found. */
export interface Snippet {
  readonly text: string;
  /** UTF-16 offsets in `text`, in order, without overlaps. */
  readonly matches: readonly (readonly [number, number])[];
}

const LENGTH = 240;
const BEFORE = 60;
const ELLIPSIS = '…';
/** What moves a cursor or ends a line is nothing to show. */
const SPACE = /[\s\p{Cc}]+/gu;

/** The piece of a text that holds the most of what was looked for; its beginning where nothing was. */
export function snippetOf(text: string, places: readonly MatchPlace[], length = LENGTH): Snippet {
  const inOrder = [...places].sort((a, b) => a.start - b.start || a.end - b.end);
  const first = bestPlace(inOrder, length);
  const start = first === undefined || text.length <= length ? 0 : startNear(text, Math.max(0, first.start - BEFORE));
  const end = start + length >= text.length ? text.length : endNear(text, start + length);
  const cut: MatchPlace[] = [];
  for (const place of inOrder) {
    if (place.start < start || place.end > end || place.start < (cut.at(-1)?.end ?? start)) continue;
    cut.push(place);
  }
  return inOneLine(text, { start, end }, cut);
}

/** The place from which on the most different words are near; of several, the first one. */
function bestPlace(places: readonly MatchPlace[], length: number): MatchPlace | undefined {
  let best: MatchPlace | undefined;
  let most = 0;
  for (const [index, place] of places.entries()) {
    const near = new Set<number>();
    for (let at = index; at < places.length; at++) {
      const other = places[at];
      if (other === undefined || other.end > place.start + length - BEFORE) break;
      near.add(other.term);
    }
    if (near.size > most) [best, most] = [place, near.size];
  }
  return best ?? places[0];
}

/** A little further on, where a word begins; never inside a character. */
function startNear(text: string, at: number): number {
  const space = text.slice(at, at + BEFORE / 2).search(/\s/);
  const start = at === 0 || space === -1 ? at : at + space + 1;
  return isInsidePair(text, start) ? start + 1 : start;
}

function endNear(text: string, at: number): number {
  const tail = text.slice(at - BEFORE / 2, at);
  const space = tail.search(/\s\S*$/);
  const end = space === -1 ? at : at - tail.length + space;
  return isInsidePair(text, end) ? end - 1 : end;
}

function isInsidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** White space becomes single spaces; the places move along. */
function inOneLine(
  text: string,
  { start, end }: { start: number; end: number },
  places: readonly MatchPlace[],
): Snippet {
  let line = start > 0 ? ELLIPSIS : '';
  const add = (from: number, to: number): void => {
    const piece = text.slice(from, to).replace(SPACE, ' ');
    line += /(?:^|\s)$/.test(line) ? piece.trimStart() : piece;
  };
  let at = start;
  const matches: [number, number][] = [];
  for (const place of places) {
    add(at, place.start);
    const from = line.length;
    add(place.start, place.end);
    matches.push([from, line.length]);
    at = place.end;
  }
  add(at, end);
  line = line.trimEnd();
  return { text: end < text.length ? `${line}${ELLIPSIS}` : line, matches };
}
