import { HeapPieceMerger } from './heapPieceMerger';
import { PieceCache } from './pieceCache';
import { PieceScanner } from './pieceScanner';
import { hashBytes, RankTable } from './rankTable';
import { ShortPieceMerger } from './shortPieceMerger';
import type { SliceableTokenCounter } from './tokenCounter';

/** Up to here a piece is merged by looking through its pairs. */
const shortPieceBytes = 48;
/** Up to here a piece is counted at one go, in buffers that are made once. */
const middlePieceBytes = 1536;
/** So many UTF-16 units are encoded at once; more, when a piece is longer. */
const windowUnits = 16_384;
/** Work of one slice, in bytes of common text: about half a millisecond. */
const sliceWork = 16_384;
/** The first slices are short and grow: until the engine has compiled the code, a byte costs 30 times as much. */
const firstSliceWork = 512;
const sliceGrowth = 1.15;
/** A byte that goes through the heap costs about as much as this many bytes of common text. */
const heapWorkPerByte = 16;
const longSliceSteps = sliceWork / heapWorkPerByte;

/**
 * Exact `o200k_base` counts: the same as those of js-tiktoken with all special tokens taken as text. Time grows with
 * n log n at worst, whatever the text; memory is fixed but for single pieces beyond 1,536 bytes. May be used for another
 * text while a count in slices is paused.
 */
export class ExactTokenCounter implements SliceableTokenCounter {
  readonly id = 'o200k_base';
  readonly #table: RankTable;
  readonly #scanner = new PieceScanner();
  readonly #cache = new PieceCache();
  readonly #shortMerger: ShortPieceMerger;
  readonly #middleMerger: HeapPieceMerger;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #sliceWork = firstSliceWork;
  #work = 0;

  /**
   * `ranks` is the content of the ranks file, which is kept and must not change, or the table built from it.
   * Throws `TokenRanksError` when the file is damaged.
   */
  constructor(ranks: Uint8Array | RankTable) {
    this.#table = ranks instanceof RankTable ? ranks : RankTable.from(ranks);
    this.#shortMerger = new ShortPieceMerger(this.#table, shortPieceBytes);
    this.#middleMerger = new HeapPieceMerger(this.#table, middlePieceBytes);
  }

  count(text: string): number {
    return drain(this.countInSlices(text));
  }

  countBytes(bytes: Uint8Array, start: number, end: number): number {
    return this.count(this.#decoder.decode(bytes.subarray(start, end)));
  }

  *countInSlices(text: string): Generator<void, number> {
    const windows = new Utf8Windows(text);
    let total = 0;
    while (windows.advance()) {
      const slice = this.#countSlice(windows);
      total += slice.tokens;
      if (slice.longPiece) {
        const merger = new HeapPieceMerger(this.#table, slice.longPiece.length);
        total += yield* merger.countInSlices(slice.longPiece, longSliceSteps);
      }
      if (!windows.isAtEnd) yield;
    }
    return total;
  }

  /** Counts pieces for one slice, to the end of the window or to a long piece, which is passed over and returned. */
  #countSlice(windows: Utf8Windows): { tokens: number; longPiece?: Uint8Array } {
    const { bytes } = windows;
    let tokens = 0;
    this.#work = 0;
    this.#scanner.open(bytes);
    while (windows.position < bytes.length && this.#work < this.#sliceWork) {
      const start = windows.position;
      const end = this.#scanner.end(start);
      if (this.#scanner.hasSeenEnd && !windows.isLast) {
        windows.isUsedUp = true;
        break;
      }
      windows.position = end;
      if (end - start > middlePieceBytes) return { tokens, longPiece: bytes.subarray(start, end) };
      tokens += this.#countPiece(bytes, start, end);
    }
    this.#sliceWork = Math.min(sliceWork, this.#sliceWork * sliceGrowth);
    return { tokens };
  }

  #countPiece(bytes: Uint8Array, start: number, end: number): number {
    this.#work += end - start;
    const hash = hashBytes(bytes, start, end);
    if (end - start > this.#cache.maxPieceBytes) return this.#countUncached(bytes, start, end, hash);
    const known = this.#cache.get(bytes, start, end, hash);
    if (known > 0) return known;
    const count = this.#countUncached(bytes, start, end, hash);
    this.#cache.set(bytes.subarray(start, end), hash, count);
    return count;
  }

  #countUncached(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const length = end - start;
    if (length <= this.#table.maxTokenBytes && this.#table.find(bytes, start, end, hash) >= 0) return 1;
    const piece = bytes.subarray(start, end);
    if (length <= shortPieceBytes) {
      this.#work += length;
      return this.#shortMerger.count(piece);
    }
    this.#work += length * heapWorkPerByte;
    return drain(this.#middleMerger.countInSlices(piece, Infinity));
  }
}

/**
 * A text as UTF-8, one window after the other, so that a long text is never encoded as a whole. What a window ends in the
 * middle of is carried over to the next one.
 */
class Utf8Windows {
  /** The window. Nobody writes to it again. */
  bytes: Uint8Array = new Uint8Array();
  /** Up to here the bytes of the window are done with. */
  position = 0;
  /** Set when the rest of the window cannot be judged without what follows. */
  isUsedUp = false;
  readonly #text: string;
  readonly #encoder = new TextEncoder();
  #encodedUnits = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether nothing follows the window. */
  get isLast(): boolean {
    return this.#encodedUnits === this.#text.length;
  }

  get isAtEnd(): boolean {
    return this.isLast && this.position === this.bytes.length;
  }

  /** Makes sure that there are bytes to go on with; false at the end of the text. */
  advance(): boolean {
    if (!this.isLast && (this.isUsedUp || this.position === this.bytes.length)) this.#encodeMore();
    return !this.isAtEnd;
  }

  #encodeMore(): void {
    const rest = this.bytes.subarray(this.position);
    // As much again as is left over: what is looked at twice stays a part of the whole, however long a piece is.
    const end = Math.min(this.#text.length, this.#encodedUnits + Math.max(windowUnits, rest.length));
    const wholeEnd = (this.#text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    const encoded = this.#encoder.encode(this.#text.slice(this.#encodedUnits, wholeEnd));
    this.bytes = new Uint8Array(rest.length + encoded.length);
    this.bytes.set(rest);
    this.bytes.set(encoded, rest.length);
    this.#encodedUnits = wholeEnd;
    this.position = 0;
    this.isUsedUp = false;
  }
}

function drain(slices: Generator<void, number>): number {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}
