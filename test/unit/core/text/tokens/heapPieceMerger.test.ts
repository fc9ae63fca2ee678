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

  /** The count, and how many pairs were looked at for it. */
  function countWithSteps(merger: HeapPieceMerger, piece: Uint8Array): { count: number; steps: number } {
    const slices = merger.countInSlices(piece, 1);
    for (let steps = 0; ; steps++) {
      const slice = slices.next();
      if (slice.done) return { count: slice.value, steps };
    }
  }

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
        assert.equal(countWithSteps(heap, piece).count, plain.count(piece));
      }),
      { numRuns: 500 },
    );
  });

  for (const [what, unit] of [
    ['one letter', 'a'],
    ['two letters', 'ab'],
    ['words', 'unbelievably'],
    ['Chinese characters', '漢字仮名交'],
    ['blanks', ' '],
  ] as const) {
    it(`looks at no more than four pairs for each byte of a run of ${what}, however long it is`, () => {
      for (const length of [1_000, 10_000, 100_000]) {
        const piece = Buffer.from(unit.repeat(Math.ceil(length / unit.length)));
        const { steps } = countWithSteps(new HeapPieceMerger(table, piece.length), piece);
        assert.ok(steps <= 4 * piece.length, `${steps} steps for ${piece.length} bytes`);
      }
    });
  }
});
