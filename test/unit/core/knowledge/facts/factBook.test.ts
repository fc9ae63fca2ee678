import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { changedFacts } from '../../../../../src/core/knowledge/facts/factChanges';
import { FactBook } from '../../../../../src/core/knowledge/facts/factBook';
import { factViews, REVIEW_AT, type FactView } from '../../../../../src/core/knowledge/facts/factViews';
import { statedIn } from '../../../../../src/core/knowledge/facts/stated';
import type { FactsDocument } from '../../../../../src/core/model/layers';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const NOW = '2026-02-01T00:00:00Z';
const origin = { sessionId: 's', nowIso: NOW };

/** Statements a minute apart, the number telling which minute. */
function told(
  document: FactsDocument,
  ...statements: readonly (readonly [minute: number, text: string])[]
): FactsDocument {
  const book = new FactBook(document);
  for (const [minute, text] of statements) {
    const timestamp = new Date(Date.UTC(2026, 0, 5, 9, minute)).toISOString();
    const [message] = sourceMessages(['human', text, { timestamp }]);
    if (message === undefined) continue;
    for (const rule of statedIn({ ...message, uuid: `m${minute}` })) book.addRule(rule, origin);
  }
  return { ...document, ...book.permanent() };
}

const texts = (views: readonly FactView[]): string[] => views.map(({ content }) => content);
const valid = (document: FactsDocument): string[] => texts(factViews(document));

const OLD = "Always start function names with 'a_'.";
const NEW = "From now on, start all function names with 'b_'.";

describe('FactBook', () => {
  it('lets the latest statement win, and keeps the earlier one as its history', () => {
    const document = told(emptyFacts(), [1, OLD], [2, NEW]);
    assert.deepEqual(valid(document), [NEW]);
    const [newer, older] = factViews(document, { all: true });
    assert.deepEqual([newer?.supersedes, older?.supersededBy, older?.state], ['r001', 'r002', 'superseded']);
  });

  it('comes to the same whatever the order in which sessions are read', () => {
    const statements = [
      [1, OLD],
      [2, NEW],
      [3, 'Never use a linter.'],
      [4, 'Always use a linter.'],
      [5, 'Always use CamelCase for class names.'],
      [6, 'Always use snake_case for class names.'],
    ] as const;
    fc.assert(
      fc.property(fc.shuffledSubarray([...statements], { minLength: statements.length }), (shuffled) => {
        assert.deepEqual(valid(told(emptyFacts(), ...shuffled)), [statements[5][1], statements[3][1], NEW]);
      }),
    );
  });

  it('takes a statement in once, however often it is read', () => {
    const once = told(emptyFacts(), [1, OLD], [2, NEW]);
    assert.deepEqual(told(once, [1, OLD], [2, NEW]), once);
  });

  it('revives a rule that is stated again', () => {
    assert.deepEqual(valid(told(emptyFacts(), [1, OLD], [2, NEW], [3, OLD])), [OLD]);
  });

  it('leaves rules about other things alone', () => {
    const other = "Always end function names with '_x'.";
    assert.equal(valid(told(emptyFacts(), [1, OLD], [2, other])).length, 2);
  });

  it('does not bring back what was forgotten, and keeps no word of it', () => {
    const document = changedFacts(told(emptyFacts(), [1, OLD]), 'r001', { to: 'forgotten' }, NOW);
    assert.deepEqual(valid(told(document, [5, OLD])), []);
    assert.ok(!JSON.stringify(document).includes('function'));
  });

  it('does not bring back what was rejected, and lets hold again what it had replaced', () => {
    const document = changedFacts(told(emptyFacts(), [1, OLD], [2, NEW]), 'r002', { to: 'rejected' }, NOW);
    assert.deepEqual(valid(document), [OLD]);
    assert.deepEqual(valid(told(document, [2, NEW], [9, NEW])), [OLD]);
    assert.deepEqual(valid(changedFacts(document, 'r002', { to: 'confirmed' }, NOW)).includes(NEW), true);
  });

  it('keeps the words that a person gave a fact', () => {
    const document = changedFacts(
      told(emptyFacts(), [1, OLD]),
      'r001',
      { to: 'edited', content: 'Functions begin with a_' },
      NOW,
    );
    assert.deepEqual(valid(told(document, [3, OLD])), ['Functions begin with a_']);
    assert.throws(() => changedFacts(document, 'r001', { to: 'edited', content: '  ' }, NOW), { reason: 'empty-fact' });
    assert.throws(() => changedFacts(document, 'r099', { to: 'confirmed' }, NOW), { reason: 'unknown-fact' });
  });

  it('puts a rule up for review once it was acted against five times, each call counting once', () => {
    const book = new FactBook(told(emptyFacts(), [1, 'Never use axios.']));
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < REVIEW_AT; index++) {
        const edit = sourceTool('Edit', { input: { new_string: "import axios from 'axios'" } });
        const [message] = sourceMessages(['claude', 'Done', { tools: [edit], timestamp: '2026-01-06T00:00:00Z' }]);
        if (message !== undefined) book.observe({ ...message, uuid: `did-${index}` }, NOW);
      }
    }
    const [fact] = factViews({ ...emptyFacts(), ...book.permanent() }, { review: true });
    assert.deepEqual([fact?.contradictions, fact?.state], [REVIEW_AT, 'review']);
  });

  it('counts each of the calls of one message', () => {
    const book = new FactBook(told(emptyFacts(), [1, 'From now on always use pnpm, never npm.']));
    const commands = ['npm install', 'npm test', 'npm run build', 'npm i zod', 'npm ls', 'cd web && npm run lint'];
    const tools = commands.map((command) => sourceTool('Bash', { input: { command } }));
    const [message] = sourceMessages(['claude', 'Done', { tools, timestamp: '2026-01-06T00:00:00Z' }]);
    for (let round = 0; round < 2; round++) if (message !== undefined) book.observe(message, NOW);
    const [fact] = factViews({ ...emptyFacts(), ...book.permanent() }, { review: true });
    assert.deepEqual([fact?.contradictions, fact?.state], [commands.length, 'review']);
  });
});
