import assert from 'node:assert/strict';
import {
  keepitGroups,
  previewFigures,
  previewLine,
  previewSegments,
  previewWarning,
} from '../../../../../src/core/versions/view/compressionForm';
import type { CompressionPreview } from '../../../../../src/core/versions/view/compressionProtocol';
import { Formats } from '../../../../../src/core/text/formats';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });

function keepit(weight: number, threshold = 0.65): CompressionPreview['keepits'][number] {
  const kept = weight >= threshold;
  const reason = `${weight.toFixed(2)} ${kept ? '≥' : '<'} ${threshold.toFixed(2)}`;
  return { markerId: `m${weight}`, weight, threshold, kept, reason, words: `weighs ${weight}` };
}

/** Seed 000, 5.2: its dialog. */
function preview(fields: Partial<CompressionPreview> = {}): CompressionPreview {
  return {
    messageRange: [0, 449],
    inputTokens: 100_234,
    inputMessages: 450,
    outputTokens: 3341,
    outputMessages: 15,
    askedRatio: 30,
    compressionRatio: 30.001,
    segments: [{ from: 0, to: 449, ratio: 30, aggressiveness: 'aggressive', inputTokens: 100_234, targetTokens: 3341 }],
    keepits: [1, 0.9, 0.5, 0.5, 0.25, 0.25, 0.1].map((weight) => keepit(weight)),
    keepitTokens: 300,
    isExceededByKeepits: false,
    cost: { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 },
    ...fields,
  };
}

describe('the preview of a compression', () => {
  it('says what the dialog of seed 000, 5.2 says', () => {
    assert.deepEqual(
      previewFigures(preview(), formats).map(({ name, figure }) => `${name}: ${figure}`),
      ['Output: ~3,340 of 100,234 tokens', 'Messages: ~15 of 450', 'Ratio: ~30:1', 'Cost: nothing: no model is asked'],
    );
    const { preserved, summarized } = keepitGroups(preview(), 'decay');
    assert.equal(preserved.title, 'Will preserve 2 (weight ≥ 0.65)');
    assert.equal(summarized.title, 'Will summarize 5 (weight < 0.65)');
    assert.deepEqual(
      preserved.keepits.map(({ weight }) => weight),
      [1, 0.9],
    );
  });

  it('names the ratio that was asked for where another one comes out', () => {
    const figures = previewFigures(preview({ compressionRatio: 21.4 }), formats);
    assert.equal(figures[2]?.figure, '~21:1, 30:1 asked for');
  });

  it('names the range of thresholds where tiers have their own', () => {
    const { preserved } = keepitGroups(preview({ keepits: [keepit(0.9, 0.3), keepit(0.5, 0.65)] }), 'decay');
    assert.equal(preserved.title, 'Will preserve 1 (threshold 0.30 to 0.65, by tier)');
  });

  it('speaks of no threshold where none decides', () => {
    assert.equal(keepitGroups(preview(), 'preserve-all').preserved.title, 'Will preserve 2');
    assert.equal(keepitGroups(preview({ keepits: [] }), 'decay').summarized.title, 'Will summarize 0');
  });

  it('says what a model would be sent, and what that costs', () => {
    const cost = { calls: 3, inputTokens: 150_000, outputTokens: 4_000, usd: 0.704 };
    assert.equal(previewFigures(preview({ cost }), formats)[3]?.figure, '~$0.70 (3 calls, 150k tokens in, 4k out)');
    assert.equal(previewLine(preview({ cost }), formats), '~3,340 tokens · 30:1 · keeps 2 of 7 keepits · $0.70');
  });

  it('warns when what survives is larger than what was asked for', () => {
    assert.equal(previewWarning(preview(), formats), '');
    const warning = previewWarning(preview({ isExceededByKeepits: true, keepitTokens: 5000 }), formats);
    assert.match(warning, /5,000 tokens.*larger/);
  });

  it('draws each stretch by its share of the session', () => {
    const segments = [
      { from: 0, to: 99, ratio: 25, aggressiveness: 'aggressive' as const, inputTokens: 75_000, targetTokens: 3000 },
      { from: 100, to: 100, ratio: 5, aggressiveness: 'minimal' as const, inputTokens: 25_000, targetTokens: 5000 },
    ];
    assert.deepEqual(previewSegments(preview({ inputTokens: 100_000, segments }), formats), [
      { range: 'messages 1–100', how: '25:1 aggressive', tokens: '75k → 3k', share: 0.75, left: 0.03 },
      { range: 'message 101', how: '5:1 minimal', tokens: '25k → 5k', share: 0.25, left: 0.05 },
    ]);
  });

  it('copes with a session of nothing', () => {
    const nothing = preview({ inputTokens: 0, outputTokens: 0, inputMessages: 0, segments: [], keepits: [] });
    assert.equal(previewLine(nothing, formats), '~0 tokens · 30:1');
    assert.equal(previewFigures(nothing, formats)[0]?.figure, '~0 of 0 tokens');
  });
});
