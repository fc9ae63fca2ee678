import { strict as assert } from 'node:assert';
import { cp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newProject, NOW, someEntry } from '../../support/storedDocuments';
import { addVersion, deleteVersion } from '../../support/storedVersions';
import { useStore } from '../../support/storeFixture';

const { projectId } = newProject;
const LEAVE = { name: 'StoreError' };

describe('FileMemoryStore: discarding and restoring', () => {
  const fixture = useStore();

  /** Two sessions, each with a version; `a` also with an older original and a sub-agent. */
  async function prepare() {
    const store = fixture.open();
    for (const id of ['a', 'ab']) {
      await fixture.register(store, id);
      await fixture.write(fixture.inProject('summaries', id, 'v001.md'), `version of ${id}`);
    }
    await fixture.write(fixture.inProject('originals', 'a.jsonl.older-1'), 'older');
    await fixture.write(fixture.inProject('originals', 'a', 'subagents', 'agent-1.jsonl'), 'agent');
    return store;
  }

  const sessionIds = async () => Object.keys((await fixture.open().readManifest(projectId))?.sessions ?? {});
  const all = () => Promise.all(['originals', 'summaries'].map((folder) => fixture.namesIn(folder)));
  const before = [
    ['a', 'a.jsonl', 'a.jsonl.older-1', 'ab.jsonl'],
    ['a', 'ab'],
  ];
  const without = [['ab.jsonl'], ['ab']];

  it('takes everything of a session away and brings it back', async () => {
    const store = await prepare();
    const entry = (await store.readManifest(projectId))?.sessions.a;
    const trash = await store.sessions.discard(projectId, 'a');
    assert.deepEqual(await sessionIds(), ['ab']);
    assert.deepEqual(await all(), without);
    assert.equal(await store.sessions.path(projectId, 'a'), undefined);

    assert.deepEqual(await fixture.open().sessions.takeBack(projectId, trash), entry);
    assert.deepEqual((await store.readManifest(projectId))?.sessions.a, entry);
    assert.deepEqual(await all(), before);
    assert.deepEqual(await fixture.namesIn('trash'), []);
    assert.equal(await readFile(fixture.inProject('summaries', 'a', 'v001.md'), 'utf8'), 'version of a');
  });

  it('says what lies in the trash, and deletes for good what has been there for long', async () => {
    const store = await prepare();
    fixture.clock.set('2026-02-01T00:00:00.000Z');
    const first = await store.sessions.discard(projectId, 'a');
    fixture.clock.set('2026-02-20T00:00:00.000Z');
    const second = await store.sessions.discard(projectId, 'ab');
    const items = await store.trashed(projectId);
    assert.deepEqual(
      items.map(({ name, discardedAt }) => [name, discardedAt]),
      [
        [first, '2026-02-01T00:00:00.000Z'],
        [second, '2026-02-20T00:00:00.000Z'],
      ],
    );
    assert.ok(items.every(({ bytes }) => bytes > 0));
    assert.deepEqual(await store.emptyTrash(projectId, '2026-02-10T00:00:00.000Z'), items.slice(0, 1));
    assert.deepEqual(await fixture.namesIn('trash'), [second]);
    await store.sessions.takeBack(projectId, second);
    fixture.clock.set(NOW);
  });

  it('deletes for good the versions that are older than the configuration says, with the next change, unless it says never; no session', async () => {
    const store = await prepare();
    const session = await store.sessions.discard(projectId, 'ab');
    await addVersion(store, 'a', 'one');
    const version = await deleteVersion(store, 'a', 'v001');
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, trashDays: 0 } }));
    fixture.clock.set('2027-01-01T00:00:00.000Z');
    await fixture.register(fixture.open(), 'b');
    assert.deepEqual(await fixture.namesIn('trash'), [session, version].sort());
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, trashDays: 30 } }));
    await fixture.register(fixture.open(), 'b');
    assert.deepEqual(await left(), [session, version].sort(), 'seen to be old for the first time');
    fixture.clock.set('2027-01-02T00:00:00.000Z');
    await fixture.register(fixture.open(), 'b');
    assert.deepEqual(await left(), [session]);
    fixture.clock.set(NOW);
  });

  it('deletes nothing because a clock jumped forward and came back', async () => {
    const store = await prepare();
    await addVersion(store, 'a', 'one');
    const version = await deleteVersion(store, 'a', 'v001');
    for (const jump of ['2036-01-01T00:00:00.000Z', '2036-01-01T12:00:00.000Z', '2099-01-01T00:00:00.000Z']) {
      fixture.clock.set(jump);
      await fixture.register(fixture.open(), 'b');
      fixture.clock.set(NOW);
      await fixture.register(fixture.open(), 'b');
      assert.deepEqual(await left(), [version], jump);
    }
    fixture.clock.set('1980-01-01T00:00:00.000Z');
    await fixture.register(fixture.open(), 'b');
    assert.deepEqual(await left(), [version], 'a clock that was set back');
    fixture.clock.set(NOW);
  });

  /** What lies in the trash. */
  async function left(): Promise<string[]> {
    return fixture.namesIn('trash');
  }

  it('discards a session that has no files any more', async () => {
    const store = fixture.open();
    await store.updateManifest(newProject, (manifest) => ({ ...manifest, sessions: { a: someEntry('a') } }));
    const trash = await store.sessions.discard(projectId, 'a');
    assert.deepEqual(await store.sessions.takeBack(projectId, trash), someEntry('a'));
  });

  it('discards nothing that is not in memory, and restores nothing that is not in the trash', async () => {
    const store = await prepare();
    await assert.rejects(store.sessions.discard(projectId, 'none'), { ...LEAVE, reason: 'not-found' });
    await assert.rejects(store.sessions.discard('no-project', 'a'), { ...LEAVE, reason: 'not-found' });
    await assert.rejects(store.sessions.takeBack(projectId, 'none'), { ...LEAVE, reason: 'not-found' });
  });

  it('does not restore over a session that is in memory again', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    await fixture.register(store, 'a');
    await assert.rejects(store.sessions.takeBack(projectId, trash), { ...LEAVE, reason: 'already-there' });
    assert.deepEqual(await fixture.namesIn('trash'), [trash]);
  });

  it('keeps what an unfinished registration left when it restores', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    await fixture.write(fixture.inProject('originals', 'a.jsonl'), 'unfinished');
    await store.sessions.takeBack(projectId, trash);
    assert.equal(await readFile(fixture.inProject('originals', 'a.jsonl'), 'utf8'), '{"sessionId":"a"}\n');
    const names = (await fixture.namesIn('originals')).filter((name) => name.includes('.older-'));
    const older = await Promise.all(names.map((name) => readFile(fixture.inProject('originals', name), 'utf8')));
    assert.deepEqual(older.sort(), ['older', 'unfinished']);
  });

  it('restores into folders that an unfinished registration left', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    await fixture.write(fixture.inProject('originals', 'a', 'subagents', 'agent-2.jsonl'), 'unfinished');
    await store.sessions.takeBack(projectId, trash);
    assert.deepEqual(await fixture.namesIn('originals', 'a', 'subagents'), ['agent-1.jsonl', 'agent-2.jsonl']);
    assert.deepEqual(await fixture.namesIn('trash'), []);
  });

  it('can discard the same session twice, and restore either', async () => {
    const store = await prepare();
    const first = await store.sessions.discard(projectId, 'a');
    await fixture.register(store, 'a');
    const second = await store.sessions.discard(projectId, 'a');
    assert.notEqual(first, second);
    await store.sessions.takeBack(projectId, first);
    assert.deepEqual(await all(), before);
  });

  /** As a crash leaves it on the way into the trash: with second names of all files. */
  async function pendingOf(trash: string): Promise<void> {
    await cp(fixture.inProject('trash', trash, 'files'), fixture.inProject(), {
      recursive: true,
      preserveTimestamps: true,
    });
    await rename(fixture.inProject('trash', trash), fixture.inProject('trash', `${trash}.pending`));
  }

  it('leaves the files where they are when a crash came before the manifest was written', async () => {
    const store = await prepare();
    const manifest = await fixture.manifestText();
    await pendingOf(await store.sessions.discard(projectId, 'a'));
    await writeFile(fixture.inProject('manifest.json'), manifest);
    const { ino } = await stat(fixture.inProject('originals', 'a.jsonl'));

    await fixture.open().updateManifest(newProject, (same) => same);
    assert.deepEqual(await all(), before);
    assert.equal((await stat(fixture.inProject('originals', 'a.jsonl'))).ino, ino);
    assert.deepEqual(await fixture.namesIn('trash'), []);
  });

  it('takes the files away when a crash came after the manifest was written, but none that has come since', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    await pendingOf(trash);
    await rm(fixture.inProject('originals', 'a.jsonl'));
    await fixture.write(fixture.inProject('originals', 'a.jsonl'), 'of a registration that was never finished');

    await fixture.open().updateManifest(newProject, (same) => same);
    assert.deepEqual(await all(), [['a.jsonl', 'ab.jsonl'], ['ab']]);
    assert.deepEqual(await fixture.namesIn('trash'), [trash]);
  });

  it('shares what is discarded with the trash until the manifest is written, and takes nothing away before', async () => {
    const store = await prepare();
    await addVersion(store, 'a', 'one');
    const { compressions = [] } = (await store.readManifest(projectId))?.sessions.a ?? {};
    const index = { sessionId: 'a', originalFile: '', originalTokens: 0, originalMessages: 0, versions: [] };
    const [{ file } = { file: '' }] = compressions;
    await assert.rejects(
      store.updateManifest(newProject, async () => {
        await store.versions.discard(projectId, compressions, index);
        assert.equal(await store.versions.read(projectId, 'a', file, 'md'), 'one as Markdown');
        throw new RangeError('the caller thought better of it');
      }),
      RangeError,
    );
    assert.equal(await store.versions.read(projectId, 'a', file, 'md'), 'one as Markdown');
    assert.deepEqual(await fixture.namesIn('trash'), []);
  });

  it('puts the files back that an older Keepit had moved when it was killed before the manifest was written', async () => {
    const store = await prepare();
    const manifest = await fixture.manifestText();
    const trash = await store.sessions.discard(projectId, 'a');
    await rename(fixture.inProject('trash', trash), fixture.inProject('trash', `${trash}.pending`));
    await writeFile(fixture.inProject('manifest.json'), manifest);

    await fixture.open().updateManifest(newProject, (same) => same);
    assert.deepEqual(await all(), before);
    assert.deepEqual(await fixture.namesIn('trash'), []);
  });

  it('ends the discarding when a crash came after the manifest was written', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    await rename(fixture.inProject('trash', trash), fixture.inProject('trash', `${trash}.pending`));

    const next = fixture.open();
    await next.updateManifest(newProject, (same) => same);
    assert.deepEqual(await fixture.namesIn('trash'), [trash]);
    await next.sessions.takeBack(projectId, trash);
    assert.deepEqual(await all(), before);
  });

  it('goes on with a restoring that a crash interrupted', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    await rename(
      fixture.inProject('trash', trash, 'files', 'originals', 'a.jsonl'),
      fixture.inProject('originals', 'a.jsonl'),
    );
    await store.sessions.takeBack(projectId, trash);
    assert.deepEqual(await all(), before);
    assert.deepEqual((await sessionIds()).sort(), ['a', 'ab']);
  });

  it('forgets a discarding that had not begun to move anything', async () => {
    const store = await prepare();
    await fixture.write(fixture.inProject('trash', 'x.pending', 'files', 'nothing'), '');
    await rm(path.join(fixture.inProject('trash', 'x.pending', 'files', 'nothing')));
    await fixture.open().updateManifest(newProject, (same) => same);
    assert.deepEqual(await fixture.namesIn('trash'), []);
    assert.deepEqual(await all(), before);
    assert.ok(await store.sessions.path(projectId, 'a'));
  });

  it('refuses what a newer Keepit has discarded, and what cannot be read', async () => {
    const store = await prepare();
    const trash = await store.sessions.discard(projectId, 'a');
    const note = fixture.inProject('trash', trash, 'discarded.json');
    await writeFile(note, (await readFile(note, 'utf8')).replace('"1.0.0"', '"4.0.0"'));
    await assert.rejects(store.sessions.takeBack(projectId, trash), { ...LEAVE, reason: 'newer-version' });
    await writeFile(note, '{}');
    await assert.rejects(store.sessions.takeBack(projectId, trash), { ...LEAVE, reason: 'corrupt' });
    assert.deepEqual(await sessionIds(), ['ab']);
  });
});
