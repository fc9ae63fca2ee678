import assert from 'node:assert/strict';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { changedFacts, undone, undoOf } from '../../../../../src/core/knowledge/facts/factChanges';
import { type FactChange, proposed, type Proposal } from '../../../../../src/core/knowledge/facts/proposals';
import { factViews } from '../../../../../src/core/knowledge/facts/factViews';
import { factsDocumentSchema, type FactsDocument } from '../../../../../src/core/model/layers';

const NOW = '2026-01-20T12:00:00.000Z';

function propose(document: FactsDocument, proposal: Partial<Proposal> = {}) {
  return proposed(document, { kind: 'rules', content: 'Use pnpm for installing.', ...proposal }, NOW);
}

function changed(document: FactsDocument, change: FactChange, id = 'p001'): FactsDocument {
  return factsDocumentSchema.parse(changedFacts(document, id, change, NOW));
}

describe('proposed facts', () => {
  it('wait in the review queue, and are no facts before somebody confirms them', () => {
    const { document, id, outcome } = propose(emptyFacts());
    assert.deepEqual([id, outcome], ['p001', 'proposed']);
    assert.deepEqual(factViews(document), []);
    assert.deepEqual(document.permanent, emptyFacts().permanent);
    const [view] = factViews(document, { review: true });
    assert.deepEqual([view?.id, view?.state, view?.isProposed, view?.confidence], ['p001', 'review', true, 0.3]);
  });

  it('become facts of their kind when they are confirmed, or put in other words', () => {
    const rule = changed(propose(emptyFacts()).document, { to: 'confirmed' });
    assert.deepEqual(rule.proposed, []);
    const [view] = factViews(rule);
    assert.deepEqual([view?.state, view?.isConfirmed, view?.isProposed], ['valid', true, undefined]);
    const solution = propose(emptyFacts(), { kind: 'solutions', about: 'CI is slow', content: 'cache the store' });
    const edited = changed(solution.document, { to: 'edited', content: 'cache the pnpm store' });
    assert.equal(factViews(edited)[0]?.content, 'CI is slow → cache the pnpm store');
    const logic = propose(emptyFacts(), { kind: 'core_logic', about: 'Login', content: 'asks for a code' });
    assert.equal(factViews(changed(logic.document, { to: 'confirmed' }))[0]?.content, 'Login: asks for a code');
  });

  it('are not proposed again when they are known, wait already, or were not wanted', () => {
    const { document } = propose(emptyFacts());
    assert.deepEqual(propose(document, { content: 'use PNPM for installing' }), {
      document,
      id: 'p001',
      outcome: 'known',
    });
    assert.equal(propose(changed(document, { to: 'confirmed' })).outcome, 'known');
    assert.equal(propose(changed(document, { to: 'rejected' })).outcome, 'declined');
    assert.equal(propose(changed(document, { to: 'forgotten' })).outcome, 'declined');
    assert.doesNotMatch(JSON.stringify(changed(document, { to: 'forgotten' })), /pnpm/i);
  });

  it('let every change be taken back', () => {
    const { document } = propose(emptyFacts());
    const changes: FactChange[] = [
      { to: 'confirmed' },
      { to: 'edited', content: 'Use pnpm.' },
      { to: 'rejected' },
      { to: 'forgotten' },
    ];
    for (const change of changes) {
      const after = changed(document, change);
      assert.deepEqual(undone(after, undoOf(document, after)), document, change.to);
    }
  });

  it('hold neither secrets nor what is private', () => {
    const key = `sk-ant-${'a1B2'.repeat(10)}`;
    const evidence = { sessionId: 's', messageUuid: 'u', excerpt: `the key ${key}` };
    const { document } = propose(emptyFacts(), { content: `Deploy with ${key} <private>hush</private>`, evidence });
    assert.doesNotMatch(JSON.stringify(document), /a1B2|hush/);
  });

  it('are refused without words, and when too many wait already', () => {
    assert.throws(() => propose(emptyFacts(), { content: ' … ' }), { code: 'layers-empty-fact' });
    let document = emptyFacts();
    for (let number = 0; number < 100; number++) document = propose(document, { content: `Port ${number}a` }).document;
    assert.throws(() => propose(document, { content: 'One more' }), { code: 'layers-queue-full' });
  });
});
