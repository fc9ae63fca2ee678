import assert from 'node:assert/strict';
import { scoreVersion, selectBestVersion, type ScoredVersion } from '../../../../src/core/compositions/versionOptions';

function version(outputTokens: number, compressionRatio = 10, preserved = 0, summarized = 0): ScoredVersion {
  return { outputTokens, compressionRatio, keepitStats: { preserved, summarized } };
}

describe('scoreVersion', () => {
  it('prefers the version that uses more of the budget', () => {
    assert.equal(scoreVersion(version(500), { maxTokens: 1000 }), 0.75);
    assert.equal(scoreVersion(version(1000), { maxTokens: 1000 }), 1);
  });

  it('punishes a version that is over the budget', () => {
    assert.equal(scoreVersion(version(1001), { maxTokens: 1000 }), 0.1);
  });

  it('prefers the ratio that suits, and never takes off more than half for it', () => {
    assert.equal(scoreVersion(version(1, 20), { preferredRatio: 10 }), 0.8);
    assert.equal(scoreVersion(version(1, 500), { preferredRatio: 10 }), 0.5);
  });

  it('takes the share of keepits that survived into account', () => {
    assert.equal(scoreVersion(version(1, 10, 1, 3), { preserveKeepits: true }), 0.625);
  });

  it('counts a session without keepits as one that has lost none', () => {
    assert.equal(scoreVersion(version(1), { preserveKeepits: true }), 1);
  });
});

describe('selectBestVersion', () => {
  const session = { originalTokens: 100_000, versions: [version(3000, 33), version(10_000, 10)] };

  it('takes the original when it fits, also when there are no versions', () => {
    assert.equal(selectBestVersion({ originalTokens: 900, versions: [] }, { maxTokens: 900 }), 'original');
    assert.equal(selectBestVersion(session, {}), 'original');
  });

  it('asks for a new version when there is none', () => {
    assert.equal(selectBestVersion({ originalTokens: 901, versions: [] }, { maxTokens: 900 }), 'need-new-compression');
  });

  it('takes the version that fills the budget best', () => {
    assert.equal(selectBestVersion(session, { maxTokens: 12_000 }), session.versions[1]);
    assert.equal(selectBestVersion(session, { maxTokens: 4000 }), session.versions[0]);
  });

  it('asks for a new version when all are too large', () => {
    assert.equal(selectBestVersion(session, { maxTokens: 2000 }), 'need-new-compression');
    assert.equal(selectBestVersion(session, { maxTokens: 0 }), 'need-new-compression');
  });

  it('takes the earlier of two that suit equally', () => {
    const twins = [version(500), version(500)];
    assert.equal(selectBestVersion({ originalTokens: 9999, versions: twins }, { maxTokens: 1000 }), twins[0]);
  });
});
