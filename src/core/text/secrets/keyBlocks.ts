import type { TextRange } from './privateText';

const MARKER = /-----(BEGIN|END)[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Longer than any key, with line numbers and escapes in it. */
const LONGEST = 40_000;
const KEY_LINE = /[A-Za-z0-9+/=]{16,}/g;
const HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\r\n\\]{0,80}/g;
/** Between two lines of a key: ends of lines, as such or written out, quotes, the signs of a diff, numbers of lines. */
const NO_TEXT = /^[\s\d"'`+,>|:;.→\\nrt-]*$/;

/** Private keys in their blocks, of any kind. One that was cut reaches as far as its lines do, before or behind. */
export function keyBlocks(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  const markers = [...text.matchAll(MARKER)].map(({ index, 0: { length }, 1: type }) => {
    return { start: index, end: index + length, isEnd: type === 'END' };
  });
  let done = 0;
  for (const [at, marker] of markers.entries()) {
    const next = markers[at + 1];
    if (marker.start < done) continue;
    const range = marker.isEnd ? tail(text, marker, done) : block(text, marker, next);
    if (range !== undefined) ranges.push(range);
    done = range?.end ?? marker.end;
  }
  return ranges;
}

interface Marker extends TextRange {
  readonly isEnd: boolean;
}

/** The key that begins here; whoever only names the beginning has none. */
function block(text: string, { start, end }: Marker, next: Marker | undefined): TextRange | undefined {
  const body = text.slice(end, Math.min(next?.start ?? text.length, end + LONGEST));
  const lines = linesOf(body);
  if (lines === 0) return undefined;
  const isWhole = next?.isEnd === true && next.start - end <= LONGEST;
  return { start, end: isWhole ? next.end : end + lines };
}

/** How far the lines of a key reach without anything else between. */
function linesOf(body: string): number {
  let end = 0;
  for (const { index, 0: line } of body.matchAll(KEY_LINE)) {
    if (!isBetweenLines(body.slice(end, index))) break;
    end = index + line.length;
  }
  return end === 0
    ? 0
    : end + (/^(?:\s|\\n){1,4}[A-Za-z0-9+/]{1,15}={0,2}(?!\w)/.exec(body.slice(end))?.[0].length ?? 0);
}

/** A key whose beginning was cut away: the lines before its end. */
function tail(text: string, { start, end }: Marker, after: number): TextRange | undefined {
  const offset = Math.max(after, start - LONGEST);
  const before = text.slice(offset, start);
  let first = before.length;
  for (const { index, 0: line } of [...before.matchAll(KEY_LINE)].reverse()) {
    const between = before.slice(index + line.length, first);
    if (!isBetweenLines(first === before.length ? between.replace(/[A-Za-z0-9+/]{1,15}={0,2}(?=\s*$)/, '') : between))
      break;
    first = index;
  }
  return first === before.length ? undefined : { start: offset + first, end };
}

function isBetweenLines(between: string): boolean {
  return between.length < 400 && NO_TEXT.test(between.replace(HEADER, ''));
}
