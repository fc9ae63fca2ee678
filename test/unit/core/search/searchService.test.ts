import assert from 'node:assert/strict';
import type { SearchRequest, SearchResult } from '../../../../src/core/search/searchService';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const OTHER = '-home-ada-src-other';
const FIRST = 'a1b2c3d4-1111-4111-8111-111111111111';
const SECOND = 'b1b2c3d4-2222-4222-8222-222222222222';

const tool = { type: 'tool_use', id: 't1', name: 'Edit', input: { file_path: '/home/ada/src/app/src/auth.ts' } };

/** Two sessions of one project and one of another, all in memory; layers are on for the first project. */
async function stage() {
  const memory = new FakeMemory();
  const { service, claude } = memory;
  claude.write(
    `${PROJECT}/${FIRST}.jsonl`,
    new TranscriptBuilder(FIRST)
      .human('Remember: always use pnpm, never npm.')
      .assistant('The refresh token lives seven days. ##keepit0.90##The signing key rotates monthly.##keepit:end##'),
  );
  const edited = new TranscriptBuilder(SECOND).human('Why does the login loop? <private>my token is hunter2</private>');
  edited.assistant('The refresh was not awaited.', {
    message: {
      id: 'm2',
      role: 'assistant',
      model: 'claude-opus-4-8',
      content: [{ type: 'text', text: 'The refresh was not awaited.' }, tool],
    },
  });
  claude.write(`${PROJECT}/${SECOND}.jsonl`, edited);
  claude.write(`${OTHER}/c1.jsonl`, new TranscriptBuilder('c1', '/home/ada/src/other').human('A refresh elsewhere'));
  const refs = [
    { projectId: PROJECT, sessionId: FIRST },
    { projectId: PROJECT, sessionId: SECOND },
    { projectId: OTHER, sessionId: 'c1' },
  ];
  await service.sessions.register(refs);
  await service.layers.enable(PROJECT);
  await service.layers.build(PROJECT);
  const find = (query: string, more: Partial<SearchRequest> = {}): Promise<SearchResult> =>
    service.search.search({ query, projectIds: [PROJECT], ...more });
  return { memory, service, find };
}

describe('SearchService', () => {
  it('finds facts, keepits, exchanges, concepts and messages, with where they come from', async () => {
    const { find } = await stage();
    const [fact] = (await find('pnpm')).results;
    assert.deepEqual([fact?.kind, fact?.sessionId, fact?.messageUuid], ['fact', FIRST, `${FIRST}-0`]);
    const [keepit] = (await find('signing key')).results;
    assert.deepEqual([keepit?.kind, keepit?.weight], ['keepit', 0.9]);
    assert.equal(keepit?.snippet, 'The signing key rotates monthly.');
    const kinds = (await find('login refresh', { limit: 50 })).results.map(({ kind }) => kind);
    assert.ok(kinds.includes('exchange') && !kinds.includes('message'));
    const [exchange] = (await find('login refresh', { kinds: ['exchange'] })).results;
    assert.deepEqual(exchange?.sources.map(({ messageUuid }) => messageUuid).sort(), [`${SECOND}-0`, `${SECOND}-1`]);
    assert.match(exchange.why, /^has .*login/);
  });

  it('finds what is in the notebook, the rolling memory and compositions', async () => {
    const { service, find } = await stage();
    await service.notebook.summarize({ projectId: PROJECT, sessionId: FIRST });
    await service.notebook.synthesize(PROJECT);
    await service.rolling.set(PROJECT, 'conventions.md', 'Branches are named after tickets.');
    const note = (await find('pnpm', { kinds: ['note'] })).results;
    assert.ok(note.some(({ id }) => id.startsWith('master.md#')));
    assert.ok(note.some(({ id, sessionId }) => id.startsWith(`conversations/${FIRST}`) && sessionId === FIRST));
    const [memory] = (await find('branches tickets')).results;
    assert.deepEqual([memory?.kind, memory?.id], ['memory', 'conventions.md#0']);
    const components = [{ sessionId: FIRST }];
    const format = { totalTokenBudget: 9000, outputFormat: 'markdown', strategy: 'equal' } as const;
    await service.compositions.compose(PROJECT, { name: 'auth work', components, ...format });
    const [composed] = (await find('seven days', { kinds: ['composition'] })).results;
    assert.match(composed?.title ?? '', /^auth work/);
  });

  it('finds what versions say', async () => {
    const { service, find } = await stage();
    const ref = { projectId: PROJECT, sessionId: FIRST };
    const { version } = await service.versions.compress(ref, {});
    const [hit] = (await find('pnpm', { kinds: ['version'] })).results;
    assert.deepEqual([hit?.id.split('#')[0], hit?.sessionId], [version.versionId, FIRST]);
  });

  it('lists what touched a file without any words, and nothing without words and filters', async () => {
    const { find } = await stage();
    const { results } = await find('', { files: ['src/auth.ts'], kinds: ['exchange', 'message'] });
    assert.ok(results.length > 0 && results.every(({ sessionId }) => sessionId === SECOND));
    assert.equal((await find('', { files: ['nowhere.ts'] })).total, 0);
    await assert.rejects(find(' '), { code: 'search-empty-query' });
  });

  it('lists the newest first where no words were asked for', async () => {
    const { find } = await stage();
    const times = (await find('', { kinds: ['exchange'] })).results.map(({ timestamp = '' }) => timestamp);
    assert.ok(times.length > 1);
    assert.deepEqual(times, [...times].sort().reverse());
  });

  it('tells stated facts from others', async () => {
    const { find } = await stage();
    const stated = (await find('pnpm', { trusts: ['stated'] })).results;
    assert.ok(stated.length > 0 && stated.every(({ kind, trust }) => kind === 'fact' && trust === 'stated'));
    assert.equal((await find('pnpm', { trusts: ['proved'] })).total, 0);
  });

  it('stays in the projects that were asked for', async () => {
    const { find } = await stage();
    assert.ok((await find('elsewhere')).results.every(({ projectId }) => projectId === PROJECT));
    assert.equal((await find('elsewhere', { projectIds: [OTHER] })).total, 1);
  });

  it('narrows to what touched a file', async () => {
    const { find } = await stage();
    const { results } = await find('refresh', { files: ['src/auth.ts'], kinds: ['message'] });
    assert.deepEqual(
      results.map(({ messageUuid }) => messageUuid),
      [`${SECOND}-1`],
    );
  });

  it('neither finds nor remembers what is private', async () => {
    const { memory, find } = await stage();
    assert.equal((await find('hunter2')).total, 0);
    const remembered = [...memory.searchFiles.files.values()].map((bytes) => new TextDecoder().decode(bytes));
    assert.ok(remembered.some((text) => text.includes('refresh')));
    assert.ok(remembered.every((text) => !text.includes('hunter2')));
  });

  it('opens a transcript again only when it has changed', async () => {
    const { memory, find } = await stage();
    await find('refresh');
    const opened = memory.claude.opened.length;
    await find('login');
    assert.equal(memory.claude.opened.length, opened);
    memory.claude.write(
      `${PROJECT}/${SECOND}.jsonl`,
      new TranscriptBuilder(SECOND).human('Now about webhooks'),
      '2026-01-16T12:00:00Z',
    );
    assert.equal((await find('webhooks', { kinds: ['message'] })).total, 1);
    assert.deepEqual(memory.searchFiles.saved.filter((name) => name.endsWith('.said')).length, 4);
  });

  it('knows sessions from when they are added to memory, and what is new of them', async () => {
    const { memory, service, find } = await stage();
    const opened = memory.claude.opened.length;
    const files = await memory.searchFiles.list(PROJECT, '.tables');
    assert.ok(files.length > 0);
    assert.ok((await find('refresh')).total > 0);
    assert.equal(memory.claude.opened.length, opened);
    const [check] = (await service.upkeep.doctor()).filter(({ name }) => name === 'search index');
    assert.equal(check?.ok, true);
  });

  it('reads no pack that is damaged, and takes it away', async () => {
    const { memory, find } = await stage();
    await memory.searchFiles.save(PROJECT, 'torn.tables', new Uint8Array(50));
    const whole = await stage();
    assert.deepEqual(await find('refresh'), await whole.find('refresh'));
    const names = await memory.searchFiles.list(PROJECT, '.tables');
    assert.ok(names.length === 1 && !names.includes('torn.tables'));
  });

  it('keeps few packs of many sessions, and finds all of them', async () => {
    const { memory, service, find } = await stage();
    for (let at = 0; at < 12; at++) {
      const sessionId = `d${at}b2c3d4-3333-4333-8333-333333333333`;
      memory.claude.write(
        `${PROJECT}/${sessionId}.jsonl`,
        new TranscriptBuilder(sessionId).human(`Webhooks, part ${at}`),
      );
      await service.sessions.register([{ projectId: PROJECT, sessionId }]);
      assert.equal((await find('webhooks', { kinds: ['message'] })).total, at + 1);
    }
    assert.ok((await memory.searchFiles.list(PROJECT, '.tables')).length < 8);
  });

  it('finds what is left of a session whose transcript is gone, and tells what it could not read', async () => {
    const { memory, find } = await stage();
    memory.searchFiles.files.clear();
    memory.claude.onOpen = (path) => {
      if (path.includes(SECOND)) memory.claude.unreadable.add(path);
    };
    const result = await find('refresh');
    assert.ok(result.results.some(({ sessionId, kind }) => sessionId === FIRST && kind === 'exchange'));
    assert.deepEqual(
      result.failed.map(({ what }) => what),
      [SECOND],
    );
  });

  it('says once that layers are out of reach, and finds everything else', async () => {
    const { memory, find } = await stage();
    memory.layerStore.problem = 'not-writable';
    const { failed, results } = await find('signing key');
    assert.deepEqual([failed.length, results[0]?.kind], [1, 'keepit']);
  });

  it('tells the whole number of answers, and gives them page by page', async () => {
    const { find } = await stage();
    const all = await find('refresh token login', { limit: 50 });
    const first = await find('refresh token login', { limit: 2 });
    const pages = [first, await find('refresh token login', { cursor: first.nextCursor })];
    assert.equal(pages[0]?.total, all.total);
    assert.deepEqual(
      pages.flatMap(({ results }) => results),
      all.results,
    );
  });

  it('gives a page of what happened since some time ago, however much later it is asked for', async () => {
    const { find } = await stage();
    const first = await find('refresh token login', { limit: 2, since: '2026-01-01T00:00:00.000Z' });
    const second = await find('refresh token login', { cursor: first.nextCursor, since: '2026-01-01T00:00:01.000Z' });
    assert.ok(second.results.length > 0);
    await assert.rejects(find('login', { cursor: first.nextCursor }), { code: 'search-bad-cursor' });
    assert.equal((await find('refresh token login', { limit: 0 })).nextCursor, undefined);
  });

  it('gives every answer once, page by page, also of more passages than are looked at first', async () => {
    const { memory, service, find } = await stage();
    const sessionId = 'e1b2c3d4-3333-4333-8333-333333333333';
    const builder = new TranscriptBuilder(sessionId);
    for (let at = 0; at < 60; at++) {
      builder.human(`Walrus number ${at} fails`).assistant('The walrus parser.').assistant('The walrus lexer.');
      builder.assistant(`The walrus of ${at} is well.`);
    }
    memory.claude.write(`${PROJECT}/${sessionId}.jsonl`, builder);
    await service.sessions.register([{ projectId: PROJECT, sessionId }]);
    for (const [kinds, count] of [[undefined, 60] as const, [['message' as const], 240] as const]) {
      const found: string[] = [];
      let cursor: string | undefined;
      let total = 0;
      do {
        const page = await find('walrus', { limit: 25, kinds, cursor });
        found.push(...page.results.map(({ id }) => id));
        ({ nextCursor: cursor, total } = page);
      } while (cursor !== undefined);
      assert.deepEqual([found.length, new Set(found).size, total], [count, count, count]);
    }
  });

  it('names the message that has what has to be there, and says truly what it has', async () => {
    const { memory, service, find } = await stage();
    const sessionId = 'e1b2c3d4-3333-4333-8333-333333333333';
    memory.claude.write(
      `${PROJECT}/${sessionId}.jsonl`,
      new TranscriptBuilder(sessionId)
        .human('The gardens and their tests, please: tests of the gardens')
        .assistant('All garden tests are green 🎉'),
    );
    await service.sessions.register([{ projectId: PROJECT, sessionId }]);
    const snippetOf = async (query: string) => (await find(query, { kinds: ['exchange'] })).results[0]?.snippet;
    assert.equal(await snippetOf('🎉'), 'All garden tests are green 🎉');
    assert.equal(await snippetOf('gardens tests +"are green"'), 'All garden tests are green 🎉');
    const [misspelt] = (await find('gradens')).results;
    assert.match(misspelt?.why ?? '', /^has gardens/);
  });

  it('says that a query without anything in it is none', async () => {
    const { find } = await stage();
    await assert.rejects(find('  '), { code: 'search-empty-query' });
    assert.equal((await find('¿?')).total, 0);
  });

  it('ends when it is told to', async () => {
    const { service } = await stage();
    const signal = AbortSignal.abort();
    await assert.rejects(service.search.search({ query: 'x' }, undefined, signal), { name: 'AbortError' });
  });
});
