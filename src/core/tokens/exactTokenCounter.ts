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
/** Work of one slice, in UTF-16 units of common text: 1–2 ms on a machine of 2020. */
const sliceWork = 32_768;
/** A byte that goes through the heap costs about as much as this many units of common text. */
const heapWorkPerByte = 16;

/**
 * Exact `o200k_base` counts: the same as those of js-tiktoken with all special tokens taken as text. Time grows with
 * n log n at worst, whatever the text; memory is fixed but for single pieces beyond 512 characters. May be used for
 * another text while a count in slices is paused.
 */
export class ExactTokenCounter implements SliceableTokenCounter {
  readonly id = 'o200k_base';
  readonly #table: RankTable;
  readonly #scanner = new PieceScanner();
  readonly #cache = new PieceCache(shortPieceBytes);
  readonly #shortMerger: ShortPieceMerger;
  readonly #middleMerger: HeapPieceMerger;
  readonly #scratch = new Utf8Buffer(middlePieceUnits);
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
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
    let position = 0;
    while (position < text.length) {
      this.#scanner.open(text);
      this.#work = 0;
      while (position < text.length && this.#work < sliceWork) {
        const end = this.#scanner.end(position);
        if (end - position <= middlePieceUnits) total += this.#countPiece(text, position, end);
        else {
          total += yield* this.#countLongPiece(text, position, end);
          this.#scanner.open(text);
        }
        position = end;
      }
      this.#scanner.close();
      if (position < text.length) yield;
    }
    return total;
  }

  #countPiece(text: string, start: number, end: number): number {
    this.#scratch.length = 0;
    this.#scratch.append(text, start, end);
    const { bytes, length } = this.#scratch;
    this.#work += end - start;
    const hash = hashBytes(bytes, 0, length);
    if (length <= this.#table.maxTokenBytes && this.#table.find(bytes, 0, length, hash) >= 0) return 1;
    if (length > shortPieceBytes) {
      this.#work += length * heapWorkPerByte;
      return drain(this.#middleMerger.countInSlices(bytes, length, Infinity));
    }
    const known = this.#cache.get(bytes, length, hash);
    if (known > 0) return known;
    this.#work += length;
    const count = this.#shortMerger.count(bytes, length);
    this.#cache.set(bytes, length, hash, count);
    return count;
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
    const count = yield* merger.countInSlices(piece.bytes, piece.length, sliceWork / heapWorkPerByte);
    this.#work += sliceWork;
    return count;
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
