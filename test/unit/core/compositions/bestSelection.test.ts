import assert from 'node:assert/strict';
import fc from 'fast-check';
import { measured, selectBest, type Choice } from '../../../../src/core/compositions/bestSelection';

const choice = fc.record({ tokens: fc.nat(40), fidelity: fc.nat(100).map((hundredths) => hundredths / 100) });
const lists = fc.array(fc.array(choice, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });

function allPicks(choices: readonly (readonly Choice[])[]): number[][] {
  return choices.reduce<number[][]>(
    (sofar, list) => sofar.flatMap((picks) => list.map((_, index) => [...picks, index])),
    [[]],
  );
}

function bruteForce(choices: readonly (readonly Choice[])[], budget: number): number | undefined {
  const fitting = allPicks(choices)
    .map((picks) => measured(choices, picks))
    .filter(({ tokens }) => tokens <= budget);
  return fitting.length === 0 ? undefined : Math.max(...fitting.map(({ fidelity }) => fidelity));
}

describe('selectBest', () => {
  it('finds what trying everything finds', () => {
    fc.assert(
      fc.property(lists, fc.nat(150), (choices, budget) => {
        const expected = bruteForce(choices, budget);
        const found = selectBest(choices, budget);
        if (expected === undefined || found === undefined) {
          assert.equal(found?.fidelity, expected);
          return;
        }
        assert.ok(Math.abs(found.fidelity - expected) < 1e-6, `${found.fidelity} instead of ${expected}`);
        assert.ok(found.tokens <= budget);
        assert.ok(found.isProven);
      }),
      { numRuns: 1000 },
    );
  });

  it('is never worse than a selection that it was given', () => {
    fc.assert(
      fc.property(lists, fc.nat(150), fc.infiniteStream(fc.nat(3)), (choices, budget, stream) => {
        const picks = choices.map((list) => (stream.next().value ?? 0) % list.length);
        const given = measured(choices, picks);
        const found = selectBest(choices, budget, [picks]);
        if (given.tokens <= budget) assert.ok((found?.fidelity ?? -1) >= given.fidelity);
      }),
    );
  });

  it('takes the best of everything when all of it fits', () => {
    const found = selectBest(
      [
        [
          { tokens: 1, fidelity: 0.1 },
          { tokens: 9, fidelity: 1 },
        ],
        [{ tokens: 5, fidelity: 0.7 }],
      ],
      14,
    );
    assert.deepEqual(found, { picks: [1, 0], tokens: 14, fidelity: 1.7, isProven: true });
  });

  it('has no answer when the smallest choices do not fit', () => {
    assert.equal(selectBest([[{ tokens: 3, fidelity: 1 }], [{ tokens: 4, fidelity: 0 }]], 6), undefined);
  });

  it('gives up a rich version where two others gain more', () => {
    const rich = [
      { tokens: 0, fidelity: 0 },
      { tokens: 10, fidelity: 0.9 },
    ];
    const lean = [
      { tokens: 0, fidelity: 0 },
      { tokens: 5, fidelity: 0.5 },
    ];
    assert.deepEqual(selectBest([rich, lean, lean], 10)?.picks, [0, 1, 1]);
  });

  it('proves what it finds for hundreds of sessions with ten versions each', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const many = Array.from({ length: 200 }, () => {
      const original = 5000 + random() * 200_000;
      return Array.from({ length: 10 }, (_, level) => {
        const share = 0.02 + (level / 10) * 0.5 * random();
        return { tokens: Math.round(original * share), fidelity: Math.min(1, share ** 0.4 * (0.8 + 0.2 * random())) };
      }).concat({ tokens: 0, fidelity: 0 });
    });
    for (const budget of [20_000, 200_000, 1_000_000]) {
      const found = selectBest(many, budget);
      assert.ok(found?.isProven);
      assert.ok(found.tokens <= budget);
    }
  });
});
