import assert from 'node:assert/strict';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const projectId = '-home-ada-src-app';

describe('why a line of the brief is told', () => {
  it('is answered for each of them, by the fact or by the message', async () => {
    const memory = new FakeMemory();
    const edit = { name: 'Edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } };
    const transcript = new TranscriptBuilder('s1')
      .human('From now on always use pnpm in this project.')
      .assistant('Noted.')
      .human('Retry the queue three times')
      .assistant('I look.')
      .result('ok', edit)
      .assistant('The queue is retried 3 times now, with a pause of 2 seconds.');
    memory.claude.write(`${projectId}/s1.jsonl`, transcript);
    const { sessions, layers, hooks } = memory.service;
    await sessions.register([{ projectId, sessionId: 's1' }]);
    await layers.enable(projectId);
    await layers.build(projectId);
    const { items } = await hooks.brief(projectId);
    const told = [];
    for (const { id = '', kind, trust } of items) {
      const { fact, messages } = await layers.why(projectId, id);
      assert.equal(fact.trust, trust);
      told.push([kind, messages.map(({ text }) => text.slice(0, 20))]);
    }
    assert.deepEqual(told, [
      ['state', ['Retry the queue thre']],
      ['state', ['The queue is retried']],
      ['rule', ['From now on always u']],
    ]);
    await assert.rejects(layers.why(projectId, 'nothing'), { reason: 'unknown-fact' });
  });
});
