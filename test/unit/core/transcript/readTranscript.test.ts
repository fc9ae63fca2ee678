import assert from 'node:assert/strict';
import { findAgentCall, parseAgentFileName, parseAgentMeta } from '../../../../src/core/transcript/agentFile';
import { readTranscript } from '../../../../src/core/transcript/readTranscript';
import { chunks, fixture, jsonl, quarterTokens, read } from './transcriptFixtures';

async function* asyncChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks(bytes, [size])) yield await Promise.resolve(chunk);
}

describe('readTranscript', () => {
  it('reads what a host hands over chunk by chunk, and pauses in between', async () => {
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses++;
      return Promise.resolve();
    };
    const bytes = fixture('parallel-tools.jsonl');
    const conversation = await readTranscript(asyncChunks(bytes, 1000), { estimator: quarterTokens, pause });
    assert.deepEqual(conversation, read(bytes));
    assert.ok(pauses > bytes.length / 1000);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const pause = (): Promise<void> => {
      controller.abort(new Error('enough'));
      return Promise.resolve();
    };
    const reading = readTranscript(
      asyncChunks(fixture('rewind.jsonl'), 500),
      { estimator: quarterTokens, pause },
      controller.signal,
    );
    await assert.rejects(reading, /enough/);
  });
});

describe('sub-agents in files of their own', () => {
  it('are recognized by their name, and the compactor is not one of them', () => {
    assert.deepEqual(parseAgentFileName('agent-a1b2c3d4.jsonl'), { agentId: 'a1b2c3d4', isCompactor: false });
    assert.equal(parseAgentFileName('agent-acompact-17ff.jsonl')?.isCompactor, true);
    assert.equal(parseAgentFileName('5e551011-0000-4000-8000-000000000001.jsonl'), undefined);
  });

  it('say in their meta file what they were for, as far as it can be read', () => {
    const meta = parseAgentMeta({
      agentType: 'historian',
      description: 'look up',
      toolUseId: 'toolu_1',
      spawnDepth: 1,
    });
    assert.deepEqual(meta, { agentType: 'historian', description: 'look up', toolUseId: 'toolu_1' });
    assert.equal(parseAgentMeta({ description: 7, agentType: 'x' }).agentType, 'x');
    assert.deepEqual(parseAgentMeta('no object'), {});
  });

  it('are found in the conversation of their parent by the call or by the result', () => {
    const call = {
      type: 'tool_use',
      id: 'toolu_1',
      name: 'Agent',
      input: { description: 'look up', prompt: 'Look it up.' },
    };
    const parent = read(
      jsonl(
        { type: 'assistant', uuid: 'a', message: { id: 'm', content: [call] } },
        {
          type: 'user',
          uuid: 'b',
          parentUuid: 'a',
          message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }] },
          toolUseResult: { status: 'completed', prompt: 'Look it up.', agentId: 'a1b2' },
        },
      ),
    );
    assert.equal(findAgentCall(parent, { agentId: 'a1b2' })?.step.target, 'look up');
    assert.equal(findAgentCall(parent, { toolUseId: 'toolu_1' })?.step.id, 'toolu_1');
    assert.equal(findAgentCall(parent, { agentId: 'other' }), undefined);
    assert.equal(findAgentCall(parent, {}), undefined);
  });
});
