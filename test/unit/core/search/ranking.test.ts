import assert from 'node:assert/strict';
import fc from 'fast-check';
import { askedTime } from '../../../../src/core/search/askedDates';
import { inMemory, rank } from '../../../../src/core/search/ranking';
import { asSpelt } from '../../../../src/core/search/spelling';
import type { SearchDocument } from '../../../../src/core/search/searchDocument';
import { DocumentFilter, type SearchFilter } from '../../../../src/core/search/searchFilter';
import { parseQuery } from '../../../../src/core/search/searchQuery';

function documentOf(id: string, text: string, more: Partial<SearchDocument> = {}): SearchDocument {
  return { kind: 'message', projectId: 'p', id, text, files: [], topics: [], ...more };
}

function idsFor(query: string, documents: readonly SearchDocument[], filter: SearchFilter = {}): string[] {
  const all = [inMemory(documents)];
  const queries = asSpelt(
    all.map(({ tables }) => tables),
    query.split(' | ').map(parseQuery),
  );
  const wanted = new DocumentFilter(filter);
  const takes = (document: number): boolean => {
    const it = documents[document];
    return it !== undefined && wanted.passes(it) && wanted.areAbout([it]);
  };
  const { found } = rank(all, queries, { isSingle: false, takes: () => takes });
  return found.map(({ documents: [first = 0] }) => documents[first]?.id ?? '');
}

function exchangesFor(query: string, documents: readonly SearchDocument[]): string[][] {
  const all = [inMemory(documents, 's1')];
  const { found } = rank(all, [parseQuery(query)], { isSingle: false, takes: () => () => true });
  return found.map((one) => one.documents.map((at) => documents[at]?.id ?? ''));
}

describe('rank', () => {
  it('puts what holds more of the query first, and rare words before common ones', () => {
    const filler = ['c', 'd', 'e'].map((id) => documentOf(id, `the deploy of ${id} and its deploy`));
    const documents = [documentOf('a', 'deploy'), documentOf('b', 'a canary deploy'), ...filler];
    assert.equal(idsFor('canary deploy', documents)[0], 'b');
  });

  it('puts what somebody has judged before one message among many', () => {
    const documents = [documentOf('message', 'use pnpm here'), documentOf('fact', 'use pnpm here', { kind: 'fact' })];
    assert.deepEqual(idsFor('pnpm', documents), ['fact', 'message']);
  });

  it('puts a heavy keepit before a light one, and the newer of equals first', () => {
    const keepit = (id: string, weight: number, timestamp: string): SearchDocument =>
      documentOf(id, 'port 8443', { kind: 'keepit', weight, timestamp });
    const documents = [
      keepit('light', 0.25, '2026-01-09'),
      keepit('old', 1, '2026-01-01'),
      keepit('new', 1, '2026-01-02'),
    ];
    assert.deepEqual(idsFor('port', documents), ['new', 'old', 'light']);
  });

  it('lists what speaks of one message once', () => {
    const documents = [
      documentOf('m', 'the port is 8443', { messageUuid: 'u', sessionId: 's1' }),
      documentOf('m', 'the port is 8443', { messageUuid: 'u', sessionId: 's2' }),
      documentOf('k', 'the port is 8443', { messageUuid: 'u', sessionId: 's1', kind: 'keepit', weight: 1 }),
    ];
    assert.deepEqual(idsFor('port', documents), ['k']);
  });

  it('finds what only a title says', () => {
    assert.deepEqual(idsFor('billing', [documentOf('a', 'it was done', { title: 'Billing' })]), ['a']);
  });

  it('takes the time that a query names as one more of its words', () => {
    const documents = [
      documentOf('spring', 'we chose the blue one', { timestamp: '2026-03-09T10:00:00Z' }),
      documentOf('summer', 'we chose the red one', { timestamp: '2026-07-09T10:00:00Z' }),
      documentOf('other', 'the tests are green', { timestamp: '2026-07-10T10:00:00Z' }),
    ];
    const isThen = askedTime('what was chosen in March 2026', new Date('2026-08-01'));
    const found = (query: string): string[] => {
      const options = { isSingle: false, isThen, takes: () => undefined };
      const ranking = rank([inMemory(documents)], [parseQuery(query)], options).found;
      return ranking.map(({ documents: [first = 0] }) => documents[first]?.id ?? '');
    };
    assert.deepEqual(found('chosen in March 2026'), ['spring']);
    assert.deepEqual(found('chose in March 2026'), ['spring', 'summer']);
    assert.deepEqual(found('what happened in March 2026?'), ['spring'], 'without a word of it');
  });

  it('puts what several ways of asking find before what one finds', () => {
    const documents = [
      documentOf('both', 'the session cookie expires after an hour'),
      documentOf('one', 'people complain that they have to log in again and again'),
      documentOf('other', 'cookie cookie cookie: banner of the shop'),
    ];
    assert.equal(idsFor('why is the session over | cookie expires', documents)[0], 'both');
  });

  it('finds what is misspelt where nothing else fits, and only there', () => {
    const documents = [
      documentOf('a', 'the middleware checks it'),
      documentOf('b', 'a retry'),
      documentOf('c', 'a retro'),
    ];
    assert.deepEqual(idsFor('midleware', documents), ['a']);
    assert.deepEqual(idsFor('authentification', [documentOf('d', 'authentication')]), ['d']);
    assert.deepEqual(idsFor('retry', documents), ['b']);
  });

  it('puts what was replaced last', () => {
    const fact = (id: string, replacedBy?: string): SearchDocument =>
      documentOf(id, 'deploy with fly', { kind: 'fact', replacedBy });
    assert.deepEqual(
      idsFor('deploy fly', [fact('old', 'new'), documentOf('said', 'deploy with fly'), fact('new')]).at(-1),
      'old',
    );
  });

  it('finds an exchange with the messages of it that say most, the best first', () => {
    const of = (
      id: string,
      exchange: number,
      place: NonNullable<SearchDocument['place']>,
      text: string,
    ): SearchDocument => documentOf(id, text, { exchange, place, messageUuid: id });
    const documents = [
      of('ask', 1, 'request', 'Where is the port set?'),
      of('way', 1, 'within', 'Let me look for the port.'),
      of('end', 1, 'closing', 'The port of the gateway is set in gateway.yml: 8443.'),
      of('next', 2, 'request', 'Thanks. And the colour of the header?'),
    ];
    const [first, ...others] = exchangesFor('port gateway', documents);
    assert.equal(first?.[0], 'end');
    assert.ok(first.includes('ask'));
    assert.ok(others.every((ids) => ids[0] === 'next'));
  });

  it('finds a short answer by the words of its question', () => {
    const of = (id: string, exchange: number, text: string): SearchDocument =>
      documentOf(id, text, { exchange, place: 'request', messageUuid: id });
    const documents = [
      of('noise', 1, 'The build is green.'),
      of('question', 2, 'Which queue do we take, Redis streams or RabbitMQ?'),
      of('answer', 3, 'the second one'),
      of('far', 4, 'Next, please rename the columns of the report and the labels of its axes.'),
    ];
    const found = exchangesFor('queue RabbitMQ', documents).flat();
    assert.ok(found.indexOf('answer') > found.indexOf('question') && found.includes('answer'));
  });

  it('narrows by files, topics, times, weights, kinds and sessions', () => {
    const documents = [
      documentOf('a', 'login works', {
        files: ['src/auth/login.ts'],
        timestamp: '2026-01-10T10:00:00Z',
        sessionId: 's1',
      }),
      documentOf('b', 'login of billing', { timestamp: '2026-02-10T10:00:00Z', sessionId: 's2' }),
      documentOf('c', 'login text', { kind: 'keepit', weight: 0.8 }),
      documentOf('d', 'login page', { kind: 'concept', topics: ['Billing'] }),
    ];
    const ids = (filter: SearchFilter): string[] => idsFor('login', documents, filter).sort();
    assert.deepEqual(ids({ files: ['src/auth'] }), ['a']);
    assert.deepEqual(ids({ topics: ['billing'] }), ['b', 'd']);
    assert.deepEqual(ids({ since: '2026-01-11T00:00:00Z' }), ['b']);
    assert.deepEqual(ids({ until: '2026-01-11T00:00:00Z' }), ['a']);
    assert.deepEqual(ids({ weightMin: 0.8 }), ['c']);
    assert.deepEqual(ids({ weightMax: 0.79 }), []);
    assert.deepEqual(ids({ kinds: ['concept'] }), ['d']);
    assert.deepEqual(ids({ sessionIds: ['s2'] }), ['b']);
  });

  it('gives the same ranking, whatever order documents come in, and never throws', () => {
    const word = fc.constantFrom('token', 'refresh', 'login', 'the', '部署', 'не', '😀', 'useAuth', '"x y"');
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const documents = fc.uniqueArray(
      fc.record({ id: fc.string({ minLength: 1, maxLength: 3 }), text, timestamp: fc.constantFrom('', '2026', 'x') }),
      { selector: ({ id }) => id, maxLength: 12 },
    );
    fc.assert(
      fc.property(text, documents, fc.infiniteStream(fc.nat()), (query, plain, noise) => {
        const made = plain.map(({ id, text: said, timestamp }) => documentOf(id, said, { timestamp }));
        const other = [...made].sort(() => ((noise.next().value ?? 0) % 2 === 0 ? 1 : -1));
        assert.deepEqual(idsFor(query, other).sort(), idsFor(query, made).sort());
      }),
    );
  });
});
