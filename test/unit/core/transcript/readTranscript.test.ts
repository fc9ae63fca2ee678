import assert from 'node:assert/strict';
import { readTranscript } from '../../../../src/core/transcript/readTranscript';
import { chunks, fixture, quarterTokens, read } from './transcriptFixtures';

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
