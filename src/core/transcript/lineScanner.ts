import { byteText } from '../text/byteText';

const NEWLINE = 0x0a;

/** Lines beyond this are reported as broken and not held in memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** One line, without its newline. */
export interface Line {
  /** A unit for each byte: see `byteText`. */
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  /** Where it begins in the file. */
  readonly offset: number;
}

/** Takes the lines. */
export interface LineSink {
  onLine(line: Line): void;
  /** A line larger than the bound; its bytes were never held. */
  onOversized(line: number, bytes: number): void;
}

/** Cuts chunks into lines. Holds one line at most, and none above `maxLineBytes`. */
export class LineScanner {
  private offset = 0;
  private line = 0;
  /** The beginning of a line that goes on in the next chunk; of one that is too large, only the length. */
  private begun = '';
  private pending = 0;

  constructor(
    private readonly sink: LineSink,
    private readonly maxLineBytes = MAX_LINE_BYTES,
  ) {}

  /** Complete lines and their bytes, so far. */
  get end(): { offset: number; line: number } {
    return { offset: this.offset, line: this.line };
  }

  /** Takes the next bytes of the file; hands on every line that ends in them before it returns. */
  feed(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk, start, end);
      this.handOn(1);
      start = end + 1;
    }
    this.keep(chunk, start, chunk.length);
  }

  /** Hands on the last line although no newline ended it. */
  flush(): void {
    if (this.pending > 0) this.handOn(0);
  }

  /** The unfinished last line, to look at without consuming it; undefined when there is none or it is oversized. */
  tail(): Line | undefined {
    if (this.pending === 0 || this.pending > this.maxLineBytes) return undefined;
    return { text: this.begun, line: this.line + 1, offset: this.offset };
  }

  private handOn(newlineBytes: number): void {
    this.line++;
    const { line, offset, pending, begun: text } = this;
    if (pending > this.maxLineBytes) this.sink.onOversized(line, pending);
    else this.sink.onLine({ text, line, offset });
    this.offset += pending + newlineBytes;
    this.pending = 0;
    this.begun = '';
  }

  private keep(chunk: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    this.pending += end - start;
    if (this.pending > this.maxLineBytes) this.begun = '';
    else this.begun += byteText(chunk, start, end);
  }
}
