import assert from 'node:assert/strict';
import { foundGroups, searchNotes, searchPage } from '../../../../../src/core/search/view/searchList';
import { hitRanges } from '../../../../../src/core/search/view/hitRanges';
import type { SearchHit } from '../../../../../src/core/search/answers';
import type { SearchResult } from '../../../../../src/core/search/searchService';
import type { SaidBlock } from '../../../../../src/core/sessions/document/transcriptDocument';
import { Formats } from '../../../../../src/core/text/formats';

const formats = new Formats({ locale: 'en', timeZone: 'UTC' });
const nowMs = Date.parse('2026-03-02T12:00:00Z');
const context = {
  formats,
  nowMs,
  titleOf: ({ sessionId }: { sessionId: string }) => (sessionId === 's1' ? 'Retry failed orders' : undefined),
  projectName: (id: string) => (id === 'here' ? undefined : id),
};

function hit(more: Partial<SearchHit>): SearchHit {
  const place = { kind: 'message', projectId: 'here', id: 'm', score: 1, files: [], why: '', sources: [] } as const;
  return { ...place, snippet: 'retry three times', matches: [[0, 5]], ...more };
}

const inSession = (id: string, more: Partial<SearchHit> = {}): SearchHit =>
  hit({ id, messageUuid: id, sessionId: 's1', role: 'user', timestamp: '2026-03-01T12:00:00Z', ...more });

describe('foundGroups', () => {
  it('puts the hits of a session together, where its best one stands', () => {
    const hits = [inSession('a'), hit({ kind: 'note', id: 'master.md#1', title: 'Rules' }), inSession('b')];
    const groups = foundGroups(hits, context);
    assert.deepEqual(
      groups.map(({ label, rows }) => [label, rows.length]),
      [
        ['Retry failed orders', 2],
        ['Notebook', 1],
      ],
    );
    const [first, second] = groups;
    assert.deepEqual(first?.session, { projectId: 'here', sessionId: 's1' });
    assert.equal(second?.rows[0]?.about, 'note · Rules');
  });

  it('shows the best of a session that has many, and counts the others', () => {
    const [group] = foundGroups(
      Array.from({ length: 8 }, (_, at) => inSession(`m${at}`)),
      context,
    );
    assert.equal(group?.rows.length, 5);
    assert.match(group.description, /3 more$/);
  });

  it('says who spoke, how sure a fact is, what a keepit weighs, and which files', () => {
    const files = ['/a/src/one.ts', '/a/two.ts', 'three.ts', 'four.ts'];
    const about = (more: Partial<SearchHit>): string | undefined =>
      foundGroups([inSession('a', { ...more, timestamp: undefined })], context)[0]?.rows[0]?.about;
    assert.equal(about({ role: 'user' }), 'you');
    assert.equal(about({ role: 'assistant', files }), 'Claude · one.ts, two.ts, three.ts, 1 more');
    assert.equal(about({ kind: 'keepit', weight: 0.9 }), 'keepit · 0.90');
    assert.equal(about({ kind: 'fact', trust: 'stated' }), 'fact · stated');
  });

  it('names the project of what is elsewhere', () => {
    assert.equal(foundGroups([hit({ projectId: 'mailer', kind: 'note' })], context)[0]?.description, 'mailer');
  });
});

describe('searchNotes', () => {
  const nothing: SearchResult = { results: [], total: 0, unread: 0, failed: [] };
  const scope = { query: 'retry', inMemory: 3, notInMemory: 0, project: 'mailer' };
  const texts = (result: Partial<SearchResult>, more: Partial<typeof scope> = {}): string[] =>
    searchNotes({ ...nothing, ...result }, { ...scope, ...more }, formats).map(({ text }) => text);

  it('say what to do when nothing was found', () => {
    assert.deepEqual(texts({}), [
      'Nothing was found for “retry” in 3 sessions of mailer.',
      'Only mailer was searched.',
    ]);
    assert.match(
      texts({}, { inMemory: 0, notInMemory: 4 }).join('\n'),
      /is in memory yet[^]*4 sessions are not in memory/,
    );
  });

  it('say what was not searched, and offer it', () => {
    assert.deepEqual(texts({ total: 5 }, { notInMemory: 1 }), [
      '1 session is not in memory: only titles were searched.',
    ]);
    const [unread] = searchNotes({ ...nothing, total: 1, unread: 2 }, scope, formats);
    assert.equal(unread?.action, 'again');
    const failed = [{ what: 'notes of mailer', error: 'It is damaged.' }];
    assert.deepEqual(texts({ total: 1, failed }), ['notes of mailer could not be read: It is damaged.']);
  });

  it('say nothing when all is as usual', () => {
    assert.deepEqual(texts({ total: 5 }), []);
  });
});

describe('searchPage', () => {
  const groups = foundGroups([inSession('a'), inSession('b', { snippet: 'we retry', matches: [[3, 8]] })], context);
  const page = searchPage('retry', groups, { total: 2, notes: [] }, formats);
  const lines = page.text.split('\n');

  it('lists the hits below their sessions, each with a line that leads to it', () => {
    assert.deepEqual(lines.slice(0, 3), ['# Search: retry', '', '2 answers']);
    assert.match(String(lines[4]), /^## Retry failed orders/);
    assert.deepEqual(
      page.links.map(({ line, hit: { id } }) => [lines[line], id]),
      [
        ['  you · 1 d ago', 'a'],
        ['  you · 1 d ago', 'b'],
      ],
    );
    assert.deepEqual(page.folds, [{ start: 4, end: 8 }]);
  });

  it('knows where the words stand', () => {
    assert.deepEqual(
      page.marks.map(({ line, start, end }) => String(lines[line]).slice(start, end)),
      ['retry', 'retry'],
    );
  });
});

describe('hitRanges', () => {
  function block(messageUuid: string, line: number, text: string): SaidBlock {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return { line, headingLine: line - 1, starts, text, uuid: messageUuid, blockIndex: 0, messageUuid, isLive: true };
  }

  it('begin where most of the words are near each other', () => {
    const far = Array.from({ length: 20 }, () => 'filler').join('\n');
    const said = [block('a', 5, `orders first\n${far}\nretry failed orders`), block('b', 50, 'retry failed orders')];
    const ranges = hitRanges(said, 'a', 'retry failed orders');
    assert.deepEqual(ranges[0]?.start, { line: 26, column: 2 });
    assert.deepEqual(ranges[0].end, { line: 26, column: 7 });
    assert.deepEqual(ranges.at(-1)?.start, { line: 5, column: 2 });
  });

  it('are none where the words are not said but done', () => {
    assert.deepEqual(hitRanges([block('a', 5, 'Done.')], 'a', 'npm'), []);
  });
});
