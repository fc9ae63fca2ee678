import assert from 'node:assert/strict';
import { readTranscript } from '../../../../src/core/transcript/transcriptReader';
import { chunks, fixture, quarterTokens, read } from './transcriptFixtures';

async function* asyncChunks(bytes: Uint8Array, onChunk = (): void => undefined): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks(bytes, [500])) {
    yield await Promise.resolve(chunk);
    onChunk();
  }
}

describe('readTranscript', () => {
  it('reads what a host hands over chunk by chunk', async () => {
    const bytes = fixture('parallel-tools.jsonl');
    const reader = await readTranscript(asyncChunks(bytes), { estimator: quarterTokens });
    assert.deepEqual(reader.conversation(), read(bytes));
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const stop = (): void => controller.abort(new Error('enough'));
    const reading = readTranscript(
      asyncChunks(fixture('rewind.jsonl'), stop),
      { estimator: quarterTokens },
      controller.signal,
    );
    await assert.rejects(reading, /enough/);
  });
});
