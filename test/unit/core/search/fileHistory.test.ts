import assert from 'node:assert/strict';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const FIRST = 'a1b2c3d4-1111-4111-8111-111111111111';
const SECOND = 'b1b2c3d4-2222-4222-8222-222222222222';
const READER = 'c1b2c3d4-3333-4333-8333-333333333333';
const PATH = '/home/ada/src/app/src/retry.ts';

function call(name: string, input: object): object {
  return { name, input: { file_path: PATH, ...input } };
}

async function stage() {
  const { service, claude } = new FakeMemory();
  const done = { type: 'text' };
  const first = new TranscriptBuilder(FIRST)
    .human('Write a helper that tries again.')
    .result(done, call('Write', { content: 'const attempts = 3;\nexport function retry() {\n}\n' }))
    .human('Wait longer between the tries.')
    .result(
      done,
      call('Edit', { old_string: 'const attempts = 3;', new_string: 'const attempts = 3;\nlet waitMs = 100;' }),
    );
  const second = new TranscriptBuilder(SECOND)
    .human('Five tries, please.')
    .result(done, call('Edit', { old_string: 'const attempts = 3;', new_string: 'const attempts = 5;' }))
    .human('Write all of it anew.')
    .result(done, call('Write', { content: 'const attempts = 5;\nlet waitMs = 100;\nlet total = 0 + 0;' }));
  const reader = new TranscriptBuilder(READER).human('What is in there?').result('…', call('Read', {}));
  claude.write(`${PROJECT}/${FIRST}.jsonl`, first, '2026-01-10T11:00:00Z');
  claude.write(`${PROJECT}/${SECOND}.jsonl`, second, '2026-01-12T11:00:00Z');
  claude.write(`${PROJECT}/${READER}.jsonl`, reader, '2026-01-14T11:00:00Z');
  await service.sessions.register([FIRST, SECOND, READER].map((sessionId) => ({ projectId: PROJECT, sessionId })));
  const place = { projectId: PROJECT, file: 'src/retry.ts' };
  return {
    service,
    request: async (line: string) => (await service.search.wroteLine({ ...place, line }))?.request,
    place,
  };
}

describe('the history of a file', () => {
  it('leads from a line to the exchange that wrote it, an edit before who wrote all of it anew', async () => {
    const { request } = await stage();
    assert.equal(await request('  let waitMs = 100;'), 'Wait longer between the tries.');
    assert.equal(await request('const attempts = 5;'), 'Five tries, please.');
    assert.equal(await request('export function retry() {'), 'Write a helper that tries again.');
    assert.equal(await request('let total = 0 + 0;'), 'Write all of it anew.');
  });

  it('says nothing of what no session wrote, nor of lines that stand everywhere', async () => {
    const { request } = await stage();
    assert.equal(await request('const nobody = wrote(this);'), undefined);
    assert.equal(await request('}'), undefined);
  });

  it('counts the sessions that read or changed it', async () => {
    const { service, place } = await stage();
    assert.equal(await service.search.fileSessions(place), 3);
    assert.equal(await service.search.fileSessions({ ...place, file: 'src/other.ts' }), 0);
  });
});
