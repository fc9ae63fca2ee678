import assert from 'node:assert/strict';
import { defaultConfig } from '../../../../../src/core/model/config';
import { usualCompression } from '../../../../../src/core/keepits/decay';
import {
  decayLine,
  decayRows,
  distanceIn,
  outlookOf,
  weightLabel,
} from '../../../../../src/core/sessions/view/keepitOutlook';
import type { DecayContext } from '../../../../../src/core/sessions/results';

const { keepitDecay } = defaultConfig('2026-01-15T10:00:00Z');

function context(changes: Partial<DecayContext> = {}): DecayContext {
  return {
    config: keepitDecay,
    usual: { ratio: 30, level: 'aggressive' },
    isDecayOn: true,
    inMemory: [],
    ...changes,
  };
}

describe('the outlook of a keepit', () => {
  it('shows the preview that seed 000, 6.3 shows for 0.80', () => {
    assert.deepEqual(
      decayRows(0.8, keepitDecay).map(({ where, outcome }) => [where, outcome]),
      [
        ['distance 1 at 30:1', 'survives'],
        ['distance 5 at 30:1', 'survives'],
        ['distance 10 at 30:1', 'barely'],
        ['distance 10 at 50:1', 'fades'],
      ],
    );
    assert.equal(
      decayLine(0.8, keepitDecay),
      '$(pass) survives at distance 1, 5 (30:1)   $(warning) barely at 10 (30:1)   $(circle-slash) fades at 10 (50:1)',
    );
    assert.equal(decayLine(1, keepitDecay), '$(pass) survives at distance 1, 5, 10 (30:1) and 10 (50:1)');
  });

  it('says how far a weight reaches at the usual settings, and what it is now', () => {
    assert.deepEqual(outlookOf(0.71, context(), 5), {
      outcome: 'survives',
      reach: 'survives to distance 7 at 30:1',
      now: 'now at distance 5, 30:1 aggressive: 0.71 ≥ 0.65',
    });
    assert.equal(outlookOf(0.8, context(), 1).reach, 'survives at any distance at 30:1');
    assert.deepEqual(outlookOf(0.25, context(), 1).reach, 'fades at 30:1');
    assert.equal(outlookOf(0.25, context(), 1).outcome, 'fades');
  });

  it('never fades when it is pinned, or when the project has decay turned off', () => {
    assert.deepEqual(outlookOf(1, context(), 10).reach, 'never fades');
    assert.equal(outlookOf(0.1, context({ isDecayOn: false }), 10).outcome, 'survives');
  });

  it('calls a weight by the preset that it reaches', () => {
    assert.equal(weightLabel(0.8), '0.80 important');
    assert.equal(weightLabel(0.99), '0.99 critical');
    assert.equal(weightLabel(0), '0.00 hint');
  });

  it('takes the distance from the sessions in memory, also for one that is not there', () => {
    const inMemory = ['2026-01-03', '2026-01-02', '2026-01-01'].map((day, index) => ({
      sessionId: `s${index}`,
      lastTimestamp: `${day}T10:00:00Z`,
    }));
    assert.equal(distanceIn({ sessionId: 's1', lastTimestamp: '' }, context({ inMemory })), 2);
    assert.equal(distanceIn({ sessionId: 'new', lastTimestamp: '2026-01-02T12:00:00Z' }, context({ inMemory })), 2);
  });

  it('takes the hardest tier of the project’s preset for its usual settings', () => {
    assert.deepEqual(usualCompression('gentle'), { ratio: 10, level: 'moderate' });
    assert.deepEqual(usualCompression('tiered-aggressive'), { ratio: 50, level: 'aggressive' });
    assert.deepEqual(usualCompression('of my own'), usualCompression('standard'));
  });
});
