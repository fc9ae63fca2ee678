import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { HeapPieceMerger, ShortPieceMerger } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { RankTable } from '../../../../../src/core/text/tokens/rankTable';

describe('HeapPieceMerger', () => {
  const maxBytes = 2_000;
  let table: RankTable;
  let heap: HeapPieceMerger;

  before(() => {
    table = RankTable.from(encodeRanks());
    heap = new HeapPieceMerger(table, maxBytes);
  });

  it('merges as the plain search through all pairs does, whatever the bytes', () => {
    const plain = new ShortPieceMerger(table, maxBytes);
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
        assert.equal(heap.count(piece), plain.count(piece));
      }),
      { numRuns: 500 },
    );
  });
});
