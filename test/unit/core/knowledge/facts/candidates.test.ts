import assert from 'node:assert/strict';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { candidatesIn } from '../../../../../src/core/knowledge/facts/candidates';
import { changedFacts } from '../../../../../src/core/knowledge/facts/factChanges';
import { FactBook } from '../../../../../src/core/knowledge/facts/factBook';
import { factViews } from '../../../../../src/core/knowledge/facts/factViews';
import type { FactsDocument } from '../../../../../src/core/model/layers';
import { sourceMessages } from '../../../support/sourceMessages';

const NOW = '2026-02-01T00:00:00.000Z';
const RULE = 'No new dependencies without asking me first.';

const candidates = (text: string): string[] =>
  sourceMessages(['human', text]).flatMap((message) => candidatesIn(message).map(({ content }) => content));

function proposed(
  document: FactsDocument,
  text: string,
  { uuid = 'm1', sessionId = 's', nowIso = NOW } = {},
): FactsDocument {
  const book = new FactBook(document);
  for (const message of sourceMessages(['human', text]))
    for (const found of candidatesIn({ ...message, uuid })) book.propose(found, { sessionId, nowIso });
  book.expire(nowIso);
  return { ...document, ...book.permanent() };
}

describe('What may be meant to hold', () => {
  it('is offered in any language, with its message', () => {
    for (const text of [
      RULE,
      'for money we use Decimal, floats are forbidden',
      'Les commits en anglais, toujours.',
      '金额统一用整数分，不许用浮点',
    ])
      assert.deepEqual(candidates(text), [text]);
  });

  it('is nothing that is asked to be done once, told of elsewhere, or pasted', () => {
    for (const text of [
      'why does this fail?',
      'run it again and show me the output',
      'Maybe no new dependencies without asking me first.',
      'In my other project there were no new dependencies without asking me.',
      'Thanks, great work!',
      'no, the menu is still gone after the restart',
      'The rule of the whole team for all new code is this:',
      'We always keep amounts in cents (see docs/money.md and',
      '[+] Building 1.3s (1/2) resolver fetching image',
    ])
      assert.deepEqual(candidates(text), [], text);
  });

  it('waits for review, is no fact, and is offered once', () => {
    const document = proposed(proposed(emptyFacts(), RULE), RULE);
    assert.deepEqual(factViews(document), []);
    assert.deepEqual(
      factViews(document, { review: true }).map(({ content, trust, isProposed }) => [content, trust, isProposed]),
      [[RULE, 'proposed', true]],
    );
  });

  it('comes first when it is said again in another session', () => {
    const other = 'All timestamps are stored in UTC.';
    let document = proposed(emptyFacts(), other);
    document = proposed(document, RULE, { uuid: 'm2' });
    for (const [at, sessionId] of ['s2', 's3', 's4', 's5', 's6'].entries())
      document = proposed(document, RULE, { uuid: `m${at + 3}`, sessionId });
    assert.equal(factViews(document, { review: true })[0]?.content, RULE);
  });

  it('is taken out after 60 days, and does not come back; nor does what was rejected', () => {
    const document = proposed(emptyFacts(), RULE);
    const later = { nowIso: '2026-04-15T00:00:00.000Z' };
    assert.deepEqual(proposed(proposed(document, 'ok', later), RULE, later).proposed, []);
    const rejected = changedFacts(document, 'p001', { to: 'rejected' }, NOW);
    const again = proposed(rejected, 'Please: no new dependencies without asking me first!', { uuid: 'm9' });
    assert.deepEqual(
      again.proposed.map(({ isRejected }) => isRejected),
      [true],
    );
  });
});
