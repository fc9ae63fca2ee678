import assert from 'node:assert/strict';
import type { DiffHunk, DiffPart, VersionDiff } from '../../../../../src/core/versions/diff/types';
import { Formats } from '../../../../../src/core/text/formats';
import { versionDiffDataSchema } from '../../../../../src/core/versions/view/versionDiffProtocol';
import {
  cutText,
  endName,
  hunkTitle,
  lostText,
  sizesText,
  wordsText,
  diffData,
  lossFilters,
  shownOf,
  sideBlocks,
  unifiedBlocks,
  usualDiffSettings,
  withKind,
} from '../../../../../src/core/versions/view/versionDiffView';

const formats = new Formats({ locale: 'en', timeZone: 'UTC' });

function block(from: number, role: 'user' | 'assistant' = 'user'): DiffHunk['a'][number] {
  return { kind: 'note', role, from, to: from };
}

function hunk(from: number, to: number, parts: readonly DiffPart[] = []): DiffHunk {
  return {
    from,
    to,
    messageUuid: `m${from}`,
    a: [block(from)],
    b: [block(from, 'assistant')],
    parts,
    cutCharacters: 0,
  };
}

const parts: readonly DiffPart[] = [
  { change: 'kept', text: 'We use ', textOfA: 'We use\n', a: 0, b: 0 },
  { change: 'removed', text: 'axios ', a: 0 },
  { change: 'added', text: 'fetch ', b: 0 },
];

const diff: VersionDiff = {
  a: { versionId: 'original', tokens: 65_807, messageRange: [0, 9] },
  b: {
    versionId: 'v001',
    tokens: 6566,
    messageRange: [0, 9],
    receipt: [
      { markerId: 'k1', weight: 1, threshold: 0.5, kept: true, reason: 'pinned' },
      { markerId: 'k2', weight: 0.25, threshold: 0.5, kept: false, reason: '0.25 < 0.50' },
    ],
  },
  added: 1,
  removed: 1200,
  kept: 2385,
  lost: [
    {
      kind: 'keepit',
      text: 'The logo\nis green.',
      messageUuid: 'm4',
      messageIndex: 4,
      weight: 0.25,
      reason: '0.25 < 0.50',
    },
    { kind: 'path', text: 'src/a.ts', messageUuid: 'm0', messageIndex: 0, weight: 1 },
    { kind: 'path', text: 'src/b.ts', messageUuid: 'm9', messageIndex: 9, weight: 1 },
  ],
  hunks: [hunk(0, 2, parts), hunk(3, 5), hunk(6, 9)],
};

const about = {
  scope: { projectId: 'p', sessionId: 's', a: 'original', b: 'v001' },
  title: 'A session',
  project: 'app',
  choices: [{ versionId: 'original', label: 'Original' }],
  stamp: 1,
} as const;
const data = diffData(diff, { ...about, choices: [...about.choices] }, (id) =>
  id === 'k2' ? 'The logo\nis green.' : undefined,
);

describe('the data of a version diff', () => {
  it('is what the protocol says, and has no words of hunks in it', () => {
    assert.deepEqual(versionDiffDataSchema.parse(structuredClone(data)), data);
    assert.deepEqual(data.hunks[0], { from: 0, to: 2, charactersOfA: 13, charactersOfB: 13 });
  });

  it('leads from what was lost to the hunk that is about its message', () => {
    assert.deepEqual(
      data.lost.map(({ text, hunk: at }) => [text, at]),
      [
        ['The logo is green.', 1],
        ['src/a.ts', 0],
        ['src/b.ts', 2],
      ],
    );
  });

  it('has faded keepits before those that were kept, with their words where they are known', () => {
    assert.deepEqual(data.b.receipt, [
      { key: 'k2', weight: 0.25, kept: false, reason: '0.25 < 0.50', words: 'The logo is green.' },
      { key: 'k1', weight: 1, kept: true, reason: 'pinned' },
    ]);
    assert.equal(data.a.receipt, undefined);
  });
});

describe('the filters of a version diff', () => {
  it('offer the kinds of which something was lost', () => {
    assert.deepEqual(lossFilters(data.lost, usualDiffSettings), [
      { kind: 'keepit', title: 'Keepits', count: 1, isShown: true },
      { kind: 'path', title: 'Paths', count: 2, isShown: true },
    ]);
  });

  it('hide losses of a kind, and hunks without any that is shown', () => {
    const settings = { ...withKind(usualDiffSettings, 'path', false), isLossOnly: true };
    const shown = shownOf(data, settings);
    assert.deepEqual([shown.losses.map(({ kind }) => kind), shown.hunks], [['keepit'], [1]]);
    assert.deepEqual(shownOf(data, withKind(settings, 'path', true)).hunks, [0, 1, 2]);
    assert.deepEqual(shownOf(data, { ...settings, isLossOnly: false }).hunks, [0, 1, 2]);
  });
});

describe('the two sides of a hunk', () => {
  const shown = { ...hunk(0, 2, parts), a: [block(0)], b: [block(0, 'assistant')] };

  it('have their own words and their own white space', () => {
    assert.deepEqual(sideBlocks(shown, 'a')[0]?.parts, [
      { change: 'kept', text: 'We use\n' },
      { change: 'removed', text: 'axios ' },
    ]);
    assert.deepEqual(sideBlocks(shown, 'b')[0]?.parts, [
      { change: 'kept', text: 'We use ' },
      { change: 'added', text: 'fetch ' },
    ]);
  });

  it('are one column when they are unified, in which the first side’s blocks lead', () => {
    const [only, ...others] = unifiedBlocks(shown);
    assert.deepEqual(others, []);
    assert.equal(only?.role, 'user');
    assert.deepEqual(
      only.parts.map(({ text }) => text),
      ['We use ', 'axios ', 'fetch '],
    );
  });

  it('begin a block where either side begins one that the other does not have', () => {
    const two = {
      a: [block(0), block(1)],
      b: [block(0, 'assistant')],
      parts: [
        { change: 'added' as const, text: 'new', b: 0 },
        { change: 'removed' as const, text: 'one', a: 0 },
        { change: 'removed' as const, text: 'two', a: 1 },
      ],
    };
    assert.deepEqual(
      unifiedBlocks(two).map(({ role, from, parts: words }) => [role, from, words.map(({ text }) => text).join('')]),
      [
        ['assistant', 0, 'new'],
        ['user', 0, 'one'],
        ['user', 1, 'two'],
      ],
    );
  });
});

describe('the words for a comparison', () => {
  it('name the ends, their sizes and what became of the words', () => {
    assert.equal(`${endName(diff.a)} ${endName(diff.b)}`, 'Original v001');
    assert.equal(sizesText(diff, formats), '65,807 → 6,566 tokens, 10:1');
    assert.equal(sizesText({ a: diff.b, b: diff.a }, formats), '6,566 → 65,807 tokens');
    assert.equal(wordsText(diff, formats), '2,385 words kept, 1,200 removed, 1 added');
  });

  it('count what was lost by kind', () => {
    assert.equal(lostText(diff.lost, formats), '1 keepit, 2 paths');
    assert.equal(lostText([], formats), 'nothing');
  });

  it('count messages from 1, and say what was not compared', () => {
    assert.equal(hunkTitle({ from: 0, to: 0 }, formats), 'Message 1');
    assert.equal(hunkTitle({ from: 11, to: 30 }, formats), 'Messages 12–31');
    assert.equal(cutText({ cutCharacters: 0 }, formats), '');
    assert.equal(cutText({ cutCharacters: 1 }, formats), '1 character of long texts not compared');
  });
});
