const NEWLINE = 0x0a;

/** Lines beyond this are reported as broken and not held in memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

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
  private offset = 0;
  private line = 0;
  /** The beginning of a line that goes on in the next chunk; of one that is too large, only the length. */
  private pieces: Uint8Array[] = [];
  private pending = 0;

  constructor(
    private readonly sink: LineSink,
    private readonly maxLineBytes = MAX_LINE_BYTES,
  ) {}

  /** Complete lines and their bytes, so far. */
  get end(): { offset: number; line: number } {
    return { offset: this.offset, line: this.line };
  }

  /** All bytes so far, those of a line that is not complete as well. */
  get bytesRead(): number {
    return this.offset + this.pending;
  }

  /** Takes the next bytes of the file; hands on every line that ends in them before it returns. */
  feed(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.pending > 0) {
        this.keep(chunk.subarray(start, end));
        this.handOn(1);
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
    if (this.pending > 0) this.handOn(0);
  }

  /** The unfinished last line, to look at without consuming it; undefined when there is none or it is oversized. */
  tail(): ScannedLine | undefined {
    const end = this.pending;
    if (end === 0 || end > this.maxLineBytes) return undefined;
    const bytes = new Uint8Array(end);
    let at = 0;
    for (const piece of this.pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return { bytes, start: 0, end, line: this.line + 1, offset: this.offset };
  }

  private handOn(newlineBytes: number): void {
    const line = this.tail();
    this.line++;
    if (line === undefined) this.sink.onOversized(this.line, this.pending);
    else this.sink.onLine(line);
    this.offset += this.pending + newlineBytes;
    this.pending = 0;
    this.pieces = [];
  }

  private keep(bytes: Uint8Array): void {
    this.pending += bytes.length;
    if (this.pending > this.maxLineBytes) this.pieces = [];
    else if (bytes.length > 0) this.pieces.push(new Uint8Array(bytes)); // `slice` of a Node buffer is no copy
  }
}

/** `bytes[start, end)` as text; damaged sequences become U+FFFD, a byte order mark stays. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end));
}
