import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decayLevel,
  judgeSurvival,
  levelForRatio,
  survivalReach,
  survivalThreshold,
  thresholdText,
  type DecayConfig,
  type DecayLevel,
  type DecaySettings,
} from '../../../../src/core/keepits/decay';
import { defaultConfig } from '../../../../src/core/model/config';

const config = defaultConfig('2026-01-20T10:00:00Z').keepitDecay;
const at = (distance: number, level: DecayLevel, ratio: number): DecaySettings => ({ distance, level, ratio });

describe('decay', () => {
  it('gives what the five worked examples of the specification give', () => {
    const examples = [
      [0.8, at(10, 'aggressive', 30), 0.8, 'barely'],
      [0.8, at(5, 'aggressive', 30), 0.65, 'survives'],
      [0.25, at(10, 'moderate', 15), 0.45, 'fades'],
      [0.5, at(7, 'light', 5), 0.135, 'survives'],
    ] as const;
    for (const [weight, settings, threshold, outcome] of examples) {
      assert.equal(survivalThreshold(settings, config), threshold);
      const survival = judgeSurvival(weight, settings, config);
      assert.deepEqual([survival.outcome, survival.survives], [outcome, outcome !== 'fades']);
    }
    for (const settings of [at(10, 'aggressive', 100), at(1000, 'aggressive', 10_000), at(1, 'light', 2)]) {
      assert.equal(judgeSurvival(1, settings, config).outcome, 'survives');
    }
  });

  it('gives the four lines of the preview in the specification', () => {
    const lines = [
      at(1, 'aggressive', 30),
      at(5, 'aggressive', 30),
      at(10, 'aggressive', 30),
      at(10, 'aggressive', 50),
    ];
    assert.deepEqual(
      lines.map((settings) => judgeSurvival(0.8, settings, config).outcome),
      ['survives', 'survives', 'barely', 'fades'],
    );
  });

  it('says why in words', () => {
    const reason = (weight: number, settings: DecaySettings) => judgeSurvival(weight, settings, config).reason;
    assert.equal(reason(1, at(10, 'aggressive', 30)), 'pinned: always survives');
    assert.equal(reason(0.8, at(5, 'aggressive', 30)), '0.80 ≥ 0.65');
    assert.equal(reason(0.5, at(10, 'aggressive', 30)), '0.50 < 0.80');
    assert.equal(reason(0.13, at(7, 'light', 5)), '0.13 < 0.135');
    assert.equal(thresholdText(1.3), '1.30');
  });

  it('takes every number from the configuration', () => {
    const own: DecayConfig = {
      ...config,
      compressionBase: { light: 0, moderate: 0.2, aggressive: 0.4 },
      maxSessionDistance: 4,
      pinnedWeight: 0.9,
    };
    assert.equal(survivalThreshold(at(2, 'moderate', 20), own), 0.3);
    assert.equal(survivalThreshold(at(9, 'moderate', 20), own), 0.4);
    assert.equal(judgeSurvival(0.9, at(4, 'aggressive', 90), own).outcome, 'survives');
    assert.equal(judgeSurvival(0.89, at(4, 'aggressive', 90), own).outcome, 'fades');
    assert.equal(survivalReach(0.3, at(1, 'moderate', 20), own), 2);
  });

  it('takes minimal for light, and a level from the ratio where there is nothing else', () => {
    assert.deepEqual((['minimal', 'moderate', 'aggressive'] as const).map(decayLevel), [
      'light',
      'moderate',
      'aggressive',
    ]);
    assert.deepEqual([1, 2, 5, 5.9, 6, 15, 15.9, 16, 50].map(levelForRatio), [
      ...['light', 'light', 'light', 'light'],
      ...['moderate', 'moderate', 'moderate'],
      ...['aggressive', 'aggressive'],
    ]);
  });

  it('says how far a weight reaches', () => {
    const reach = (weight: number, level: DecayLevel, ratio: number) => survivalReach(weight, { level, ratio }, config);
    assert.equal(reach(0.71, 'aggressive', 30), 7);
    assert.equal(reach(0.8, 'aggressive', 30), 'any');
    assert.equal(reach(0.8, 'aggressive', 50), 6);
    assert.equal(reach(1, 'aggressive', 100), 'any');
    assert.equal(reach(0.5, 'aggressive', 30), 0);
    assert.equal(reach(0.1, 'aggressive', 30), 0);
    assert.equal(reach(0.53, 'aggressive', 30), 1);
  });

  const levels = fc.constantFrom<DecayLevel>('light', 'moderate', 'aggressive');
  const weights = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
  const ratios = fc.integer({ min: 1, max: 200 });
  const distances = fc.integer({ min: 0, max: 40 });
  const configs = fc.record({
    compressionBase: fc
      .uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
      .map(([light = 0, moderate = 0, aggressive = 0]) => ({ light, moderate, aggressive })),
    maxSessionDistance: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.double({ min: 1, max: 50, noNaN: true })),
    pinnedWeight: fc.constantFrom(1, 0.95, 0.9),
    rehearsal: fc.boolean(),
  });
  const rank = { fades: 0, barely: 1, survives: 2 };

  it('never gets worse for more weight, nor better for more distance or a higher ratio', () => {
    fc.assert(
      fc.property(
        configs,
        levels,
        fc.tuple(weights, ratios, distances),
        fc.tuple(weights, ratios, distances),
        (own, level, [w1, r1, d1], [w2, r2, d2]) => {
          const outcome = (weight: number, ratio: number, distance: number) =>
            rank[judgeSurvival(weight, { ratio, level, distance }, own).outcome];
          assert.ok(outcome(Math.min(w1, w2), r1, d1) <= outcome(Math.max(w1, w2), r1, d1));
          assert.ok(outcome(w1, Math.max(r1, r2), d1) <= outcome(w1, Math.min(r1, r2), d1));
          assert.ok(outcome(w1, r1, Math.max(d1, d2)) <= outcome(w1, r1, Math.min(d1, d2)));
        },
      ),
    );
  });

  it('reaches exactly as far as the formula lets it, whatever the configuration', () => {
    fc.assert(
      fc.property(configs, levels, weights, ratios, (own, level, weight, ratio) => {
        const survives = (distance: number) => judgeSurvival(weight, { ratio, level, distance }, own).survives;
        const reach = survivalReach(weight, { ratio, level }, own);
        if (reach === 'any') assert.ok(survives(1) && survives(own.maxSessionDistance) && survives(1000));
        else {
          assert.equal(survives(reach + 1), false);
          assert.ok(reach === 0 || survives(reach));
        }
      }),
      { numRuns: 500 },
    );
  });
});
