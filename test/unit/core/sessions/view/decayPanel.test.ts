import assert from 'node:assert/strict';
import fc from 'fast-check';
import { judgeSurvival, levelForRatio } from '../../../../../src/core/keepits/decay';
import { defaultConfig } from '../../../../../src/core/model/config';
import {
  decayView,
  usualControls,
  decayDataSchema,
  decayStateSchema,
  type DecayData,
  type DecayMarker,
} from '../../../../../src/core/sessions/view/decayPanel';

const { keepitDecay } = defaultConfig('2026-01-15T10:00:00Z');

function marker(weight: number, changes: Partial<DecayMarker> = {}): DecayMarker {
  return { key: `s/${weight}`, weight, preview: `weighs ${weight}`, distance: 1, session: 'A session', ...changes };
}

function dataWith(markers: DecayMarker[]): DecayData {
  const scope = { projectId: '-p' };
  const usual = { ratio: 30, level: 'aggressive' as const };
  return { scope, title: 'p', project: 'p', isDecayOn: true, config: keepitDecay, usual, markers };
}

describe('the decay preview', () => {
  it('counts what survives of seed 000, appendix A, and names the threshold', () => {
    const data = dataWith([1, 0.9, 0.75, 0.5, 0.25].map((weight) => marker(weight)));
    const view = decayView(data, { ratio: 30, distance: 5 });
    assert.equal(view.summary, '3 of 5 survive; threshold 0.65');
    assert.equal(view.level, 'aggressive');
    assert.deepEqual(
      view.rows.map(({ preset, outcome, reason }) => [preset, outcome, reason]),
      [
        ['pinned', 'survives', 'pinned: always survives'],
        ['critical', 'survives', '0.90 ≥ 0.65'],
        ['important', 'survives', '0.75 ≥ 0.65'],
        ['notable', 'fades', '0.50 < 0.65'],
        ['minor', 'fades', '0.25 < 0.65'],
      ],
    );
  });

  it('says how many survive only barely', () => {
    const view = decayView(dataWith([marker(0.65), marker(0.9)]), { ratio: 30, distance: 5 });
    assert.equal(view.summary, '2 of 2 survive, 1 of them barely; threshold 0.65');
  });

  it('takes each session’s own distance until one is set', () => {
    const data = dataWith([marker(0.6, { key: 'a', distance: 1 }), marker(0.6, { key: 'b', distance: 9 })]);
    const own = decayView(data, { ratio: 30 });
    assert.deepEqual(own.distances, { least: 1, most: 9 });
    assert.equal(own.summary, '1 of 2 survive; thresholds 0.53 to 0.77');
    assert.equal(decayView(data, { ratio: 30, distance: 10 }).summary, '0 of 2 survive; threshold 0.80');
  });

  it('has no threshold to name where all are pinned, and speaks of one as of one', () => {
    assert.equal(decayView(dataWith([marker(1)]), { ratio: 100 }).summary, '1 of 1 survives');
    assert.equal(decayView(dataWith([]), { ratio: 100 }).summary, 'No keepits.');
  });

  it('lists the heaviest first, and leaves equal ones in their order', () => {
    const data = dataWith([marker(0.5, { key: 'a' }), marker(0.9, { key: 'b' }), marker(0.5, { key: 'c' })]);
    assert.deepEqual(
      decayView(data, { ratio: 10 }).rows.map(({ key }) => key),
      ['b', 'a', 'c'],
    );
  });

  it('begins with the project’s usual compression, the level only where the ratio does not imply it', () => {
    assert.deepEqual(usualControls({ usual: { ratio: 25, level: 'aggressive' } }), { ratio: 25 });
    assert.deepEqual(usualControls({ usual: { ratio: 25, level: 'light' } }), { ratio: 25, level: 'light' });
    assert.deepEqual(usualControls({ usual: { ratio: 1, level: 'light' } }), { ratio: 2 });
  });

  it('never says anything else than the formula does', () => {
    const weight = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
    const controls = fc.record({ ratio: fc.integer({ min: 2, max: 100 }), distance: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(weight), controls, (weights, { ratio, distance }) => {
        const view = decayView(dataWith(weights.map((one) => marker(one))), { ratio, distance });
        const settings = { ratio, distance, level: levelForRatio(ratio) };
        assert.equal(view.rows.length, weights.length);
        for (const row of view.rows) {
          assert.equal(row.outcome, judgeSurvival(row.weight, settings, keepitDecay).outcome);
        }
      }),
    );
  });

  it('copes with more markers than a call has room for arguments', () => {
    const view = decayView(dataWith(Array.from({ length: 200_000 }, () => marker(0.5))), { ratio: 2 });
    assert.equal(view.rows.length, 200_000);
  });
});

describe('the protocol of the decay preview', () => {
  it('carries a configuration with fields that this version does not know', () => {
    const data = dataWith([marker(0.5)]);
    const later = { ...data, config: { ...data.config, curve: 'linear' } };
    assert.deepEqual(decayDataSchema.parse(JSON.parse(JSON.stringify(later))), later);
  });

  it('takes no state that could not have been set', () => {
    const scope = { projectId: '-p' };
    assert.ok(decayStateSchema.safeParse({ scope, controls: { ratio: 30 } }).success);
    for (const controls of [
      { ratio: 1 },
      { ratio: 30, level: 'extreme' },
      { ratio: 30, distance: 0 },
      { ratio: NaN },
    ]) {
      assert.ok(!decayStateSchema.safeParse({ scope, controls }).success, JSON.stringify(controls));
    }
    assert.ok(!decayStateSchema.safeParse(undefined).success);
  });
});
