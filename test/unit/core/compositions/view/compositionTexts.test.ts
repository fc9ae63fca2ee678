import assert from 'node:assert/strict';
import { compositionStrategySchema } from '../../../../../src/core/model/composition';
import {
  budgetText,
  optionText,
  percentText,
  rebuiltText,
  strategyTexts,
} from '../../../../../src/core/compositions/view/compositionTexts';
import { Formats } from '../../../../../src/core/text/formats';

const formats = new Formats({ locale: 'en' });

describe('texts about compositions', () => {
  it('explain every strategy once', () => {
    const known = strategyTexts.map(({ strategy }) => strategy).sort();
    assert.deepEqual(known, [...compositionStrategySchema.options].sort());
  });

  it('say what a version is', () => {
    const option = {
      kind: 'version' as const,
      versionIds: ['v002'],
      tokens: 3012,
      fidelity: 0.814,
      ratio: 30,
      isPicked: false,
    };
    assert.equal(optionText(option), 'v002 · 30:1 · fidelity 0.81');
    assert.equal(optionText({ ...option, kind: 'original', versionIds: ['original'] }), 'Original');
    assert.match(
      optionText({ ...option, kind: 'parts', versionIds: ['part1_v001', 'part2_v001'] }),
      /^part1_v001 \+ part2_v001/,
    );
  });

  it('say how much of the budget and of the window is used', () => {
    const figures = { totalTokens: 15_904, budget: 16_000, keeps: 0.931 };
    const text = budgetText(figures, 200_000, formats);
    assert.equal(text, '15,904 of 16,000 tokens · 8.0 % of the model’s window (200k) · keeps 93 % of what matters');
    assert.equal(percentText(0), '0 %');
    assert.equal(percentText(0.42), '42 %');
  });

  it('say what rebuilding changed', () => {
    const ref = { projectId: 'p', sessionId: 's', before: [], after: [], tokensBefore: 1, tokensAfter: 2 };
    const changes = [
      { ...ref, change: 'changed' as const },
      { ...ref, change: 'removed' as const },
    ];
    assert.equal(
      rebuiltText('x', { changes, tokensBefore: 100, tokens: 120 }, formats),
      '“x” is rebuilt: 1 session changed, 1 left out, 120 tokens instead of 100.',
    );
    assert.match(
      rebuiltText('x', { changes: [], tokensBefore: 5, tokens: 5 }, formats),
      /nothing changed, 5 tokens, as before/,
    );
  });
});
