import type { RankTable } from './rankTable';

const noRank = 0x7fffffff;

/**
 * Merges the bytes of a short piece as byte-pair encoding demands: always the adjacent pair of lowest rank, the leftmost
 * of equals, until no pair is a token. Looks through all pairs for each merge, which for few bytes is the quickest way.
 */
export class ShortPieceMerger {
  readonly #table: RankTable;
  /** Where each part begins; one more entry than there are parts. */
  readonly #starts: Int32Array;
  /** The rank of each part joined with the next one. */
  readonly #ranks: Int32Array;

  constructor(table: RankTable, maxPieceBytes: number) {
    this.#table = table;
    this.#starts = new Int32Array(maxPieceBytes + 1);
    this.#ranks = new Int32Array(maxPieceBytes + 1);
  }

  /** The number of tokens of a piece. */
  count(piece: Uint8Array): number {
    const length = piece.length;
    const starts = this.#starts;
    const ranks = this.#ranks;
    for (let index = 0; index <= length; index++) starts[index] = index;
    for (let index = 0; index + 1 < length; index++) ranks[index] = this.#rank(piece, index, index + 2);
    let parts = length;
    while (parts > 1) {
      let best = 0;
      for (let part = 1; part + 1 < parts; part++) {
        if ((ranks[part] ?? 0) < (ranks[best] ?? 0)) best = part;
      }
      if (ranks[best] === noRank) break;
      starts.copyWithin(best + 1, best + 2, parts + 1);
      ranks.copyWithin(best + 1, best + 2, parts);
      parts--;
      if (best + 1 < parts) ranks[best] = this.#rank(piece, starts[best] ?? 0, starts[best + 2] ?? 0);
      if (best > 0) ranks[best - 1] = this.#rank(piece, starts[best - 1] ?? 0, starts[best + 1] ?? 0);
    }
    return parts;
  }

  #rank(piece: Uint8Array, start: number, end: number): number {
    const rank = this.#table.rankOf(piece, start, end);
    return rank < 0 ? noRank : rank;
  }
}
