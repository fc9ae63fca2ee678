import assert from 'node:assert/strict';
import { exchangesDocumentSchema, layersStateSchema } from '../../../../src/core/model/layers';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';

const said = (topic: string, number: number): TranscriptBuilder =>
  new TranscriptBuilder(`s${number}`).human(`Fix the ${topic} in src/${topic}.ts`).assistant(`Fixed the ${topic}.`);

/** A build that fails at its n-th write in the middle of a project's life, and what later ones make of it. */
async function lived(writes: number): Promise<{ files: Map<string, string>; failed: boolean }> {
  const memory = new FakeMemory();
  const { layerStore } = memory;
  const { layers } = memory.service;
  const sessions = ['parser', 'importer', 'mailer'].map(said);
  const save = (number: number, minute: number): void => {
    const at = `2026-01-16T12:${String(minute).padStart(2, '0')}:00Z`;
    memory.claude.write(`${PROJECT}/s${number}.jsonl`, sessions[number] ?? said('none', 0), at);
  };
  save(0, 0);
  save(1, 1);
  await layers.enable(PROJECT);
  await layers.build(PROJECT);
  sessions[1]?.human('Now the cache in src/cache.ts').assistant('The cache is done.');
  save(1, 2);
  save(2, 3);
  layerStore.writesLeft = writes;
  const failed = await layers.build(PROJECT).then(
    (result) => result.failed.length > 0,
    () => true,
  );
  layerStore.writesLeft = Infinity;
  sessions[2]?.human('Now the scheduler in src/scheduler.ts').assistant('The scheduler is done.');
  save(2, 4);
  await layers.build(PROJECT);
  return { files: layerStore.texts({ projectId: PROJECT }), failed };
}

describe('a build of the layers that is cut short', () => {
  it('is completed by the next one, whichever write it was that failed', async () => {
    const { files: whole } = await lived(Infinity);
    let failures = 0;
    for (let writes = 0; ; writes++) {
      const { files, failed } = await lived(writes);
      if (!failed) break;
      failures += 1;
      assert.deepEqual(concepts(files), concepts(whole), `${writes} writes`);
      const ids = exchangeIds(files);
      assert.equal(new Set(ids).size, ids.length, `${writes} writes: ${ids.join()}`);
      assert.equal(ids.length, exchangeIds(whole).length);
      const state = layersStateSchema.parse(JSON.parse(files.get('layers.json') ?? ''));
      assert.equal(state.isUnfinished, undefined);
      for (const id of ids) assert.ok(Number(id.slice(1)) <= state.lastExchange);
    }
    assert.ok(failures > 5);
  });
});

/** What of the concepts does not tell how often somebody tried. */
function concepts(files: Map<string, string>): unknown {
  return (files.get('concepts.json') ?? '').match(/"(?:name|summary)": ".*"/g)?.sort();
}

function exchangeIds(files: Map<string, string>): string[] {
  return [...files]
    .filter(([name]) => name.endsWith('.l2.json'))
    .flatMap(([, text]) => exchangesDocumentSchema.parse(JSON.parse(text)).exchanges.map(({ id }) => id));
}
