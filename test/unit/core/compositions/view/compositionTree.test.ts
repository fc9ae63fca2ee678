import assert from 'node:assert/strict';
import type { StoredComposition } from '../../../../../src/core/compositions/compositions';
import type { ComposedContextRecord } from '../../../../../src/core/model/composition';
import { compositionTree } from '../../../../../src/core/compositions/view/compositionTree';
import { Formats } from '../../../../../src/core/text/formats';

const options = {
  formats: new Formats({ locale: 'en', timeZone: 'UTC' }),
  nowMs: Date.parse('2025-10-03T12:00:00Z'),
  armed: undefined,
  titleOf: ({ sessionId }: { sessionId: string }) => (sessionId === 's1' ? 'Login *form*' : undefined),
};

function stored(
  more: Partial<ComposedContextRecord> = {},
  freshness: Partial<StoredComposition['freshness']> = {},
): StoredComposition {
  return {
    projectId: 'p',
    files: [],
    freshness: { isFresh: true, reasons: [], newMessages: 0, ...freshness },
    record: {
      compositionId: 'id',
      name: 'feature-x',
      createdAt: '2025-10-01T12:00:00Z',
      components: [
        { sessionId: 's1', versionId: 'part1_v001', order: 0, tokenContribution: 1000, fidelity: 0.8, why: 'as asked' },
        { sessionId: 's1', versionId: 'part2_v001', order: 1, tokenContribution: 500, fidelity: 0.8 },
        { sessionId: 's2-abcdef', versionId: 'original', order: 2, tokenContribution: 2000, projectId: 'q' },
      ],
      outputFile: 'composed/feature-x/composed.md',
      totalTokens: 3600,
      totalMessages: 12,
      usedInSessions: [],
      ...more,
    },
  };
}

describe('the rows of compositions', () => {
  it('tell size, sessions and age', () => {
    const [row] = compositionTree([stored()], options);
    assert.equal(row?.label, 'feature-x');
    assert.equal(row.description, '3.6k tokens · 2 sessions · 2 d ago');
    assert.equal(row.contextValue, 'composition unarmed fresh');
    assert.deepEqual(row.composition, { projectId: 'p', name: 'feature-x' });
  });

  it('have a row for each session, its parts together', () => {
    const [row] = compositionTree([stored()], options);
    assert.deepEqual(
      row?.children.map(({ label, description }) => `${label}: ${description}`),
      ['Login *form*: part1_v001 + part2_v001 · 1.5k · fidelity 0.80', 'Session s2-abcde: original · 2k'],
    );
    assert.deepEqual(row.children[1]?.session, { projectId: 'q', sessionId: 's2-abcdef' });
  });

  it('say first what may need doing: that it waits, and that its sources went on', () => {
    const stale = { isFresh: false, reasons: ['session s1 has 7 more messages'], newMessages: 7 };
    const [row] = compositionTree([stored({}, stale)], { ...options, armed: 'feature-x' });
    assert.match(row?.description ?? '', /^waits for the next session · 7 new messages · /);
    assert.equal(row?.contextValue, 'composition armed stale');
    assert.match(row.spoken, /waits for the next session/);
  });

  it('say where it arrived, and why something is not in it, with everything escaped', () => {
    const omitted = [{ sessionId: 's1', reason: 'even its *smallest* version does not fit' }];
    const [row] = compositionTree(
      [stored({ usedInSessions: ['s1'], omitted, keepits: { included: 3, left: 1 } })],
      options,
    );
    assert.match(row?.description ?? '', /arrived in 1 session/);
    assert.match(row?.tooltip ?? '', /Not in it: Login \\\*form\\\*: even its \\\*smallest\\\* version/);
    assert.match(row?.tooltip ?? '', /Keepits: 3 in, 1 out/);
  });

  it('tell the last delivery', () => {
    const deliveries = [{ to: 'resume' as const, deliveredAt: '2025-10-02T08:00:00Z', tokens: 3600 }];
    const [row] = compositionTree([stored({ deliveries })], options);
    assert.match(row?.tooltip ?? '', /Last delivered Oct 2, 2025.*: resumed/);
  });
});
