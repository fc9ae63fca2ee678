import assert from 'node:assert/strict';
import fc from 'fast-check';
import { scoreDocuments } from '../../../../src/core/search/scoring';
import { atHand } from '../../../../src/core/search/bytes';
import type { SearchDocument } from '../../../../src/core/search/searchDocument';
import { parseQuery } from '../../../../src/core/search/searchQuery';
import { SegmentBuilder, type SegmentTables } from '../../../../src/core/search/segment';
import { decodeTables, encodeTables } from '../../../../src/core/search/storedTables';

const sessions = [{ sessionId: 's1', path: '/x/s1.jsonl', bytes: 10, mtimeMs: 5 }];

function builtFrom(texts: readonly string[]): SegmentBuilder {
  const tables = new SegmentBuilder();
  const documents = texts.map((text, at): SearchDocument => ({
    ...{ kind: 'message', projectId: 'p', id: `m${at}`, text, messageUuid: `m${at}`, topics: [] },
    ...{ aside: at % 2 === 0 ? '' : `Edit: src/a${at}.ts`, files: at % 2 === 0 ? [] : [`src/a${at}.ts`] },
    ...{ exchange: 1 + (at >> 1), place: at % 2 === 0 ? 'request' : 'closing', timestamp: '2026-01-05T09:00:00Z' },
  }));
  tables.add(0, documents);
  return tables;
}

function scores(tables: SegmentTables, query: string): number[] {
  const [scored] = scoreDocuments([tables], parseQuery(query).terms);
  const scores = Array.from(tables.holders, () => 0);
  for (const { document, score } of scored?.best ?? []) scores[document] = score;
  return scores;
}

describe('encodeTables', () => {
  it('keeps all that a search asks for', () => {
    const word = fc.constantFrom('retry', 'the', 'parseFile', '部署', 'é', 'src/a.ts', '😀', 'token', 'a'.repeat(70));
    const text = fc.array(word, { maxLength: 400 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 9 }), text, (texts, query) => {
        const built = builtFrom(texts);
        const decoded = decodeTables(atHand(encodeTables({ sessions, tables: built })));
        assert.ok(decoded !== undefined);
        assert.deepEqual(decoded.sessions, sessions);
        const { tables } = decoded;
        for (const column of [
          'documents',
          'lengths',
          'isAside',
          'holders',
          'exchanges',
          'places',
          'seconds',
          'messages',
        ] as const) {
          assert.deepEqual(Array.from(tables[column]), Array.from(built[column]), column);
        }
        const terms = [...built.termsBehind('')].map(({ rest }) => rest);
        assert.deepEqual(
          [...tables.termsBehind('')].map(({ rest }) => rest),
          terms,
        );
        for (const term of terms) assert.equal(tables.term(term)?.holders, built.term(term)?.holders);
        assert.deepEqual(scores(tables, query), scores(built, query));
      }),
      { numRuns: 50 },
    );
  });

  it('finds the same first where few passages are looked at closely', () => {
    const word = fc.constantFrom(...'retry token deploy cache webhook login refresh poll gauge index'.split(' '));
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
    const query = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 120, maxLength: 120 }), query, (texts, asked) => {
        const segments = [builtFrom(texts.slice(0, 50)), builtFrom(texts.slice(50))];
        const { terms } = parseQuery(asked);
        const [all, few] = [scoreDocuments(segments, terms), scoreDocuments(segments, terms, { most: 60 })];
        const best = (of: typeof all): number =>
          Math.max(0, ...of.flatMap((one) => one.best.map(({ score }) => score)));
        assert.ok(Math.abs(best(all) - best(few)) < 1e-6);
        assert.deepEqual(
          few.map(({ total }) => total),
          all.map(({ total }) => total),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('leaves out nothing that says most, where it does not go through what holds common words alone', () => {
    const words = 'common often usual known retry token deploy cache webhook rare'.split(' ');
    // The first word stands in nearly every text, the last in hardly any.
    const word = fc.integer({ min: 0, max: 999 }).map((at) => words[Math.floor((at / 1000) ** 3 * words.length)] ?? '');
    const often = fc.tuple(word, fc.integer({ min: 1, max: 6 })).map(([one, times]) => `${one} `.repeat(times));
    const said = fc.array(often, { minLength: 1, maxLength: 9 }).map((some) => some.join(''));
    const query = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 4 }).map((some) => some.join(' '));
    fc.assert(
      fc.property(fc.array(said, { minLength: 200, maxLength: 200 }), query, (texts, asked) => {
        const segments = [new SegmentBuilder(), new SegmentBuilder()];
        const document: SearchDocument = { kind: 'message', projectId: 'p', id: '', text: '', files: [], topics: [] };
        for (const [at, text] of texts.entries()) segments[at % 2]?.add(at, [{ ...document, text }]);
        const [all = [], few = []] = [Infinity, 8].map((most) =>
          scoreDocuments(segments, parseQuery(asked).terms, { most })
            .flatMap(({ best }, segment) => best.map(({ document, score }) => ({ segment, document, score })))
            .sort((a, b) => b.score - a.score || a.segment - b.segment || a.document - b.document),
        );
        assert.ok(few.length >= Math.min(8, all.length));
        assert.deepEqual(few, all.slice(0, few.length));
      }),
      { numRuns: 60 },
    );
  });

  it('takes nothing that is torn or of another kind', () => {
    const whole = encodeTables({ sessions, tables: builtFrom(['a retry of it', 'done']) });
    for (const bytes of [
      new Uint8Array(),
      whole.slice(0, 3),
      whole.slice(0, 40),
      whole.slice(0, 150),
      new Uint8Array(99),
    ]) {
      assert.equal(decodeTables(atHand(bytes)), undefined);
    }
  });

  it('joins what was taken apart, without the sessions that are left out', () => {
    const [first, second] = [builtFrom(['a retry of it', 'the token']), builtFrom(['retry the deploy', 'done'])];
    const both = new SegmentBuilder();
    both.append(first, () => 0);
    both.append(second, () => 1);
    assert.deepEqual(scores(both, 'retry'), scores(readBack(both), 'retry'));
    assert.deepEqual(both.holders, [0, 0, 1, 1]);
    assert.ok(scores(both, 'deploy').findIndex((score) => score > 0) >= 2);
    const one = new SegmentBuilder();
    one.append(both, (holder) => (holder === 1 ? 0 : undefined));
    for (const query of ['retry', 'deploy', 'token']) assert.deepEqual(scores(one, query), scores(second, query));
  });
});

function readBack(tables: SegmentTables): SegmentTables {
  const decoded = decodeTables(atHand(encodeTables({ sessions, tables })));
  assert.ok(decoded !== undefined);
  return decoded.tables;
}
