import type { RankTable } from './rankTable';

const noRank = 0x7fffffff;
/** An entry of the heap is rank * positionSpan + position: ordered by rank, the leftmost of equals first. */
const positionSpan = 2 ** 31;

/**
 * The merges of `ShortPieceMerger` for pieces of any length, in O(n log n): candidate pairs wait in a heap, and one that
 * a neighbour's merge has overtaken is dropped when it comes up.
 */
export class HeapPieceMerger {
  readonly #table: RankTable;
  /** By position where a part begins: where the next and the previous part begin, and the rank of the part joined with the next. */
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #ranks: Int32Array;
  /** Room for every pair of the begin, and two more for every merge. */
  readonly #heap: Float64Array;
  #heapSize = 0;
  #piece: Uint8Array = new Uint8Array();

  constructor(table: RankTable, maxPieceBytes: number) {
    this.#table = table;
    this.#next = new Int32Array(maxPieceBytes + 1);
    this.#previous = new Int32Array(maxPieceBytes + 1);
    this.#ranks = new Int32Array(maxPieceBytes + 1);
    this.#heap = new Float64Array(maxPieceBytes * 2 + 2);
  }

  /** Counts the tokens of a piece; yields after every `stepsPerSlice` pairs looked at. */
  *countInSlices(piece: Uint8Array, stepsPerSlice: number): Generator<void, number> {
    const length = piece.length;
    this.#piece = piece;
    this.#heapSize = 0;
    let steps = 0;
    for (let position = 0; position < length; position++) {
      this.#next[position] = position + 1;
      this.#next[position + 1] = position + 2; // which `#offer` looks at
      this.#previous[position] = position - 1;
      this.#offer(position);
      if (++steps % stepsPerSlice === 0) yield;
    }
    let parts = length;
    while (this.#heapSize > 0) {
      if (this.#mergeLowest()) parts--;
      if (++steps % stepsPerSlice === 0) yield;
    }
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
    const rank = this.#table.rankOf(this.#piece, position, this.#next[middle] ?? 0);
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
