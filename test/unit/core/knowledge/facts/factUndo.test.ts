import assert from 'node:assert/strict';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { FactBook } from '../../../../../src/core/knowledge/facts/factBook';
import { changedFacts, undone, undoOf } from '../../../../../src/core/knowledge/facts/factChanges';
import type { FactChange } from '../../../../../src/core/knowledge/facts/proposals';
import { factViews } from '../../../../../src/core/knowledge/facts/factViews';
import { statedIn } from '../../../../../src/core/knowledge/facts/stated';
import type { FactsDocument } from '../../../../../src/core/model/layers';
import { sourceMessages } from '../../../support/sourceMessages';

const NOW = '2026-02-01T00:00:00Z';

function told(...texts: readonly string[]): FactsDocument {
  const book = new FactBook(emptyFacts());
  for (const [minute, text] of texts.entries()) {
    const timestamp = new Date(Date.UTC(2026, 0, 5, 9, minute)).toISOString();
    const [message] = sourceMessages(['human', text, { timestamp }]);
    if (message === undefined) continue;
    for (const rule of statedIn({ ...message, uuid: `m${minute}` }))
      book.addRule(rule, { sessionId: 's', nowIso: NOW });
  }
  return { ...emptyFacts(), ...book.permanent() };
}

const OLD = "Always start function names with 'a_'.";
const NEW = "From now on, start all function names with 'b_'.";
const OTHER = 'Never use a linter.';

const changes: FactChange[] = [
  { to: 'confirmed' },
  { to: 'edited', content: 'Start function names with c_.' },
  { to: 'rejected' },
  { to: 'forgotten' },
];

describe('undoing a change of a fact', () => {
  for (const change of changes) {
    it(`brings everything back to the byte after it was ${change.to}`, () => {
      const before = told(OLD, NEW, OTHER);
      const after = changedFacts(before, 'r002', change, NOW);
      assert.notDeepEqual(after, before);
      assert.deepEqual(undone(after, undoOf(before, after)), before);
    });
  }

  it('leaves alone what was changed about other facts meanwhile', () => {
    const before = told(OLD, NEW, OTHER);
    const after = changedFacts(before, 'r002', { to: 'forgotten' }, NOW);
    const meanwhile = changedFacts(after, 'r003', { to: 'confirmed' }, NOW);
    const back = factViews(undone(meanwhile, undoOf(before, after)), { all: true });
    assert.deepEqual(
      back.map(({ id, state, isConfirmed }) => [id, state, isConfirmed]),
      [
        ['r003', 'valid', true],
        ['r002', 'valid', false],
        ['r001', 'superseded', false],
      ],
    );
  });

  it('lets what was forgotten be found again', () => {
    const before = told(OLD);
    const after = changedFacts(before, 'r001', { to: 'forgotten' }, NOW);
    assert.equal(after.forgotten.length, 1);
    assert.deepEqual(undone(after, undoOf(before, after)).forgotten, []);
  });
});
