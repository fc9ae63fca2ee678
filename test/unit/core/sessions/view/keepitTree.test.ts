import assert from 'node:assert/strict';
import type { EffectiveKeepit } from '../../../../../src/core/keepits/effectiveKeepits';
import { Formats } from '../../../../../src/core/text/formats';
import { keepitTree, type KeepitRow } from '../../../../../src/core/sessions/view/keepitTree';
import type { TreeNode } from '../../../../../src/core/sessions/view/treeNode';
import { discoveredSession } from '../../../support/discovered';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });

function row(content: string, weight: number, changes: Partial<EffectiveKeepit> = {}): KeepitRow {
  const session = discoveredSession({ title: 'Choose a database', registered: true });
  return {
    session,
    outlook: {
      outcome: weight < 0.5 ? 'fades' : 'survives',
      reach: 'survives to distance 7',
      now: 'now at distance 2',
    },
    keepit: {
      markerId: `id of ${content}`,
      messageUuid: 'm',
      content,
      position: { start: 0, end: 10 },
      context: '',
      createdAt: '',
      survivedIn: [],
      summarizedIn: [],
      projectId: session.projectId,
      sessionId: session.sessionId,
      weight,
      effectiveWeight: weight,
      overridden: false,
      origin: 'transcript',
      state: 'live',
      ...changes,
    },
  };
}

function tree(rows: readonly KeepitRow[], isOneSession = false): TreeNode[] {
  return keepitTree(rows, { formats, isOneSession });
}

const shape = (nodes: readonly TreeNode[]): unknown =>
  nodes.map(({ label, children }) => [label, children.map((child) => child.label)]);

describe('the tree of keepits', () => {
  it('groups by preset, heaviest first, and puts what does not count last', () => {
    const rows = [
      row('half', 0.5),
      row('pin', 1),
      row('gone', 1, { state: 'removed' }),
      row('less', 0.76),
      row('more', 0.8),
      row('almost nothing', 0.02),
    ];
    assert.deepEqual(shape(tree(rows)), [
      ['Pinned', ['pin']],
      ['Important', ['more', 'less']],
      ['Notable', ['half']],
      ['Hint', ['almost nothing']],
      ['Not Counting', ['gone']],
    ]);
    assert.equal(tree(rows).at(-1)?.fold, 'collapsed');
  });

  it('says weight, fate and session of each, and the same to a screen reader', () => {
    const [group] = tree([row('Use PostgreSQL', 0.8, { weight: 0.5, overridden: true, origin: 'transcript' })]);
    const [node] = group!.children;
    assert.equal(node!.description, '0.80 · survives · was 0.50 · Choose a database');
    assert.equal(node!.spoken, 'Use PostgreSQL, 0.80 important, survives, was 0.50, Choose a database');
    assert.match(node!.contextValue, /\bkeepit live unpinned overridden inMemory\b/);
    assert.match(node!.tooltip, /survives to distance 7/);
    assert.equal(node!.keepit?.markerId, 'id of Use PostgreSQL');
  });

  it('leaves the session’s title out where all are of one', () => {
    assert.equal(tree([row('x', 0.8)], true)[0]!.children[0]!.description, '0.80 · survives');
  });

  it('shows by words and icon what was added, removed, left behind, or lost its words', () => {
    const states = (['removed', 'abandoned', 'orphaned'] as const).map((state) => row(state, 0.8, { state }));
    const [inactive] = tree(states);
    assert.deepEqual(
      inactive!.children.map(({ icon, description }) => [icon?.id, description.split(' · ')[1]]),
      [
        ['trash', 'removed'],
        ['discard', 'left behind'],
        ['question', 'words are gone'],
      ],
    );
    const [added] = tree([row('x', 0.8, { origin: 'overlay' })]);
    assert.match(added!.children[0]!.description, /added/);
  });

  it('says how many of a group fade', () => {
    assert.match(tree([row('a', 0.3), row('b', 0.3)])[0]!.description, /2 · fading/);
  });

  it('cuts a list that nobody would scroll through, and says so', () => {
    const rows = Array.from({ length: 1500 }, (_, index) => row(`keepit ${index}`, 0.8));
    const [group] = tree(rows);
    assert.equal(group!.children.length, 1001);
    assert.equal(group!.children.at(-1)?.label, '… and 500 more');
  });
});
