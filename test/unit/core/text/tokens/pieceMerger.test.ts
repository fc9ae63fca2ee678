import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { PieceMerger } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { RankTable } from '../../../../../src/core/text/tokens/rankTable';

describe('PieceMerger', () => {
  const maxBytes = 2_000;
  let table: RankTable;
  let merger: PieceMerger;

  before(() => {
    table = RankTable.from(encodeRanks());
    merger = new PieceMerger(table, maxBytes);
  });

  it('merges as the plain search through all pairs does, whatever the bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 80 }),
      fc
        .array(fc.constantFrom('a', 'b', 'e', 'i', 'n', 'r', 's', 't'), { minLength: 1, maxLength: 200 })
        .map((letters) => Buffer.from(letters.join(''))),
      fc
        .tuple(fc.constantFrom('a', 'ab', 'é', '中', '=', '  '), fc.integer({ min: 1, max: 300 }))
        .map(([unit, times]) => Buffer.from(unit.repeat(times))),
    );
    fc.assert(
      fc.property(bytes, (piece) => {
        assert.equal(merger.count(piece), plainCount(table, piece));
      }),
      { numRuns: 500 },
    );
  });
});

/** The plain search: of all pairs of neighbours the one of lowest rank, the leftmost of equals, until none is a token. */
function plainCount(table: RankTable, piece: Uint8Array): number {
  const starts = [...piece.keys(), piece.length];
  for (;;) {
    let best = { rank: Infinity, at: -1 };
    for (let at = 0; at + 2 < starts.length; at++) {
      const rank = table.rankOf(piece, starts[at] ?? 0, starts[at + 2] ?? 0);
      if (rank >= 0 && rank < best.rank) best = { rank, at };
    }
    if (best.at < 0) return starts.length - 1;
    starts.splice(best.at + 1, 1);
  }
}
