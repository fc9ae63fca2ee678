import type { ByteView } from './byteText';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONG_STRING_BYTES = 16 * 1024;

/**
 * Finds where the long strings of a line end while the line is still arriving. A line of 10 MB is nearly always one
 * string of 10 MB; knowing its end, the reader of the line jumps over it instead of walking through it in one go.
 * It only trusts quotes and backslashes, so on a broken line it may be wrong: the line is broken then in any case.
 */
export class LongStringFinder {
  private readonly ends = new Map<number, number>();
  private pos = 0;
  /** First character of the string the finder is in; -1 outside of strings. */
  private start = -1;

  /** First character of a string → position behind its closing quote. */
  get found(): ReadonlyMap<number, number> {
    return this.ends;
  }

  /** Goes on to `end`; the bytes before it must be those of earlier calls. */
  advance(view: ByteView, end: number): void {
    let { pos } = this;
    while (pos < end) {
      const quote = view.indexOf(QUOTE, pos);
      if (quote < 0 || quote >= end) break;
      pos = quote + 1;
      if (this.start < 0) this.start = pos;
      else if (!isEscaped(view.bytes, quote, this.start)) this.close(pos);
    }
    this.pos = end;
  }

  private close(end: number): void {
    if (end - this.start >= LONG_STRING_BYTES) this.ends.set(this.start, end);
    this.start = -1;
  }
}

function isEscaped(bytes: Uint8Array, quote: number, start: number): boolean {
  let before = quote - 1;
  while (before >= start && bytes[before] === BACKSLASH) before--;
  return ((quote - before) & 1) === 0;
}
