const slotCount = 1 << 14;
/** A slot holds the length of the piece, its count and its bytes side by side: one line of the processor's cache, as a rule. */
const slotBytes = 32;
const headerBytes = 2;

/**
 * Remembers the counts of short pieces. Of fixed size (512 KB, so that it stays near the processor): a piece takes the
 * place of the one that had its slot. Holds copies of bytes, as strings cut out of a text would keep the whole text in
 * memory.
 */
export class PieceCache {
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
