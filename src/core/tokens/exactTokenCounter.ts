import { HeapPieceMerger } from './heapPieceMerger';
import { PieceCache } from './pieceCache';
import { ShortPieceMerger } from './shortPieceMerger';
import { PieceScanner } from './pieceScanner';
import { hashBytes, RankTable } from './rankTable';
import type { SliceableTokenCounter } from './tokenCounter';
import { Utf8Buffer } from './utf8Buffer';

/** Up to here a piece is merged by looking through its pairs, and its count is cached. */
const shortPieceBytes = 48;
/** Up to here a piece is counted at one go, in buffers that are made once. */
const middlePieceUnits = 512;
/** Work of one slice, in UTF-16 units of common text: about 1 ms. */
const sliceWork = 32_768;
/** The first slices are short and grow: until the engine has compiled the code, a unit costs 30 times as much. */
const firstSliceWork = 1024;
const sliceGrowth = 1.2;
/** A byte that goes through the heap costs about as much as this many units of common text. */
const heapWorkPerByte = 16;
const longSliceSteps = sliceWork / heapWorkPerByte;

/**
 * Exact `o200k_base` counts: the same as those of js-tiktoken with all special tokens taken as text. Time grows with
 * n log n at worst, whatever the text; memory is fixed but for single pieces beyond 512 characters. May be used for
 * another text while a count in slices is paused.
 */
export class ExactTokenCounter implements SliceableTokenCounter {
  readonly id = 'o200k_base';
  readonly #table: RankTable;
  readonly #scanner = new PieceScanner();
  readonly #cache = new PieceCache();
  readonly #shortMerger: ShortPieceMerger;
  readonly #middleMerger: HeapPieceMerger;
  readonly #scratch = new Utf8Buffer(middlePieceUnits);
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #sliceWork = firstSliceWork;
  #work = 0;

  /** `ranks` is the content of the ranks file, which is kept and must not change. Throws `TokenRanksError` when it is damaged. */
  constructor(ranks: Uint8Array) {
    this.#table = new RankTable(ranks);
    this.#shortMerger = new ShortPieceMerger(this.#table, shortPieceBytes);
    this.#middleMerger = new HeapPieceMerger(this.#table, this.#scratch.bytes.length);
  }

  count(text: string): number {
    return drain(this.countInSlices(text));
  }

  countBytes(bytes: Uint8Array, start: number, end: number): number {
    return this.count(this.#decoder.decode(bytes.subarray(start, end)));
  }

  *countInSlices(text: string): Generator<void, number> {
    let total = 0;
    for (let position = 0; position < text.length;) {
      const { tokens, end, longPieceEnd } = this.#countSlice(text, position);
      total += tokens;
      position = end;
      if (longPieceEnd > end) {
        total += yield* this.#countLongPiece(text, end, longPieceEnd);
        position = longPieceEnd;
      }
      if (position < text.length) yield;
    }
    return total;
  }

  /** Counts pieces for one slice, or to the begin of a long piece (whose end is 0 where there is none). */
  #countSlice(text: string, start: number): { tokens: number; end: number; longPieceEnd: number } {
    let tokens = 0;
    let position = start;
    let longPieceEnd = 0;
    this.#work = 0;
    this.#scanner.open(text);
    while (position < text.length && this.#work < this.#sliceWork) {
      const end = this.#scanner.end(position);
      if (end - position > middlePieceUnits) {
        longPieceEnd = end;
        break;
      }
      tokens += this.#countPiece(text, position, end);
      position = end;
    }
    this.#scanner.close();
    this.#sliceWork = Math.min(sliceWork, this.#sliceWork * sliceGrowth);
    return { tokens, end: position, longPieceEnd };
  }

  #countPiece(text: string, start: number, end: number): number {
    this.#scratch.length = 0;
    this.#scratch.append(text, start, end);
    const { bytes, length } = this.#scratch;
    this.#work += end - start;
    const hash = hashBytes(bytes, 0, length);
    if (length > this.#cache.maxPieceBytes) return this.#countUncached(bytes, length, hash);
    const known = this.#cache.get(bytes, length, hash);
    if (known > 0) return known;
    const count = this.#countUncached(bytes, length, hash);
    this.#cache.set(bytes, length, hash, count);
    return count;
  }

  #countUncached(bytes: Uint8Array, length: number, hash: number): number {
    if (length <= this.#table.maxTokenBytes && this.#table.find(bytes, 0, length, hash) >= 0) return 1;
    if (length > shortPieceBytes) {
      this.#work += length * heapWorkPerByte;
      return drain(this.#middleMerger.countInSlices(bytes, length, Infinity));
    }
    this.#work += length;
    return this.#shortMerger.count(bytes, length);
  }

  /** Buffers of its own, as other texts may be counted between its slices. */
  *#countLongPiece(text: string, start: number, end: number): Generator<void, number> {
    const piece = new Utf8Buffer(end - start);
    for (let from = start; from < end;) {
      const to = wholeCharactersEnd(text, Math.min(end, from + sliceWork));
      piece.append(text, from, to);
      from = to;
      if (from < end) yield;
    }
    const merger = new HeapPieceMerger(this.#table, piece.length);
    return yield* merger.countInSlices(piece.bytes, piece.length, longSliceSteps);
  }
}

/** Not between the halves of a surrogate pair. */
function wholeCharactersEnd(text: string, end: number): number {
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

function drain(slices: Generator<void, number>): number {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}
