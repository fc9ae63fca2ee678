import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseKeepits } from '../../../../src/core/keepits/markerParser';
import { isWeight, markerText, parseWeight, weightName, weightPresets } from '../../../../src/core/keepits/weights';

describe('weights', () => {
  it('are called by the highest preset that they reach', () => {
    const weights = [1, 0.99, 0.95, 0.9, 0.8, 0.75, 0.5, 0.25, 0.1, 0];
    assert.deepEqual(weights.map(weightName), [
      'pinned',
      'critical',
      'critical',
      'critical',
      'important',
      'important',
      'notable',
      'minor',
      'hint',
      'hint',
    ]);
    for (const { name, weight } of weightPresets) assert.equal(weightName(weight), name);
  });

  it('are read as people write them', () => {
    for (const [text, weight] of [
      ['0.8', 0.8],
      ['0.80', 0.8],
      [' .8 ', 0.8],
      ['0,75', 0.75],
      ['1', 1],
      ['0', 0],
      ['80%', 0.8],
      ['7 %', 0.07],
      ['100%', 1],
      ['important', 0.75],
      ['Pinned', 1],
      ['0.29', 0.29],
      ['0.8000', 0.8],
    ] as const) {
      assert.deepEqual(parseWeight(text), { weight }, text);
    }
  });

  it('are refused, with a reason, rather than clamped or rounded', () => {
    for (const [text, problem] of [
      ['9.99', /between 0\.00 and 1\.00/],
      ['1.01', /between/],
      ['80', /between/],
      ['101%', /between/],
      ['0.805', /two decimals/],
      ['80.5%', /two decimals/],
      ['-1', /a number from 0\.00 to 1\.00/],
      ['NaN', /or one of pinned, critical/],
      ['Infinity', /a number/],
      ['1e-1', /a number/],
      ['', /a number/],
      ['heavy', /a number/],
    ] as const) {
      const parsed = parseWeight(text);
      assert.ok('problem' in parsed && problem.test(parsed.problem), `${text}: ${JSON.stringify(parsed)}`);
    }
  });

  it('have two decimals exactly, however they were written, and make a marker that is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (hundredths) => {
        for (const text of [`${hundredths}%`, (hundredths / 100).toFixed(2), String(hundredths / 100)]) {
          const parsed = parseWeight(text);
          assert.ok('weight' in parsed && isWeight(parsed.weight) && parsed.weight === hundredths / 100, text);
          assert.equal(parseKeepits(`${markerText(parsed.weight)} x`).spans[0]?.weight, parsed.weight);
        }
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseWeight(text);
        assert.ok('problem' in parsed || isWeight(parsed.weight));
      }),
    );
    for (const value of [Number.NaN, -0.01, 1.01, 0.805, Infinity]) assert.equal(isWeight(value), false);
  });
});
