import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import {
  calibrate,
  calibrated,
  defaultCalibration,
  medianErrorPctOf,
  type UsagePair,
} from '../../../../../src/core/text/tokens/calibration';

function pairsOf(model: string, count: number, ratio: number): UsagePair[] {
  return Array.from({ length: count }, (_, index) => {
    const counted = 100 + 37 * index;
    return { model, counted, claudeTokens: counted * ratio };
  });
}

describe('calibrate', () => {
  it('finds the ratio of each model, the most frequent model first', () => {
    const found = calibrate([...pairsOf('claude-a', 20, 1.25), ...pairsOf('claude-b', 30, 1.6)]);
    assert.deepEqual(
      found.map(({ model, ratio, pairs, medianErrorPct }) => [model, ratio.toFixed(4), pairs, medianErrorPct]),
      [
        ['claude-b', '1.6000', 30, 0],
        ['claude-a', '1.2500', 20, 0],
      ],
    );
  });

  it('is not moved by a minority of pairs in which the model was sent more than the transcript shows', () => {
    const hidden = pairsOf('claude-a', 12, 9);
    const [found] = calibrate([...pairsOf('claude-a', 30, 1.2), ...hidden]);
    assert.ok(found);
    assert.ok(Math.abs(found.ratio - 1.2) < 1e-9);
  });

  it('tells the median error of the ratio on its own pairs', () => {
    const pairs = [...pairsOf('claude-a', 10, 1), ...pairsOf('claude-a', 10, 1.25), ...pairsOf('claude-a', 11, 1.1)];
    const [found] = calibrate(pairs);
    assert.ok(found);
    assert.equal(found.ratio.toFixed(3), '1.100');
    assert.equal(found.medianErrorPct, medianErrorPctOf(found.ratio, pairs));
    assert.equal(found.medianErrorPct, 10);
  });

  it('uses the default while a model has few pairs, and says so', () => {
    const [found] = calibrate(pairsOf('claude-sonnet-4-5-20250929', 19, 3));
    assert.ok(found);
    assert.deepEqual(found, defaultCalibration('claude-sonnet-4-5-20250929'));
    assert.equal(found.pairs, 0);
  });

  it('passes over pairs without a figure, and finds nothing in nothing', () => {
    assert.deepEqual(calibrate([]), []);
    assert.deepEqual(
      calibrate([
        { model: 'm', counted: 0, claudeTokens: 4 },
        { model: 'm', counted: 4, claudeTokens: NaN },
      ]),
      [],
    );
  });

  it('gives a ratio between the smallest and the largest of the pairs', () => {
    const pair = fc.record({
      model: fc.constant('m'),
      counted: fc.integer({ min: 1, max: 1e6 }),
      claudeTokens: fc.integer({ min: 1, max: 1e6 }),
    });
    fc.assert(
      fc.property(fc.array(pair, { minLength: 20, maxLength: 60 }), (pairs) => {
        const ratios = pairs.map(({ counted, claudeTokens }) => claudeTokens / counted);
        const found = calibrate(pairs)[0]!;
        assert.ok(found.ratio >= Math.min(...ratios) && found.ratio <= Math.max(...ratios));
        assert.ok(found.medianErrorPct >= 0);
      }),
    );
  });
});

describe('defaultCalibration', () => {
  it('tells the tokenizer of Opus 4.7 and of what came after it from the earlier one', () => {
    const earlier = [
      'claude-sonnet-4-20250514',
      'claude-opus-4-5-20251101',
      'claude-haiku-4-5',
      'claude-opus-4-6',
      'claude-3-7-sonnet-latest',
      'us.anthropic.claude-opus-4-1-v1:0',
    ];
    const later = [
      'claude-opus-4-7',
      'claude-opus-4-8',
      'claude-opus-4-7-20260416',
      'claude-sonnet-5',
      'claude-opus-5-1',
    ];
    assert.equal(new Set(earlier.map((model) => defaultCalibration(model).ratio)).size, 1);
    assert.equal(new Set(later.map((model) => defaultCalibration(model).ratio)).size, 1);
    assert.ok(defaultCalibration('claude-opus-4-7').ratio > defaultCalibration('claude-opus-4-6').ratio);
  });

  it('has a figure for models that nobody knows yet', () => {
    assert.ok(defaultCalibration('somebody-elses-model').ratio > 1);
  });
});

describe('calibrated', () => {
  it('gives the figure of the model with its error, and whether it was measured here', () => {
    const measured = { model: 'm', ratio: 1.25, medianErrorPct: 6.5, pairs: 40 };
    assert.deepEqual(calibrated(measured, 1000), { model: 'm', tokens: 1250, medianErrorPct: 6.5, isMeasured: true });
    assert.equal(calibrated(defaultCalibration('m'), 1000).isMeasured, false);
  });
});
