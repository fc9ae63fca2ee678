import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Meaning } from '../../../../src/core/search/meaning';
import type { SuggestionRequest } from '../../../../src/core/search/suggestions';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const RETRY = 'a1b2c3d4-1111-4111-8111-111111111111';
const THEME = 'b1b2c3d4-2222-4222-8222-222222222222';
const READER = 'c1b2c3d4-3333-4333-8333-333333333333';

function worked(
  id: string,
  asked: string,
  tools: readonly (readonly [name: string, path: string])[],
): TranscriptBuilder {
  const content = [
    { type: 'text', text: 'Done.' },
    ...tools.map(([name, path], at) => ({ type: 'tool_use', id: `${id}-${at}`, name, input: { file_path: path } })),
  ];
  const gitBranch = id === THEME ? 'feature/theme' : 'main';
  const message = { id: `m-${id}`, role: 'assistant', model: 'claude-opus-4-8', content };
  return new TranscriptBuilder(id).human(asked).assistant('Done.', { message, gitBranch });
}

async function stage(meaning?: Meaning) {
  const memory = new FakeMemory();
  memory.meaning = meaning;
  const { service, claude } = memory;
  const src = '/home/ada/src/app/src';
  const edits = ['retry.ts', 'retry.ts', 'retry.ts', 'http.ts'].map((name) => ['Edit', `${src}/${name}`] as const);
  claude.write(
    `${PROJECT}/${RETRY}.jsonl`,
    worked(RETRY, 'Add a back-off to the requests.', edits),
    '2026-01-10T11:00:00Z',
  );
  claude.write(
    `${PROJECT}/${THEME}.jsonl`,
    worked(THEME, 'A dark theme for the settings page, please.', [['Edit', `${src}/theme.css`]]),
    '2026-01-12T11:00:00Z',
  );
  claude.write(
    `${PROJECT}/${READER}.jsonl`,
    worked(READER, 'I want to know what is in there, and need another look; leave it alone.', [
      ['Read', `${src}/retry.ts`],
    ]),
    '2026-01-14T11:00:00Z',
  );
  await service.sessions.register([RETRY, THEME, READER].map((sessionId) => ({ projectId: PROJECT, sessionId })));
  return (more: Partial<SuggestionRequest>) => service.search.suggest({ projectId: PROJECT, ...more });
}

describe('suggest', () => {
  it('puts who changed a file before who read it, says so, and leaves out who did neither', async () => {
    const suggest = await stage();
    const found = await suggest({ files: ['retry.ts'] });
    assert.deepEqual(
      found.map(({ sessionId }) => sessionId),
      [RETRY, READER],
    );
    assert.deepEqual([found[0]?.why, found[1]?.why], ['changed retry.ts 3 times', 'read retry.ts']);
    assert.deepEqual(found[0]?.matchedFiles, ['/home/ada/src/app/src/retry.ts']);
  });

  it('finds by what was spoken of', async () => {
    const suggest = await stage();
    const [first] = await suggest({ topics: ['dark theme'] });
    assert.deepEqual(
      [first?.sessionId, first?.matchedTopics, first?.why],
      [THEME, ['dark theme'], 'speaks of dark theme'],
    );
    assert.deepEqual(await suggest({ topics: ['zebra'] }), []);
    assert.deepEqual(await suggest({ topics: ['dark matter'] }), [], 'half of the words is not the topic');
  });

  it('names what a session has of a topic, and never calls it one of the last for that', async () => {
    const suggest = await stage();
    assert.equal((await suggest({ topics: ['dark theme zebra'] }))[0]?.why, 'speaks of dark, theme');
    for (const { why } of await suggest({ topics: ['Need another look at the dark theme of the settings page'] })) {
      assert.match(why, /^(?:speaks of|mentions) /);
    }
  });

  it('counts no change that failed, and names files of any system by their last name', async () => {
    const memory = new FakeMemory();
    const edit = (id: string) => ({
      type: 'tool_use',
      id,
      name: 'Edit',
      input: { file_path: 'C:\\Users\\ada\\app\\retry.ts' },
    });
    const result = (id: string, isError: boolean) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: 'String to replace not found',
      is_error: isError,
    });
    const builder = new TranscriptBuilder(RETRY).human('Add a back-off.');
    for (const [id, isError] of [['t1', false] as const, ['t2', true] as const, ['t3', false] as const]) {
      const content = [edit(id)];
      builder.assistant('', { message: { id: `m-${id}`, role: 'assistant', model: 'claude-opus-4-8', content } });
      builder.human('', { message: { role: 'user', content: [result(id, isError)] } });
    }
    memory.claude.write(`${PROJECT}/${RETRY}.jsonl`, builder);
    await memory.service.sessions.register([{ projectId: PROJECT, sessionId: RETRY }]);
    const [found] = await memory.service.search.suggest({ projectId: PROJECT, files: ['retry.ts'] });
    assert.equal(found?.why, 'changed retry.ts 2 times');
  });

  it('names of a whole request what the session speaks of', async () => {
    const suggest = await stage();
    const [first] = await suggest({ topics: ['Make the dark theme of the settings page look better on the phone'] });
    assert.deepEqual([first?.sessionId, first?.why], [THEME, 'speaks of dark, settings, page']);
  });

  it('takes no session for what everybody says', async () => {
    const asked = { topics: ['I want another look at the work, and need you to leave the rest alone'] };
    const [plain] = await (await stage())(asked);
    assert.equal(plain?.sessionId, READER);
    assert.deepEqual(await (await stage(new Meaning(readFileSync('scripts/data/meaning.bin'))))(asked), []);
  });

  it('finds by the branch, unless most sessions are on it', async () => {
    const suggest = await stage();
    const found = await suggest({ branch: 'feature/theme' });
    assert.deepEqual(
      found.map(({ sessionId, why }) => [sessionId, why]),
      [[THEME, 'on feature/theme']],
    );
    assert.deepEqual(await suggest({ branch: 'main' }), []);
    assert.deepEqual(await suggest({ branch: 'nobody/was/here' }), []);
  });

  it('suggests the last sessions where nothing is asked, and never the one that asks', async () => {
    const suggest = await stage();
    const found = await suggest({ except: [READER] });
    assert.ok(found.length > 0 && found.every(({ sessionId }) => sessionId !== READER));
  });

  it('stays in the budget', async () => {
    const suggest = await stage();
    const [whole] = await suggest({ files: ['retry.ts'] });
    assert.equal(whole?.versionId, 'original');
    const few = await suggest({ files: ['retry.ts'], budget: whole.suggestedTokens });
    assert.deepEqual(
      few.map(({ sessionId }) => sessionId),
      [RETRY],
    );
    assert.deepEqual(await suggest({ files: ['retry.ts'], budget: 1 }), []);
  });

  it('says that a project is not known', async () => {
    const suggest = await stage();
    await assert.rejects(suggest({ projectId: '-nowhere' }), { code: 'search-unknown-project' });
  });
});
