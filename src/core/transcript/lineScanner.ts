const NEWLINE = 0x0a;

/** Lines beyond this are reported as broken and not held in memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const FIRST_BYTES = 64 * 1024;
/** The buffer for lines that span chunks is kept up to this size. */
const KEPT_BYTES = 4 * 1024 * 1024;

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** One line, without its newline. Valid only during the call: the bytes are reused. */
export interface ScannedLine {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** 1-based. */
  readonly line: number;
  /** Offset of `start` in the file. */
  readonly offset: number;
}

/** Takes the lines. */
export interface LineSink {
  onLine(line: ScannedLine): void;
  /** A line larger than the bound; its bytes were never held. */
  onOversized(line: number, bytes: number): void;
}

/**
 * Cuts chunks into lines. A line that lies inside a chunk is handed on where it is; only a line that spans chunks is
 * copied. Holds one line at most, and none above `maxLineBytes`.
 */
export class LineScanner {
  /** Offset and number of complete lines consumed. */
  offset = 0;
  line = 0;
  /** The beginning of a line that goes on in the next chunk; of one that is too large, only the length. */
  private pending = NO_BYTES;
  private pendingLength = 0;

  constructor(
    private readonly sink: LineSink,
    private readonly maxLineBytes = MAX_LINE_BYTES,
  ) {}

  /** Takes the next bytes of the file; hands on every line that ends in them before it returns. */
  feed(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.pendingLength > 0) {
        this.keep(chunk.subarray(start, end));
        this.emitPending(1);
      } else {
        this.line++;
        this.sink.onLine({ bytes: chunk, start, end, line: this.line, offset: this.offset });
        this.offset += end + 1 - start;
      }
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
  }

  /** Hands on the last line although no newline ended it. */
  flush(): void {
    if (this.pendingLength > 0) this.emitPending(0);
  }

  /** The unfinished last line, to look at without consuming it; undefined when there is none or it is oversized. */
  tail(): ScannedLine | undefined {
    const end = this.pendingLength;
    if (end === 0 || end > this.maxLineBytes) return undefined;
    return { bytes: this.pending, start: 0, end, line: this.line + 1, offset: this.offset };
  }

  private emitPending(newlineBytes: number): void {
    const line = this.tail();
    this.line++;
    if (line === undefined) this.sink.onOversized(this.line, this.pendingLength);
    else this.sink.onLine(line);
    this.offset += this.pendingLength + newlineBytes;
    this.pendingLength = 0;
    if (this.pending.length > KEPT_BYTES) this.pending = NO_BYTES;
  }

  private keep(bytes: Uint8Array): void {
    const before = this.pendingLength;
    this.pendingLength += bytes.length;
    if (this.pendingLength > this.maxLineBytes) {
      this.pending = NO_BYTES;
      return;
    }
    if (this.pendingLength > this.pending.length) {
      const wider = new Uint8Array(Math.max(this.pendingLength, this.pending.length * 2, FIRST_BYTES));
      wider.set(this.pending.subarray(0, before));
      this.pending = wider;
    }
    this.pending.set(bytes, before);
  }
}

/** `bytes[start, end)` as text; damaged sequences become U+FFFD, a byte order mark stays. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end));
}
