import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionVersionsSchema } from '../../../../src/core/model/compression';
import { DEFAULT_LOCK_TIMING } from '../../../../src/node/files/fileLock';
import { WorkerScript } from '../../../unit/support/childProcess';
import { newProject } from '../../../unit/support/storedDocuments';
import { addVersion } from '../../../unit/support/storedVersions';
import { useStore } from '../../../unit/support/storeFixture';
import { randomFor } from '../../support/effort';

const { projectId } = newProject;
const FILE = '_tiered-standard_10k';

describe('FileMemoryStore: versions among processes', () => {
  const fixture = useStore();
  let script: WorkerScript;

  before(async () => {
    script = await WorkerScript.build('storeWorker');
  });
  after(() => script.dispose());

  it('get numbers of their own, and are whole wherever their writers are killed', async () => {
    const told: string[] = [];
    const random = randomFor('kills of versions');
    for (let round = 1; round <= 3; round += 1) {
      const workers = [1, 2].map(() => script.start('versions', fixture.dir, 'a'));
      await Promise.all(workers.map((worker) => worker.speaks()));
      for (const worker of workers) {
        await sleep(20 + random() * 150);
        told.push(...(await worker.kill()));
      }
    }
    const impatient = { lockTiming: { ...DEFAULT_LOCK_TIMING, waitMs: 0 } };
    const store = fixture.open(impatient);
    const last = await addVersion(store, 'a', 'the last');
    const made = told.filter((line) => line.startsWith('in ')).map((line) => line.slice('in '.length));
    assert.equal(new Set(made).size, made.length, 'no number is given twice');
    assert.ok(!made.includes(last));
    const manifest = await store.readManifest(projectId);
    const records = (manifest?.sessions.a?.compressions ?? []).map(({ versionId }) => versionId);
    const index = await readFile(fixture.inProject('summaries', 'a', 'versions.json'), 'utf8');
    const listed = sessionVersionsSchema.parse(JSON.parse(index)).versions.map(({ versionId }) => versionId);
    assert.deepEqual(listed, records);
    for (const id of records) {
      const [md, jsonl] = await Promise.all(
        (['md', 'jsonl'] as const).map((format) => store.versions.read(projectId, 'a', `${id}${FILE}`, format)),
      );
      const text = /^(text of \S+|the last) as Markdown$/.exec(md ?? '')?.[1];
      assert.equal(jsonl, `${text ?? ''} as records`, id);
    }
    const findings = await store.check({ repair: false });
    assert.deepEqual(
      findings.filter(({ kind }) => kind !== 'leftover'),
      [],
    );
  });
});
