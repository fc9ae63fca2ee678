import assert from 'node:assert/strict';
import { calibrationsOf, claudeTokensOf } from '../../../../src/core/sessions/claudeTokens';
import type { TranscriptDigest } from '../../../../src/core/sessions/transcriptDigest';
import { claudeTokensText } from '../../../../src/core/presentation/sessionTree';

function digest(fields: Partial<TranscriptDigest>): TranscriptDigest {
  return {
    messages: 2,
    turns: 1,
    tokens: 1000,
    counting: 'exact',
    toolSteps: 0,
    inlineAgents: 0,
    keepitCandidates: {},
    titles: {},
    foreignTitles: [],
    cwds: {},
    versions: [],
    models: [],
    copiedFrom: [],
    account: { lines: 0, used: 0, skipped: {}, brokenCount: 0, broken: [] },
    usagePairs: {},
    end: { offset: 0, line: 0 },
    ...fields,
  };
}

describe('what the model of a session would count for it', () => {
  const model = 'claude-opus-4-5-20251101';
  const measured = digest({ usagePairs: { [model]: Array.from({ length: 30 }, () => [150, 100]) } });

  it('is fitted to the sessions of the project, over all of them together', () => {
    const figure = claudeTokensOf(digest({ mainModel: model }), calibrationsOf([measured]));
    assert.deepEqual(figure, { model, tokens: 1500, medianErrorPct: 0, isMeasured: true });
  });

  it('counts the envelope of each tool step', () => {
    const figure = claudeTokensOf(digest({ mainModel: model, toolSteps: 10 }), calibrationsOf([measured]));
    assert.equal(figure?.tokens, (1000 + 10 * 60) * 1.5);
  });

  it('comes with the ratio of other sessions, and says so, while there is too little to measure', () => {
    const figure = claudeTokensOf(digest({ mainModel: model }), new Map());
    assert.ok(figure !== undefined && !figure.isMeasured && figure.medianErrorPct > 0);
    assert.match(
      claudeTokensText(figure),
      /^1\.2k as claude-opus-4-5-20251101 counts, ± \d+ %, by sessions of others$/,
    );
  });

  it('is unknown before any model has answered', () => {
    assert.equal(claudeTokensOf(digest({}), calibrationsOf([measured])), undefined);
  });
});
