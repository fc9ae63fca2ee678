import { strict as assert } from 'node:assert';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sessionVersionsSchema } from '../../../../src/core/model/compression';
import { SmallDisk } from '../../../unit/support/smallDisk';
import { newProject } from '../../../unit/support/storedDocuments';
import { addVersion, deleteVersion, restoreVersion } from '../../../unit/support/storedVersions';
import { useStore, type StoreFixture } from '../../../unit/support/storeFixture';

const { projectId } = newProject;
const FILE = '_tiered-standard_10k';
const filesOf = (...ids: string[]) => ids.flatMap((id) => [`${id}${FILE}.jsonl`, `${id}${FILE}.md`]);

async function listedIn(fixture: StoreFixture): Promise<string[]> {
  const text = await readFile(fixture.inProject('summaries', 'a', 'versions.json'), 'utf8');
  return sessionVersionsSchema.parse(JSON.parse(text)).versions.map(({ versionId }) => versionId);
}

describe('FileMemoryStore: versions', () => {
  const fixture = useStore();

  it('keeps both files, the index and the record in one step', async () => {
    const store = fixture.open();
    assert.equal(await addVersion(store, 'a', 'one'), 'v001');
    assert.equal(await addVersion(store, 'a', 'two'), 'v002');
    assert.deepEqual(await fixture.namesIn('summaries', 'a'), [...filesOf('v001', 'v002'), 'versions.json']);
    assert.deepEqual(await listedIn(fixture), ['v001', 'v002']);
    assert.equal(await store.versions.read(projectId, 'a', `v001${FILE}`, 'md'), 'one as Markdown');
    assert.equal(await store.versions.read(projectId, 'a', `v001${FILE}`, 'jsonl'), 'one as records');
    assert.equal(await store.versions.read(projectId, 'a', 'v009', 'md'), undefined);
    assert.deepEqual(await store.check({ repair: false }), []);
  });

  it('moves versions into the trash and brings them back; numbers are not given twice', async () => {
    const store = fixture.open();
    for (const text of ['one', 'two', 'three']) await addVersion(store, 'a', text);
    const before = (await store.readManifest(projectId))?.sessions.a;
    const trash = await deleteVersion(store, 'a', 'v003');
    assert.deepEqual(await fixture.namesIn('summaries', 'a'), [...filesOf('v001', 'v002'), 'versions.json']);
    assert.deepEqual(await listedIn(fixture), ['v001', 'v002']);
    await assert.rejects(store.sessions.takeBack(projectId, trash), { reason: 'not-found' });
    await restoreVersion(fixture.open(), 'a', trash);
    assert.deepEqual((await store.readManifest(projectId))?.sessions.a, before);
    assert.equal(await store.versions.read(projectId, 'a', `v003${FILE}`, 'md'), 'three as Markdown');
    assert.deepEqual(await fixture.namesIn('trash'), []);
    await deleteVersion(store, 'a', 'v003');
    assert.equal(await addVersion(store, 'a', 'four'), 'v004');
    assert.deepEqual(await store.check({ repair: false }), []);
  });

  it('leaves everything as it was when the manifest cannot be written', async () => {
    const store = fixture.open();
    await addVersion(store, 'a', 'one');
    const text = await fixture.manifestText();
    const failing = store.updateManifest(newProject, async (manifest) => {
      const index = { sessionId: 'a', originalFile: '', originalTokens: 0, originalMessages: 0, versions: [] };
      await store.versions.keep(projectId, { file: 'v002_x', texts: { md: 'x', jsonl: 'x' } }, index);
      await store.versions.discard(projectId, manifest.sessions.a?.compressions ?? [], index);
      throw new RangeError('the caller thought better of it');
    });
    await assert.rejects(failing, RangeError);
    assert.equal(await fixture.manifestText(), text);
    assert.deepEqual(await fixture.namesIn('summaries', 'a'), [...filesOf('v001'), 'versions.json']);
    assert.deepEqual(await listedIn(fixture), ['v001']);
    assert.deepEqual(await fixture.namesIn('trash'), []);
  });

  it('finds files that no manifest names, an index that is behind, and versions without files', async () => {
    const store = fixture.open();
    for (const text of ['one', 'two']) await addVersion(store, 'a', text);
    const inSession = (name: string) => fixture.inProject('summaries', 'a', name);
    await writeFile(inSession('v003_uniform-moderate_1k.md'), 'left by a crash', { mode: 0o600 });
    await writeFile(inSession('notes.md'), 'of a person', { mode: 0o600 });
    await rm(inSession(`v001${FILE}.md`));
    await rm(inSession(`v001${FILE}.jsonl`));
    await writeFile(inSession('versions.json'), '{}', { mode: 0o600 });
    const found = await store.check({ repair: true });
    assert.deepEqual(
      found.map(({ kind, path: file, isRepaired }) => [kind, path.basename(file), isRepaired]),
      [
        ['version', `v001${FILE}.md`, false],
        ['version', 'v003_uniform-moderate_1k.md', true], // which has brought the index in line, too
      ],
    );
    assert.deepEqual(await fixture.namesIn('summaries', 'a'), ['notes.md', ...filesOf('v002'), 'versions.json']);
    assert.deepEqual(await listedIn(fixture), ['v001', 'v002']);
    const [trash = ''] = await fixture.namesIn('trash');
    assert.deepEqual(await fixture.namesIn('trash', trash, 'files', 'summaries', 'a'), ['v003_uniform-moderate_1k.md']);
  });
});

describe('FileMemoryStore: versions on a full disk', () => {
  let disk: SmallDisk | undefined;
  afterEach(() => disk?.unmount()); // declared first: it has to run before the folder is removed
  const fixture = useStore();

  beforeEach(async () => {
    disk = await SmallDisk.mount(fixture.dir, 512);
  });

  it('are not written in part', async function () {
    if (disk === undefined) this.skip(); // only root may make a small disk
    const store = fixture.open();
    await addVersion(store, 'a', 'one');
    await fixture.write(path.join(fixture.dir, 'filler'), 'x'.repeat(100 * 1024));
    const text = await fixture.manifestText();
    const names = await fixture.namesIn('summaries', 'a');
    for (const kilobytes of [230, 450, 600]) {
      await assert.rejects(addVersion(store, 'a', 'x'.repeat(kilobytes * 1024)), { reason: 'disk-full' });
      assert.equal(await fixture.manifestText(), text);
      assert.deepEqual(await fixture.namesIn('summaries', 'a'), names);
      assert.deepEqual(await listedIn(fixture), ['v001']);
    }
    await rm(path.join(fixture.dir, 'filler'));
    assert.equal(await addVersion(store, 'a', 'two'), 'v002');
  });
});
