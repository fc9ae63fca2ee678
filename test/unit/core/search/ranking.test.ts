import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ranking } from '../../../../src/core/search/searchService';
import type { SearchDocument } from '../../../../src/core/search/searchDocument';
import { DocumentFilter, type SearchFilter } from '../../../../src/core/search/searchFilter';
import { parseQuery } from '../../../../src/core/search/searchQuery';

function documentOf(id: string, text: string, more: Partial<SearchDocument> = {}): SearchDocument {
  return { kind: 'message', projectId: 'p', id, text, files: [], topics: [], ...more };
}

function idsFor(query: string, documents: readonly SearchDocument[], filter: SearchFilter = {}): string[] {
  const ranking = new Ranking(parseQuery(query), new DocumentFilter(filter));
  for (const document of documents) ranking.add(document);
  return ranking.ranked().map(({ document }) => document.id);
}

describe('Ranking', () => {
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
        assert.deepEqual(idsFor(query, other), idsFor(query, made));
      }),
    );
  });
});
