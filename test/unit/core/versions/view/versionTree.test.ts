import assert from 'node:assert/strict';
import type { VersionListing } from '../../../../../src/core/versions/versionEntries';
import { Formats } from '../../../../../src/core/text/formats';
import type { TreeNode } from '../../../../../src/core/sessions/view/treeNode';
import { scopeOf, scopeTitle, versionTree } from '../../../../../src/core/versions/view/versionTree';
import { listedVersion, versionListing } from '../../../support/versions';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });
const session = { projectId: '-p', sessionId: 's' };

function tree(listing: VersionListing, words: Record<string, string> = {}): TreeNode[] {
  const nowMs = Date.parse('2026-01-22T14:00:00Z');
  return versionTree(listing, { session, formats, nowMs, wordsOf: (markerId) => words[markerId] });
}

function part(partNumber: number, fields: Parameters<typeof listedVersion>[0] = {}) {
  return listedVersion({ versionId: `part${partNumber}_v001`, partNumber, ...fields });
}

/** Seed 001's example: 100 messages, then 80 more, then 30 that are new. */
function grownSession(): VersionListing {
  const versions = [part(1), listedVersion({ ...part(1), versionId: 'part1_v002' }), part(2), listedVersion()];
  return versionListing({
    versions,
    parts: [
      { partNumber: 1, messageRange: [0, 99], tokens: 40_000, versionIds: ['part1_v001', 'part1_v002'] },
      { partNumber: 2, messageRange: [100, 179], tokens: 30_000, versionIds: ['part2_v001'] },
    ],
    delta: { newMessages: 30, newTokens: 12_300, nextPart: 3, messageRange: [180, 209] },
  });
}

describe('the tree of versions', () => {
  it('is empty for a session without any, so that a view says what can be done', () => {
    assert.deepEqual(tree(versionListing()), []);
  });

  it('groups by part, newest first, with what is new above and the whole session below', () => {
    assert.deepEqual(
      tree(grownSession()).map(({ label, description, children }) => [
        label,
        description,
        children.map((row) => row.id),
      ]),
      [
        ['New Messages', '30 · 12k tokens · will be part 3', []],
        ['Part 2', 'messages 101–180', ['version:-p:s:part2_v001']],
        ['Part 1', 'messages 1–100', ['version:-p:s:part1_v002', 'version:-p:s:part1_v001']],
        ['Whole Session', '450 messages · 100k', ['version:-p:s:v002']],
      ],
    );
  });

  it('says of each row what a compression that begins there covers', () => {
    const rows = tree(grownSession());
    assert.deepEqual(
      rows.map(({ scope }) => scope),
      [{ kind: 'delta' }, { kind: 'part', partNumber: 2 }, { kind: 'part', partNumber: 1 }, { kind: 'whole' }],
    );
    assert.deepEqual(rows[1]!.children[0]!.scope, { kind: 'part', partNumber: 2 });
    assert.deepEqual(rows[1]!.children[0]!.version, { ...session, versionId: 'part2_v001' });
    assert.deepEqual(scopeOf(listedVersion()), { kind: 'whole' });
    assert.deepEqual(
      rows.map(({ scope }) => (scope === undefined ? '' : scopeTitle(scope))),
      ['New messages', 'Part 2', 'Part 1', 'Whole session'],
    );
  });

  it('says when every message is in a part already', () => {
    const [row] = tree({ ...grownSession(), delta: { newMessages: 0, newTokens: 0, nextPart: 3 } });
    assert.equal(row!.description, 'none');
    assert.equal(row!.contextValue, 'newMessages none');
    assert.match(row!.tooltip, /parts 1 to 2/);
  });

  it('does not call messages new that only no part has: there are none', () => {
    assert.deepEqual(
      tree(versionListing({ versions: [listedVersion()] })).map(({ label }) => label),
      ['Whole Session'],
    );
  });

  it('shows of a version its level, size, ratio, fidelity, keepits, age and use, and says the same aloud', () => {
    const used = listedVersion({ lastUsed: '2026-01-22T11:00:00Z', usedIn: ['feature-x', 'bugfix'] });
    const row = tree(versionListing({ versions: [used] }))[0]!.children[0]!;
    assert.equal(row.label, 'v002 Aggressive 30:1');
    assert.equal(
      row.description,
      '3k · 33:1 · fidelity 0.81 · 2 kept, 5 faded · 2 d ago · used 3 h ago · in 2 compositions',
    );
    assert.equal(
      row.spoken,
      'Version v002, Aggressive, uniform 30:1 aggressive, 3,012 tokens, ratio 33 to 1, fidelity 0.81, ' +
        'keepits: 2 kept, 5 faded, made 2 d ago, last used 3 h ago, in 2 compositions',
    );
    assert.equal(row.contextValue, 'version used');
  });

  it('names the levels of seed 001, whichever way a version was made, and the model that wrote it', () => {
    const settings = { ...listedVersion().settings, mode: 'tiered' as const };
    const presets = (['gentle', 'standard', 'aggressive', 'custom'] as const).map((tierPreset, index) =>
      listedVersion({
        versionId: `v00${index + 1}`,
        settings: { ...settings, tierPreset, model: 'opus' },
        provider: 'anthropic',
      }),
    );
    const [group] = tree(versionListing({ versions: presets }));
    assert.deepEqual(
      group!.children.map(({ label, icon }) => [label, icon?.id]),
      [
        ['v004 Custom', 'settings'],
        ['v003 Aggressive', 'layers-active'],
        ['v002 Moderate', 'layers-dot'],
        ['v001 Light', 'layers'],
      ],
    );
    assert.match(group!.children[0]!.description, /opus/);
    assert.match(group!.children[0]!.tooltip, /Written by opus through anthropic/);
  });

  it('orders versions by their number, also beyond 999', () => {
    const ids = ['v1000', 'v999', 'v002'];
    const [group] = tree(versionListing({ versions: ids.map((versionId) => listedVersion({ versionId })) }));
    assert.deepEqual(
      group!.children.map(({ version }) => version?.versionId),
      ids,
    );
  });

  it('shows a version that another tool wrote, of which little is known', () => {
    const { fidelity: _fidelity, receipt: _receipt, provider: _provider, cost: _cost, ...bare } = listedVersion();
    const row = tree(versionListing({ versions: [bare] }))[0]!.children[0]!;
    assert.doesNotMatch(row.description, /fidelity/);
    assert.match(row.spoken, /fidelity unknown/);
    assert.match(row.tooltip, /Written by another tool/);
  });
});

describe('the tooltip of a version', () => {
  it('holds the receipt, what was kept on top, in words that cannot break the table', () => {
    const words = { m1: 'Use | pipes\nand [links](x)', m2: 'Store UTC' };
    const { tooltip } = tree(versionListing({ versions: [listedVersion()] }), words)[0]!.children[0]!;
    const rows = tooltip.split('\n').filter((line) => /kept|faded/.test(line));
    assert.equal(rows.length, 2);
    assert.equal(rows[0], '| $(pass) kept | 0\\.80 ≥ 0\\.65 | Store UTC |');
    assert.match(rows[1]!, /\\\| pipes and \\\[links\\\]/);
  });

  it('never calls a fidelity whole that is not', () => {
    const { tooltip } = tree(versionListing({ versions: [listedVersion()] }))[0]!.children[0]!;
    const figures = tooltip.split('\n').find((line) => line.includes('**Fidelity 0.81**'));
    assert.equal(
      figures,
      '**Fidelity 0.81**: keepits 1.00, instructions 0.90, decisions 0.80, artifacts 0.70, paths 0.75, commands 0.50, errors 0.99, identifiers 0.40',
    );
  });

  it('cuts a receipt that nobody would read in a hover, and says so', () => {
    const receipt = Array.from({ length: 40 }, (_, index) => {
      return { markerId: `m${index}`, weight: 0.5, threshold: 0.65, kept: false, reason: '0.50 < 0.65' };
    });
    const { tooltip } = tree(versionListing({ versions: [listedVersion({ receipt })] }))[0]!.children[0]!;
    assert.match(tooltip, /… and 28 more/);
  });
});
