import { strict as assert } from 'node:assert';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProjectManifest } from '../../../../src/core/model/manifest';
import { WorkerScript } from '../../../unit/support/childProcess';
import { SmallDisk } from '../../../unit/support/smallDisk';
import { newProject, someEntry } from '../../../unit/support/storedDocuments';
import { useStore } from '../../../unit/support/storeFixture';

const { projectId } = newProject;

function withSessions(count: number) {
  const entries = Array.from({ length: count }, (_, n) => [`s${n}`, someEntry(`s${n}`)] as const);
  return (manifest: ProjectManifest) => ({
    ...manifest,
    sessions: { ...manifest.sessions, ...Object.fromEntries(entries) },
  });
}

describe('FileMemoryStore on a full or closed disk', () => {
  let disk: SmallDisk | undefined;
  afterEach(() => disk?.unmount()); // declared first: it has to run before the folder is removed
  const fixture = useStore();

  beforeEach(async () => {
    disk = await SmallDisk.mount(fixture.dir, 512);
  });

  async function fillUp(leaveBytes: number): Promise<void> {
    const filler = path.join(fixture.dir, 'filler');
    await assert.rejects(writeFile(filler, Buffer.alloc(1024 * 1024)), { code: 'ENOSPC' });
    await rm(filler);
    const used = 64 * 1024;
    await writeFile(filler, Buffer.alloc(512 * 1024 - used - leaveBytes));
  }

  it('says that the disk is full and keeps the manifest that it has', async function () {
    if (disk === undefined) this.skip(); // only root may make a small disk
    const store = fixture.open();
    await store.updateManifest(newProject, withSessions(1));
    const before = await fixture.manifestText();
    await fillUp(16 * 1024);
    const failure = { name: 'StoreError', reason: 'disk-full', hint: /Free some disk space/ };
    await assert.rejects(store.updateManifest(newProject, withSessions(200)), failure);
    assert.equal(await fixture.manifestText(), before);
    assert.deepEqual(await fixture.namesIn(), ['manifest.json']);
    await rm(path.join(fixture.dir, 'filler'));
    await store.updateManifest(newProject, withSessions(50));
  });

  it('leaves no half original on a full disk, and none that it could not register', async function () {
    if (disk === undefined) this.skip(); // only root may make a small disk
    const store = fixture.open();
    await fixture.register(store, 'a');
    await fillUp(16 * 1024);
    const source = await fixture.transcript('b', 'x'.repeat(300_000));
    const failure = { name: 'StoreError', reason: 'disk-full' };
    await assert.rejects(store.sessions.keep(projectId, 'b', source), failure);
    const large = store.updateManifest(newProject, async (manifest) => {
      await store.sessions.keep(projectId, 'c', await fixture.transcript('c'));
      return withSessions(200)(manifest);
    });
    await assert.rejects(large, failure);
    assert.deepEqual(await fixture.namesIn('originals'), ['a.jsonl']);
  });

  it('appends to an original on a full disk all or nothing', async function () {
    if (disk === undefined) this.skip(); // only root may make a small disk
    const store = fixture.open();
    await fixture.register(store, 'a');
    await fillUp(16 * 1024);
    const source = await fixture.transcript('a', `{"sessionId":"a"}\n${'x'.repeat(300_000)}`);
    await assert.rejects(store.sessions.keep(projectId, 'a', source), { reason: 'disk-full' });
    assert.equal((await fixture.open().check({ repair: false })).length, 0);
  });

  it('reads from a disk that may only be read, and says so when it is to write', async function () {
    if (disk === undefined) this.skip(); // only root may make a small disk
    const store = fixture.open();
    await fixture.register(store, 'a');
    await fixture.write(path.join(fixture.dir, 'projects', 'damaged', 'manifest.json'), '{"sessions":');
    await disk.makeReadOnly();
    assert.deepEqual(Object.keys((await store.readManifest(projectId))?.sessions ?? {}), ['a']);
    assert.deepEqual((await store.readManifest('damaged'))?.sessions, {});
    const failure = { name: 'StoreError', reason: 'read-only', message: /read-only/ };
    await assert.rejects(store.updateManifest(newProject, withSessions(1)), failure);
    await assert.rejects(
      store.updateConfig((config) => ({ ...config, x: 1 })),
      failure,
    );
    await assert.rejects(store.sessions.discard(projectId, 'a'), failure);
    const kinds = (await store.check({ repair: true })).map(({ kind }) => kind);
    assert.ok(kinds.includes('not-writable'));
  });
});

describe('FileMemoryStore under a limit on the size of files', () => {
  const fixture = useStore();

  it('keeps the last manifest that could be written', async function () {
    if (process.platform === 'win32') this.skip(); // has no such limit
    const script = await WorkerScript.build('storeWorker');
    await mkdir(fixture.dir);
    try {
      const worker = script.startAfter('ulimit -f 20; trap "" XFSZ', 'fill', fixture.dir);
      assert.deepEqual(await worker.ends(), ['disk-full']);
    } finally {
      await script.dispose();
    }
    const sessions = Object.keys((await fixture.open().readManifest(projectId))?.sessions ?? {});
    assert.ok(sessions.length > 1);
    assert.deepEqual((await fixture.namesIn('originals')).length, sessions.length);
    assert.deepEqual(await fixture.namesIn(), ['manifest.json', 'originals']);
    assert.deepEqual(fixture.log.lines, []);
  });
});
