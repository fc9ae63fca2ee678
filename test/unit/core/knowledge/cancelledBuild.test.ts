import assert from 'node:assert/strict';
import { isAbortError } from '../../../../src/core/text/keepitError';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const SESSIONS = 7;

const topics = ['parser', 'importer', 'exporter', 'dashboard', 'mailer', 'scheduler', 'cache'];

async function stage() {
  const memory = new FakeMemory();
  for (const [at, topic] of topics.slice(0, SESSIONS).entries()) {
    const transcript = new TranscriptBuilder(`s${at}`)
      .human(`Fix the ${topic} in src/${topic}.ts`)
      .assistant(`Fixed the ${topic}: src/${topic}.ts passes its tests.`)
      .human(`Always write tests for the ${topic} first. Never touch module ${at} again.`)
      .assistant('Noted.');
    memory.claude.write(`${PROJECT}/s${at}.jsonl`, transcript, `2026-01-16T12:0${at}:00Z`);
  }
  await memory.service.layers.enable(PROJECT);
  return { layers: memory.service.layers, files: memory.layerStore.texts({ projectId: PROJECT }) };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Puts an end to a build when so many sessions are done. */
async function cancelled({ layers }: Stage, after: number, request: { full?: boolean } = {}): Promise<void> {
  const controller = new AbortController();
  const onProgress = ({ done }: { done: number }): void => {
    if (done === after) controller.abort();
  };
  await assert.rejects(layers.build(PROJECT, request, onProgress, controller.signal), (error) => isAbortError(error));
}

describe('a build of the layers that is cancelled', () => {
  it('keeps what it has read, and goes on from there to what one in one go comes to', async () => {
    const whole = await stage();
    await whole.layers.build(PROJECT);
    for (let after = 0; after < SESSIONS; after++) {
      const parted = await stage();
      await cancelled(parted, after);
      assert.equal((await parted.layers.overview(PROJECT)).sessions.length, after);
      const { layered, unchanged } = await parted.layers.build(PROJECT);
      assert.deepEqual([layered.length, unchanged], [SESSIONS - after, after]);
      assert.deepEqual(parted.files, whole.files);
    }
  });

  it('loses no concept when it was to read everything again', async () => {
    const whole = await stage();
    await whole.layers.build(PROJECT);
    for (const after of [0, 1, 3, SESSIONS - 1]) {
      const parted = await stage();
      await parted.layers.build(PROJECT);
      await cancelled(parted, after, { full: true });
      await parted.layers.build(PROJECT);
      const contents = [parted, whole].map(async ({ layers }) => {
        const { facts, concepts } = await layers.overview(PROJECT);
        return { facts: facts.map(({ content }) => content).sort(), concepts: concepts.map(({ name }) => name).sort() };
      });
      const [got, wanted] = await Promise.all(contents);
      assert.deepEqual(got, wanted);
    }
  });

  it('begins nothing when it was cancelled before', async () => {
    const { layers, files } = await stage();
    await assert.rejects(layers.build(PROJECT, {}, undefined, AbortSignal.abort()), (error) => isAbortError(error));
    assert.equal(files.size, 0);
  });
});
