import type { ByteText, ByteView } from './byteText';
import { LongStringFinder } from './longStringFinder';
import { SpareBuffer } from './spareBuffer';

const NEWLINE = 0x0a;

/** Lines above this size get their long strings located while they are collected, so that no single step takes long. */
const LONG_LINE_BYTES = 256 * 1024;

const NO_BYTES = new Uint8Array(0);

/** One line, without its newline. Valid only during the call: the bytes are reused. */
export interface ScannedLine {
  readonly view: ByteView;
  readonly start: number;
  readonly end: number;
  /** 1-based. */
  readonly line: number;
  /** Offset of `start` in the file. */
  readonly offset: number;
  readonly jumps?: ReadonlyMap<number, number> | undefined;
}

/** Takes the lines. */
export interface LineSink {
  onLine(line: ScannedLine): void;
  /** A line larger than the bound; its bytes were never held. */
  onOversized(line: number, bytes: number): void;
}

/** Where a scanner begins and how large a line may be. */
export interface LineScannerOptions {
  readonly bytes: ByteText;
  readonly offset: number;
  readonly line: number;
  readonly maxLineBytes: number;
  /** Where the memory for lines that span chunks comes from, if it is shared. */
  readonly spare?: SpareBuffer | undefined;
}

/**
 * Cuts chunks into lines. A line that lies inside a chunk is handed on where it is; only a line that spans chunks is
 * copied. Holds one line at most, and none above `maxLineBytes`.
 */
export class LineScanner {
  /** Offset and number of complete lines consumed. */
  offset: number;
  line: number;
  private pending: Uint8Array = NO_BYTES;
  private readonly spare: SpareBuffer;
  private pendingLength = 0;
  private isOversized = false;
  private finder: LongStringFinder | undefined;

  constructor(
    private readonly options: LineScannerOptions,
    private readonly sink: LineSink,
  ) {
    this.spare = options.spare ?? new SpareBuffer();
    this.offset = options.offset;
    this.line = options.line;
  }

  /** Takes the next bytes of the file; hands on every line that ends in them before it returns. */
  feed(chunk: Uint8Array): void {
    const view = this.options.bytes.view(chunk);
    let start = 0;
    if (this.pendingLength > 0) {
      const newline = view.indexOf(NEWLINE, 0);
      const end = newline < 0 ? chunk.length : newline;
      this.keep(chunk, 0, end);
      if (newline < 0) return;
      this.emitPending(1);
      start = newline + 1;
    }
    for (;;) {
      const newline = view.indexOf(NEWLINE, start);
      if (newline < 0) break;
      this.line++;
      this.sink.onLine({ view, start, end: newline, line: this.line, offset: this.offset, jumps: undefined });
      this.offset += newline + 1 - start;
      start = newline + 1;
    }
    if (start < chunk.length) this.keep(chunk, start, chunk.length);
  }

  /** Hands on the last line although no newline ended it. */
  flush(): void {
    if (this.pendingLength > 0) this.emitPending(0);
  }

  /** The unfinished last line, to look at without consuming it; undefined when there is none or it is oversized. */
  tail(): ScannedLine | undefined {
    if (this.pendingLength === 0 || this.isOversized) return undefined;
    return this.pendingLine();
  }

  private emitPending(newlineBytes: number): void {
    this.line++;
    if (this.isOversized) this.sink.onOversized(this.line, this.pendingLength);
    else this.sink.onLine({ ...this.pendingLine(), line: this.line });
    this.offset += this.pendingLength + newlineBytes;
    this.pendingLength = 0;
    this.isOversized = false;
    this.finder = undefined;
    this.spare.giveBack(this.pending);
    this.pending = NO_BYTES;
  }

  private pendingLine(): ScannedLine {
    const end = this.pendingLength;
    const view = this.options.bytes.view(this.pending.subarray(0, end));
    return { view, start: 0, end, line: this.line + 1, offset: this.offset, jumps: this.finder?.found };
  }

  private keep(chunk: Uint8Array, start: number, end: number): void {
    const length = this.pendingLength + end - start;
    if (this.isOversized || length > this.options.maxLineBytes) {
      this.isOversized = true;
      this.pending = NO_BYTES;
      this.pendingLength = length;
      return;
    }
    if (length > this.pending.length) {
      const wanted = Math.max(length, Math.min(this.pending.length * 2, this.options.maxLineBytes));
      this.pending = this.spare.grow(this.pending, this.pendingLength, wanted);
    }
    this.pending.set(chunk.subarray(start, end), this.pendingLength);
    this.pendingLength = length;
    if (length > LONG_LINE_BYTES) {
      this.finder ??= new LongStringFinder();
      this.finder.advance(this.options.bytes.view(this.pending.subarray(0, length)), length);
    }
  }
}
