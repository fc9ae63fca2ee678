import { PieceScanner } from './pieceScanner';
import { hashBytes, RankTable } from './rankTable';
import type { TokenCounter } from './tokenCounter';

/** Up to here a piece is counted at one go, in buffers that are made once. */
const middlePieceBytes = 1536;
/** So many UTF-16 units are encoded at once; more, when a piece is longer. */
const windowUnits = 16_384;

/**
 * Exact `o200k_base` counts: the same as those of js-tiktoken with all special tokens taken as text. Time grows with
 * n log n at worst, whatever the text; memory is fixed but for single pieces beyond 1,536 bytes.
 */
export class ExactTokenCounter implements TokenCounter {
  readonly id = 'o200k_base';
  readonly #table: RankTable;
  readonly #scanner = new PieceScanner();
  readonly #cache = new PieceCache();
  readonly #merger: PieceMerger;

  /**
   * `ranks` is the content of the ranks file, which is kept and must not change, or the table built from it.
   * Throws `TokenRanksError` when the file is damaged.
   */
  constructor(ranks: Uint8Array | RankTable) {
    this.#table = ranks instanceof RankTable ? ranks : RankTable.from(ranks);
    this.#merger = new PieceMerger(this.#table, middlePieceBytes);
  }

  count(text: string): number {
    const windows = new Utf8Windows(text);
    let total = 0;
    while (windows.advance()) total += this.#countWindow(windows);
    return total;
  }

  /** Counts the whole pieces of a window. */
  #countWindow(windows: Utf8Windows): number {
    const { bytes } = windows;
    let tokens = 0;
    this.#scanner.open(bytes);
    while (windows.position < bytes.length) {
      const start = windows.position;
      const end = this.#scanner.end(start);
      if (this.#scanner.hasSeenEnd && !windows.isLast) {
        windows.isUsedUp = true;
        break;
      }
      windows.position = end;
      tokens += this.#countPiece(bytes, start, end);
    }
    return tokens;
  }

  #countPiece(bytes: Uint8Array, start: number, end: number): number {
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
    const merger = length <= middlePieceBytes ? this.#merger : new PieceMerger(this.#table, length);
    return merger.count(bytes.subarray(start, end));
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
  readonly #encoder = new TextEncoder();
  #encodedUnits = 0;

  constructor(private readonly text: string) {}

  /** Whether nothing follows the window. */
  get isLast(): boolean {
    return this.#encodedUnits === this.text.length;
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
    const end = Math.min(this.text.length, this.#encodedUnits + Math.max(windowUnits, rest.length));
    const wholeEnd = (this.text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    const encoded = this.#encoder.encode(this.text.slice(this.#encodedUnits, wholeEnd));
    this.bytes = new Uint8Array(rest.length + encoded.length);
    this.bytes.set(rest);
    this.bytes.set(encoded, rest.length);
    this.#encodedUnits = wholeEnd;
    this.position = 0;
    this.isUsedUp = false;
  }
}

const slotCount = 1 << 14;
/** A slot holds the length of the piece, its count and its bytes side by side: one line of the processor's cache, as a rule. */
const slotBytes = 32;
const headerBytes = 2;

/**
 * Remembers the counts of short pieces. Of fixed size (512 KB, so that it stays near the processor): a piece takes the
 * place of the one that had its slot. Holds copies of bytes, as strings cut out of a text would keep the whole text in
 * memory.
 */
class PieceCache {
  /** Longer pieces are not to be asked for or kept. */
  readonly maxPieceBytes = slotBytes - headerBytes;
  readonly #slots = new Uint8Array(slotCount * slotBytes);

  /** The count kept for `bytes[start, end)`, 0 where there is none. `hash` is their `hashBytes`. */
  get(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const slot = slotOf(hash);
    if (slots[slot] !== end - start) return 0;
    for (let index = start, at = slot + headerBytes; index < end; index++, at++) {
      if (slots[at] !== bytes[index]) return 0;
    }
    return slots[slot + 1] ?? 0;
  }

  /** Keeps the count of a piece. */
  set(piece: Uint8Array, hash: number, count: number): void {
    const slot = slotOf(hash);
    this.#slots[slot] = piece.length;
    this.#slots[slot + 1] = count;
    this.#slots.set(piece, slot + headerBytes);
  }
}

/** Where in the slots a hash belongs. */
function slotOf(hash: number): number {
  return ((hash ^ (hash >>> 16)) & (slotCount - 1)) * slotBytes;
}

const noRank = 0x7fffffff;
/** An entry of the heap is rank * positionSpan + position: ordered by rank, the leftmost of equals first. */
const positionSpan = 2 ** 31;

/**
 * Merges the bytes of a piece as byte-pair encoding demands: always the adjacent pair of lowest rank, the leftmost of equals, until no
 * pair is a token. In O(n log n): candidate pairs wait in a heap, and one that a neighbour's merge has overtaken is dropped when it comes up.
 */
export class PieceMerger {
  /** By position where a part begins: where the next and the previous part begin, and the rank of the part joined with the next. */
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #ranks: Int32Array;
  /** Room for every pair of the begin, and two more for every merge. */
  readonly #heap: Float64Array;
  #heapSize = 0;
  #piece: Uint8Array = new Uint8Array();

  constructor(
    private readonly table: RankTable,
    maxPieceBytes: number,
  ) {
    this.#next = new Int32Array(maxPieceBytes + 1);
    this.#previous = new Int32Array(maxPieceBytes + 1);
    this.#ranks = new Int32Array(maxPieceBytes + 1);
    this.#heap = new Float64Array(maxPieceBytes * 2 + 2);
  }

  count(piece: Uint8Array): number {
    const length = piece.length;
    this.#piece = piece;
    this.#heapSize = 0;
    for (let position = 0; position < length; position++) {
      this.#next[position] = position + 1;
      this.#next[position + 1] = position + 2; // which `#offer` looks at
      this.#previous[position] = position - 1;
      this.#offer(position);
    }
    let parts = length;
    while (this.#heapSize > 0) if (this.#mergeLowest()) parts--;
    return parts;
  }

  /** Takes the lowest candidate; false when it was overtaken. */
  #mergeLowest(): boolean {
    const entry = this.#pop();
    const rank = Math.floor(entry / positionSpan);
    const position = entry - rank * positionSpan;
    if (this.#ranks[position] !== rank) return false;
    const absorbed = this.#next[position] ?? 0;
    const next = this.#next[absorbed] ?? 0;
    this.#ranks[absorbed] = noRank;
    this.#next[position] = next;
    if (next < this.#piece.length) this.#previous[next] = position;
    this.#offer(position);
    const previous = this.#previous[position] ?? -1;
    if (previous >= 0) this.#offer(previous);
    return true;
  }

  /** Looks up the pair that begins at a position, and lets it wait for its turn when it is a token. */
  #offer(position: number): void {
    const middle = this.#next[position] ?? 0;
    this.#ranks[position] = noRank;
    if (middle >= this.#piece.length) return;
    const rank = this.table.rankOf(this.#piece, position, this.#next[middle] ?? 0);
    if (rank < 0) return;
    this.#ranks[position] = rank;
    this.#push(rank * positionSpan + position);
  }

  #push(entry: number): void {
    const heap = this.#heap;
    let index = this.#heapSize++;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] ?? 0;
      if (above <= entry) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): number {
    const heap = this.#heap;
    const top = heap[0] ?? 0;
    const last = heap[--this.#heapSize] ?? 0;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#heapSize) break;
      if (child + 1 < this.#heapSize && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++;
      if ((heap[child] ?? 0) >= last) break;
      heap[index] = heap[child] ?? 0;
      index = child;
    }
    heap[index] = last;
    return top;
  }
}
