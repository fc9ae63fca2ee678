import assert from 'node:assert/strict';
import fc from 'fast-check';
import { settingsFor, tierPresets } from '../../../../../src/core/versions/compressionSettings';
import {
  problemsOf,
  requestOf,
  scopeChoices,
  withoutTier,
  withTier,
} from '../../../../../src/core/versions/view/compressionForm';
import {
  compressionFormSchema,
  compressionStateSchema,
  type CompressionData,
  type CompressionForm,
  type TierFields,
} from '../../../../../src/core/versions/view/compressionProtocol';
import { Formats } from '../../../../../src/core/text/formats';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });

function formWith(fields: Partial<CompressionForm> = {}): CompressionForm {
  return {
    scope: { kind: 'whole' },
    mode: 'tiered',
    ratio: 30,
    preset: 'standard',
    tiers: [...tierPresets.standard],
    skipFirst: 0,
    keepitMode: 'decay',
    provider: 'local',
    model: '',
    maxCostUsd: null,
    ...fields,
  };
}

const data: CompressionData = {
  target: { projectId: '-p', sessionId: 's' },
  title: 'Fix the login loop',
  project: 'my-app',
  original: { tokens: 100_234, messages: 450, isEstimate: false },
  delta: { newMessages: 30, newTokens: 12_300, nextPart: 3, messageRange: [420, 449] },
  parts: [
    { partNumber: 1, messageRange: [0, 99], versions: 2 },
    { partNumber: 2, messageRange: [100, 419], versions: 1 },
  ],
  wholeVersions: 1,
  usual: formWith(),
  distance: 5,
  maxDistance: 10,
  providers: [
    { name: 'local', models: [] },
    { name: 'anthropic', models: [{ id: 'opus', label: 'opus' }], problem: 'There is no API key.' },
    { name: 'claude-cli', models: [{ id: 'opus', label: 'opus' }] },
  ],
  runCapUsd: 2,
};

const tier = (endPercent: number | null, compactionRatio: number | null = 10): TierFields => {
  return { endPercent, compactionRatio, aggressiveness: 'moderate' };
};

describe('the form of a compression', () => {
  it('asks for no more than what counts in the chosen mode', () => {
    const common = { scope: { kind: 'whole' }, keepitMode: 'decay', provider: 'local', skipFirstMessages: 0 };
    const tiered = requestOf(formWith({ aggressiveness: 'minimal' }));
    assert.deepEqual(tiered, { ...common, mode: 'tiered', tierPreset: 'standard', sessionDistance: undefined });
    const uniform = requestOf(formWith({ mode: 'uniform', preset: 'custom', distance: 7 }));
    assert.deepEqual(uniform, {
      ...common,
      mode: 'uniform',
      compactionRatio: 30,
      aggressiveness: undefined,
      sessionDistance: 7,
    });
    const byModel = requestOf(formWith({ provider: 'claude-cli', model: 'haiku', maxCostUsd: 0.5 }));
    assert.deepEqual([byModel.provider, byModel.model, byModel.maxCostUsd], ['claude-cli', 'haiku', 0.5]);
    assert.equal(requestOf(formWith({ model: 'haiku', maxCostUsd: 1 })).model, undefined);
  });

  it('is right as it begins', () => {
    assert.deepEqual(problemsOf(formWith(), data), {});
  });

  it('says at each field what is wrong with it', () => {
    const cases: [Partial<CompressionForm>, Record<string, RegExp>][] = [
      [{ scope: { kind: 'part', partNumber: 7 } }, { scope: /no part 7/ }],
      [{ skipFirst: null }, { skipFirst: /whole number/ }],
      [{ skipFirst: 1.5 }, { skipFirst: /whole number/ }],
      [{ skipFirst: 450 }, { skipFirst: /none would be left/ }],
      [{ provider: 'anthropic' }, { provider: /API key/ }],
      [{ provider: 'claude-cli', maxCostUsd: 0 }, { maxCostUsd: /above 0/ }],
      [{ preset: 'custom', tiers: [] }, { tiers: /at least one/ }],
      [{ preset: 'custom', tiers: [tier(50), tier(50), tier(100)] }, { 'tier-1-endPercent': /behind 50/ }],
      [{ preset: 'custom', tiers: [tier(50), tier(90)] }, { 'tier-1-endPercent': /last tier.*100/ }],
      [{ preset: 'custom', tiers: [tier(120)] }, { 'tier-0-endPercent': /no more than 100/ }],
      [
        { preset: 'custom', tiers: [tier(null, null)] },
        { 'tier-0-endPercent': /percent/, 'tier-0-compactionRatio': /30:1/ },
      ],
      [{ preset: 'custom', tiers: [tier(100, 0.5)] }, { 'tier-0-compactionRatio': /Below 1:1/ }],
      [{ preset: 'custom', tiers: [tier(100, 1001)] }, { 'tier-0-compactionRatio': /nothing would be left/ }],
    ];
    for (const [fields, expected] of cases) {
      const problems = problemsOf(formWith(fields), data);
      assert.deepEqual(Object.keys(problems).sort(), Object.keys(expected).sort(), JSON.stringify(fields));
      for (const [field, text] of Object.entries(problems)) assert.match(text ?? '', expected[field]!);
    }
  });

  it('does not mind what is wrong with a choice that does not count', () => {
    const idle = { tiers: [tier(null)], maxCostUsd: -1 };
    assert.deepEqual(problemsOf(formWith({ mode: 'uniform', preset: 'custom', ...idle }), data), {});
    assert.deepEqual(problemsOf(formWith({ preset: 'gentle', ...idle }), data), {});
  });

  it('knows when there is nothing to compress', () => {
    const upToDate = { ...data, delta: { newMessages: 0, newTokens: 0, nextPart: 3 } };
    assert.match(problemsOf(formWith({ scope: { kind: 'delta' } }), upToDate).scope ?? '', /Nothing was said since/);
    const empty = { ...data, original: { tokens: 0, messages: 0, isEstimate: false } };
    assert.match(problemsOf(formWith(), empty).scope ?? '', /Nothing was said in this session/);
  });

  it('lets through only what the engine takes, and all that it takes of tiers', () => {
    const anyTier = fc.record({
      endPercent: fc.option(fc.integer({ min: -5, max: 120 })),
      compactionRatio: fc.option(fc.integer({ min: -1, max: 1100 })),
      aggressiveness: fc.constantFrom('minimal' as const, 'moderate' as const, 'aggressive' as const),
    });
    const defaults = {
      project: { defaultCompressionPreset: 'standard', keepitDecayEnabled: true },
      sessionDistance: 1,
      model: 'local',
    };
    const isTaken = (form: CompressionForm): boolean => {
      try {
        settingsFor(requestOf(form), defaults);
        return form.tiers.every(({ endPercent, compactionRatio }) => endPercent !== null && compactionRatio !== null);
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.array(anyTier, { maxLength: 5 }), (tiers) => {
        const form = formWith({ preset: 'custom', tiers });
        assert.equal(Object.keys(problemsOf(form, data)).length === 0, isTaken(form));
      }),
    );
  });
});

describe('the table of tiers', () => {
  it('still ends at 100 when a tier comes or goes', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 150 }), (steps) => {
        let tiers: TierFields[] = [tier(100)];
        for (const isMore of steps) {
          const next = isMore ? withTier(tiers) : withoutTier(tiers, 0);
          tiers = next.length === 0 ? withTier(next) : next;
        }
        assert.equal(tiers.at(-1)?.endPercent, 100);
        const ends = tiers.map(({ endPercent }) => endPercent ?? 0);
        assert.deepEqual(
          ends,
          [...new Set(ends)].sort((a, b) => a - b),
        );
      }),
    );
  });
});

describe('what can be compressed', () => {
  it('is the whole session, what is new, or a part again', () => {
    assert.deepEqual(
      scopeChoices(data, formats).map(({ key, label, detail }) => [key, label, detail]),
      [
        ['whole', 'Whole session', '450 messages · 100k tokens'],
        ['delta', 'New messages', '30 messages · 12k tokens · will be part 3'],
        ['part 1', 'Part 1 again', 'messages 1–100 · 2 versions'],
        ['part 2', 'Part 2 again', 'messages 101–420 · 1 version'],
      ],
    );
  });
});

describe('the protocol of Create Compression', () => {
  it('carries a form that is wrong, as it stands', () => {
    const wrong = formWith({ skipFirst: null, tiers: [tier(null, -3)] });
    assert.deepEqual(compressionFormSchema.parse(JSON.parse(JSON.stringify(wrong))), wrong);
  });

  it('takes no state that could not have been left behind', () => {
    const { target } = data;
    assert.ok(compressionStateSchema.safeParse({ target, form: formWith() }).success);
    for (const form of [
      { ...formWith(), ratio: 0 },
      { ...formWith(), provider: 'gpt' },
      { ...formWith(), scope: 'whole' },
    ]) {
      assert.ok(!compressionStateSchema.safeParse({ target, form }).success);
    }
    assert.ok(!compressionStateSchema.safeParse(undefined).success);
  });
});
