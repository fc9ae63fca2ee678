import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_LOCK_TIMING } from '../../../../src/node/files/fileLock';
import { WorkerScript } from '../../../unit/support/childProcess';
import { newProject } from '../../../unit/support/storedDocuments';
import { useStore } from '../../../unit/support/storeFixture';
import { randomFor } from '../../support/effort';

const { projectId } = newProject;
const impatient = { lockTiming: { ...DEFAULT_LOCK_TIMING, waitMs: 0 } };

describe('FileMemoryStore among processes', () => {
  const fixture = useStore();
  let script: WorkerScript;

  before(async () => {
    script = await WorkerScript.build('storeWorker');
  });

  after(() => script.dispose());

  it('loses no change of several processes', async () => {
    const workers = Array.from({ length: 4 }, () => script.start('count', fixture.dir, '15'));
    for (const worker of workers) assert.deepEqual(await worker.ends(), ['done']);
    assert.equal((await fixture.open().readManifest(projectId))?.count, 60);
    assert.deepEqual(await fixture.namesIn(), ['manifest.json']);
  });

  it('names the process that holds a project, and is free at once when that is killed', async () => {
    const worker = script.start('hold', fixture.dir);
    await worker.speaks();
    const change = () => fixture.open(impatient).updateManifest(newProject, (manifest) => ({ ...manifest, x: 1 }));
    await assert.rejects(change(), { reason: 'locked', message: new RegExp(`process ${worker.pid} on `) });
    await worker.kill();
    assert.equal((await change()).x, 1);
  });

  for (let round = 1; round <= 2; round += 1) {
    it(`holds what it has confirmed, wherever its writers are killed (${round})`, async () => {
      const names = ['a', 'b', 'c'];
      const workers = names.map((name) => script.start('churn', fixture.dir, name));
      await Promise.all(workers.map((worker) => worker.speaks()));
      const told: string[] = [];
      const random = randomFor(`kills of the store, ${round}`);
      for (const worker of workers) {
        await sleep(30 + random() * 120);
        told.push(...(await worker.kill()));
      }
      const confirmed = new Map(told.map((line) => [line.slice(line.indexOf(' ') + 1), line.startsWith('in ')]));
      // The last thing that each did may be done without having been told.
      const lastOfEach = new Set(
        names.map(
          (name) =>
            told
              .filter((line) => line.includes(` ${name}-`))
              .at(-1)
              ?.split(' ')[1],
        ),
      );

      await fixture.open(impatient).updateManifest(newProject, (same) => same);
      const sessions = (await fixture.open().readManifest(projectId))?.sessions ?? {};
      for (const [sessionId, isIn] of confirmed) {
        if (!lastOfEach.has(sessionId)) assert.equal(sessions[sessionId] !== undefined, isIn, sessionId);
      }
      for (const sessionId of Object.keys(sessions)) {
        const file = await fixture.open().sessions.path(projectId, sessionId);
        assert.equal(await readFile(file ?? '', 'utf8'), `{"sessionId":"${sessionId}"}\n`);
      }
      const trash = await fixture.namesIn('trash').catch(() => []);
      assert.deepEqual(
        trash.filter((name) => name.endsWith('.pending')),
        [],
      );
      // What a killed process had not finished writing may lie there, under a name that nobody reads, until doctor removes it.
      const finished = (await fixture.namesIn()).filter((name) => !name.endsWith('.tmp'));
      assert.deepEqual(
        finished.filter((name) => /corrupt|lock/.test(name)),
        [],
      );
      assert.deepEqual(fixture.log.lines, []);
    });
  }
});
