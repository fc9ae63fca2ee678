const slotCount = 1 << 14;

/**
 * Remembers the counts of pieces that are not tokens themselves. Of fixed size: a piece takes the place of the one that
 * had its slot. Holds copies of bytes, as strings cut out of a text would keep the whole text in memory.
 */
export class PieceCache {
  readonly #bytes: Uint8Array;
  readonly #maxPieceBytes: number;
  /** 0 = the slot is free. */
  readonly #lengths = new Uint8Array(slotCount);
  readonly #counts = new Uint8Array(slotCount);

  /** `maxPieceBytes` is at most 255. */
  constructor(maxPieceBytes: number) {
    this.#maxPieceBytes = maxPieceBytes;
    this.#bytes = new Uint8Array(slotCount * maxPieceBytes);
  }

  /** The count kept for `bytes[0, length)`, 0 where there is none. `hash` is their `hashBytes`. */
  get(bytes: Uint8Array, length: number, hash: number): number {
    const slot = slotOf(hash);
    if (this.#lengths[slot] !== length) return 0;
    const from = slot * this.#maxPieceBytes;
    for (let index = 0; index < length; index++) {
      if (this.#bytes[from + index] !== bytes[index]) return 0;
    }
    return this.#counts[slot] ?? 0;
  }

  /** Keeps the count of `bytes[0, length)`, which are at most `maxPieceBytes`. */
  set(bytes: Uint8Array, length: number, hash: number, count: number): void {
    const slot = slotOf(hash);
    this.#bytes.set(bytes.subarray(0, length), slot * this.#maxPieceBytes);
    this.#lengths[slot] = length;
    this.#counts[slot] = count;
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 14)) & (slotCount - 1);
}
