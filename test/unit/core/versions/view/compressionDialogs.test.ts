import assert from 'node:assert/strict';
import {
  costDialog,
  deleteVersionsDialog,
  managedRows,
  selectionText,
} from '../../../../../src/core/versions/view/compressionDialogs';
import { Formats } from '../../../../../src/core/text/formats';
import { listedVersion } from '../../../support/versions';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });
const used = listedVersion({
  versionId: 'v001',
  outputTokens: 10_234,
  usedIn: ['feature-x', 'bugfix'],
  lastUsed: '2026-01-18T10:00:00Z',
});
const unused = listedVersion();

describe('what deleting versions asks', () => {
  it('names what goes, and that it can be undone', () => {
    const { title, detail } = deleteVersionsDialog([unused], formats);
    assert.equal(title, 'Delete version v002?');
    assert.match(detail, /• v002 uniform 30:1 aggressive · 3k tokens/);
    assert.match(detail, /can be undone/);
    assert.doesNotMatch(detail, /in use/);
  });

  it('warns of compositions that could not be built again', () => {
    const { title, detail } = deleteVersionsDialog([used, unused], formats);
    assert.equal(title, 'Delete 2 versions?');
    assert.match(detail, /One of them is in use: feature-x, bugfix stay, but cannot be built again from it/);
    assert.match(detail, /13k tokens in all/);
  });

  it('does not list hundreds', () => {
    const many = Array.from({ length: 200 }, (_, index) => listedVersion({ versionId: `v${index + 100}` }));
    assert.match(deleteVersionsDialog(many, formats).detail, /… and 188 more/);
  });
});

describe('managing compressions', () => {
  it('shows of each version what seed 000, 5.5 shows', () => {
    assert.deepEqual(
      managedRows([used, unused], formats).map(({ label, description, detail, isUsed }) => [
        label,
        description,
        detail,
        isUsed,
      ]),
      [
        [
          'v001 uniform 30:1 aggressive',
          '10k tokens · 33:1',
          'Created 20 Jan 2026 · last used 18 Jan 2026 · $(warning) in feature-x, bugfix',
          true,
        ],
        [
          'v002 uniform 30:1 aggressive',
          '3k tokens · 33:1',
          'Created 20 Jan 2026 · last used never · in no composition',
          false,
        ],
      ],
    );
  });

  it('sums up what is selected', () => {
    assert.equal(selectionText([used, unused], formats), 'Selected: 2 versions (13k tokens), 1 of them in use');
    assert.equal(selectionText([unused], formats), 'Selected: 1 version (3k tokens)');
    assert.match(selectionText([], formats), /Select/);
  });
});

describe('the question before a model is asked', () => {
  const cost = { calls: 3, inputTokens: 150_000, outputTokens: 4_000, usd: 0.7 };
  const estimate = {
    settings: { ...unused.settings, model: 'opus' },
    messageRange: [0, 449] as const,
    inputTokens: 100_234,
    inputMessages: 450,
    outputTokens: 3341,
    outputMessages: 15,
    askedRatio: 30,
    compressionRatio: 30,
    segments: [],
    receipt: [],
    keepitTokens: 0,
    isExceededByKeepits: false,
    cost,
  };

  it('says who is asked, what it costs, what is sent, and where it ends', () => {
    const { title, detail } = costDialog(estimate, { request: { provider: 'anthropic' }, runCapUsd: 2, formats });
    assert.equal(title, 'Ask opus to write this version, for about $0.70?');
    assert.match(detail, /is sent to the Claude API/);
    assert.match(detail, /3 calls: about 150k tokens in, 4k out/);
    assert.match(detail, /stops before it costs more than \$2\.00/);
  });

  it('names the cap of the request where it has one, and none where nobody can tell the price', () => {
    const capped = costDialog(estimate, {
      request: { provider: 'claude-cli', maxCostUsd: 0.5 },
      runCapUsd: 2,
      formats,
    });
    assert.match(capped.detail, /\$0\.50/);
    const free = { ...estimate, cost: { ...cost, usd: 0 } };
    const { title, detail } = costDialog(free, { request: { provider: 'vscode-lm' }, runCapUsd: 2, formats });
    assert.equal(title, 'Ask opus to write this version?');
    assert.match(detail, /Your subscription/);
  });
});
