import assert from 'node:assert/strict';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const projectId = '-home-ada-src-app';
const [first, second] = ['11111111-aaaa', '22222222-bbbb'].map((sessionId) => ({ projectId, sessionId }));

describe('History that a fork has copied', () => {
  const begun = (): TranscriptBuilder =>
    new TranscriptBuilder('11111111-aaaa')
      .human('Should the cache be in Redis?')
      .assistant('Either Redis or Postgres would do. Which do you prefer: (A) Redis or (B) Postgres?');
  const fork = (): string =>
    begun()
      .human('B')
      .assistant('Done: the cache is in Postgres.')
      .toString()
      .replaceAll('"sessionId":"11111111-aaaa"', '"sessionId":"22222222-bbbb"');
  const count = (text: string, words: string): number => text.split(words).length - 1;

  async function memory(): Promise<FakeMemory> {
    const fake = new FakeMemory();
    fake.claude.write(`${projectId}/11111111-aaaa.jsonl`, begun(), '2026-01-15T12:00:00Z');
    fake.claude.write(`${projectId}/22222222-bbbb.jsonl`, fork(), '2026-01-16T12:00:00Z');
    await fake.service.layers.enable(projectId, {});
    await fake.service.layers.build(projectId);
    return fake;
  }

  it('is stored once, and a full build stores the same', async () => {
    const fake = await memory();
    for (let round = 0; round < 2; round++) {
      const texts = [...fake.layerStore.texts({ projectId })].filter(([name]) => name.includes('.l'));
      const said = texts.map(([, text]) => text).join('\n');
      assert.equal(count(said, 'Either Redis or Postgres would do. Which'), 1, said);
      assert.equal(count(said, '"text":"B"'), 1, said);
      await fake.service.layers.build(projectId, { full: true });
    }
    const decisions = await fake.service.layers.facts(projectId, { kind: 'core_logic' });
    assert.deepEqual(
      decisions.map(({ source }) => source?.sessionId),
      [second?.sessionId],
    );
  });

  it('is taken into memory.md once', async () => {
    const fake = await memory();
    for (const ref of [first, second]) if (ref !== undefined) await fake.service.rolling.final(ref);
    const text = fake.layerStore.texts({ projectId }).get('memory.md') ?? '';
    assert.equal(count(text, 'Should the cache be in Redis'), 1, text);
    assert.equal(count(text, '## '), 2, text);
  });
});
