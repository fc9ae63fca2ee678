import assert from 'node:assert/strict';
import { affordableOutput, costUsd, formatUsd, worstCostUsd } from '../../../../../src/core/versions/models/cost';
import { knownModel, modelAliases } from '../../../../../src/core/versions/models/modelCaller';
import { defaultModelSettings, knownModels, type ModelSettings } from '../../../../../src/core/model/models';

const haiku = knownModels['claude-haiku-5-5']!;
const opus = knownModels['claude-opus-5-5']!;
const usage = { inputTokens: 1e6, outputTokens: 1e5, cacheWriteTokens: 0, cacheReadTokens: 0 };

describe('what a call costs', () => {
  it('follows from the tokens and the prices, with those of the cache', () => {
    assert.equal(costUsd(opus, usage), 4 + 2);
    assert.equal(costUsd(opus, { ...usage, inputTokens: 0, cacheWriteTokens: 1e6, cacheReadTokens: 1e6 }), 5 + 0.4 + 2);
  });

  it('is more for prompts that a model takes for long', () => {
    assert.equal(costUsd(haiku, { ...usage, inputTokens: 1e5, outputTokens: 1e4 }), 0.015);
    assert.equal(costUsd(haiku, { ...usage, inputTokens: 1e5 + 1, outputTokens: 0 }).toFixed(5), '0.05000');
  });

  it('is never more than the worst that was reckoned with', () => {
    assert.ok(worstCostUsd(opus, 1e6, 1e5) >= costUsd(opus, usage));
    const room = affordableOutput(opus, 1e5, 1);
    assert.ok(worstCostUsd(opus, 1e5, room) <= 1 + 1e-9 && worstCostUsd(opus, 1e5, room + 2) > 1);
    assert.ok(affordableOutput(opus, 1e6, 1) < 0);
  });

  it('is written with as many digits as tell something', () => {
    const written = [0, 0.00042, 0.01, 0.0512, 0.5, 1.304, 12].map(formatUsd);
    assert.deepEqual(written, ['$0', '$0.00042', '$0.01', '$0.051', '$0.50', '$1.30', '$12.00']);
  });
});

describe('the models that can be asked', () => {
  const settings: ModelSettings = {
    ...defaultModelSettings,
    aliases: { mine: 'their-model', opus: 'claude-opus-5' },
    catalog: { 'claude-sonnet-5-5': { inputUsd: 1 } },
  };

  it('have aliases, which the configuration can add to and change', () => {
    assert.equal(knownModel('opus', defaultModelSettings).id, 'claude-opus-5-5');
    assert.equal(knownModel('opus', settings).id, 'claude-opus-5');
    assert.ok(modelAliases(settings).some(({ alias, id }) => alias === 'mine' && id === 'their-model'));
  });

  it('are known with a date behind their name, and with what the configuration corrects', () => {
    assert.equal(knownModel('claude-haiku-4-5-20251001', settings).facts.inputUsd, 1);
    const { facts } = knownModel('sonnet', settings);
    assert.deepEqual([facts.inputUsd, facts.outputUsd], [1, 10]);
  });

  it('must be described as a whole when Keepit does not know them', () => {
    assert.throws(() => knownModel('mine', settings), /their-model/);
    const half = { ...settings, catalog: { 'their-model': { inputUsd: 1, outputUsd: 2 } } };
    assert.throws(() => knownModel('mine', half), /cacheWriteUsd of "their-model" must be a number/);
    const whole = { ...settings, catalog: { 'their-model': { ...opus } } };
    assert.equal(knownModel('mine', whole).id, 'their-model');
  });

  it('cannot be named after what every object has', () => {
    assert.throws(() => knownModel('constructor', settings), /constructor/);
  });
});
