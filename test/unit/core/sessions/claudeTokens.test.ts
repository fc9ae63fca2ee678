import assert from 'node:assert/strict';
import { calibrationsOf, claudeTokensOf } from '../../../../src/core/sessions/discoveredSession';
import type { SessionStats } from '../../../../src/core/transcript/sessionStats';
import { claudeTokensText } from '../../../../src/core/sessions/view/sessionTree';

function stats(fields: Partial<SessionStats>, models: Record<string, number> = {}): SessionStats {
  return {
    messages: 2,
    turns: 1,
    tokens: 1000,
    resultTokens: 0,
    counting: 'exact',
    toolSteps: 0,
    inlineAgents: 0,
    keepitCandidates: {},
    leaves: [],
    titles: { foreign: [] },
    meta: { sessionIds: [], copiedFrom: [], cwds: {}, versions: [], models, compactions: [] },
    account: { lines: 0, used: 0, skipped: {}, brokenCount: 0, broken: [], salvaged: [] },
    usagePairs: {},
    end: { offset: 0, line: 0 },
    ...fields,
  };
}

describe('what the model of a session would count for it', () => {
  const model = 'claude-opus-4-5-20251101';
  const measured = stats({ usagePairs: { [model]: Array.from({ length: 30 }, () => [150, 100]) } });

  it('is fitted to the sessions of the project, over all of them together', () => {
    const figure = claudeTokensOf(stats({}, { other: 1, [model]: 2 }), calibrationsOf([measured]));
    assert.deepEqual(figure, { model, tokens: 1500, medianErrorPct: 0, isMeasured: true });
  });

  it('counts the envelope of each tool step', () => {
    const figure = claudeTokensOf(stats({ toolSteps: 10 }, { [model]: 1 }), calibrationsOf([measured]));
    assert.equal(figure?.tokens, (1000 + 10 * 60) * 1.5);
  });

  it('comes with the ratio of other sessions, and says so, while there is too little to measure', () => {
    const figure = claudeTokensOf(stats({}, { other: 1, [model]: 2 }), new Map());
    assert.ok(figure !== undefined && !figure.isMeasured && figure.medianErrorPct > 0);
    assert.match(
      claudeTokensText(figure),
      /^1\.2k as claude-opus-4-5-20251101 counts, ± \d+ %, by sessions of others$/,
    );
  });

  it('is unknown before any model has answered', () => {
    assert.equal(claudeTokensOf(stats({}), calibrationsOf([measured])), undefined);
  });
});
