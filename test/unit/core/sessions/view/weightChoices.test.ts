import assert from 'node:assert/strict';
import { defaultConfig } from '../../../../../src/core/model/config';
import { weightChoices } from '../../../../../src/core/sessions/view/keepitEditor';

const context = { config: defaultConfig('').keepitDecay, isDecayOn: true };
const choices = (typed: string, current?: number): [string, number | undefined][] =>
  weightChoices(typed, current, context).map(({ label, weight }) => [label, weight]);

describe('choosing a weight', () => {
  it('offers the presets, each with its decay preview, and says which one it has now', () => {
    const all = weightChoices('', 0.5, context);
    assert.deepEqual(
      all.map(({ label, description }) => `${label} ${description}`),
      ['Pinned 1.00', 'Critical 0.90', 'Important 0.75', 'Notable 0.50 · now', 'Minor 0.25', 'Hint 0.10'],
    );
    assert.match(all[3]?.detail ?? '', /\$\(circle-slash\) fades at .*10 \(50:1\)/);
  });

  it('puts what was typed first, with its own preview', () => {
    const [typed] = weightChoices('0.83', 0.5, context);
    assert.deepEqual([typed?.label, typed?.weight], ['0.83 important', 0.83]);
    assert.match(typed?.detail ?? '', /\$\(warning\) barely at 10 \(30:1\)/);
    assert.deepEqual(weightChoices('80%', undefined, context)[0]?.weight, 0.8);
  });

  it('says what is wrong with what is no weight, and cannot choose it', () => {
    const [problem] = weightChoices('0.825', undefined, context);
    assert.equal(problem?.weight, undefined);
    assert.match(problem?.detail ?? '', /two decimals/);
    assert.match(weightChoices('2', undefined, context)[0]?.detail ?? '', /between 0\.00 and 1\.00/);
  });

  it('narrows to the presets that begin as was typed', () => {
    assert.deepEqual(choices('cri'), [['Critical', 0.9]]);
    assert.deepEqual(weightChoices('important', undefined, context)[0]?.weight, 0.75);
  });

  it('puts a weight that is no preset first, so that it can be kept', () => {
    assert.deepEqual(choices('', 0.82)[0], ['0.82 important', 0.82]);
    assert.equal(choices('', 0.82).length, 7);
  });

  it('says that nothing fades where decay is off', () => {
    const off = weightChoices('0.10', 0.5, { ...context, isDecayOn: false });
    assert.ok(off.every(({ detail }) => detail.endsWith('survives everything: decay is off in this project')));
  });

  it('lists a preset once', () => {
    assert.equal(weightChoices('0.9', undefined, context).length, 6);
  });
});
