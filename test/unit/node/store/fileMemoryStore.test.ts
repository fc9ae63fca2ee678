import { strict as assert } from 'node:assert';
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createManifest, type ProjectManifest } from '../../../../src/core/model/manifest';
import { CLEANING } from '../../../../src/core/model/manifestDocument';
import { defaultMemoryDir } from '../../../../src/node/store/storeLayout';
import { newProject, NOW, someEntry, someManifest } from '../../support/storedDocuments';
import { useStore } from '../../support/storeFixture';

const { projectId } = newProject;

function withSession(sessionId: string) {
  return (manifest: ProjectManifest) => ({
    ...manifest,
    sessions: { ...manifest.sessions, [sessionId]: someEntry(sessionId) },
  });
}

describe('defaultMemoryDir', () => {
  it('is where CLAUDE_MEMORY_DIR says, else in the home folder', () => {
    assert.equal(defaultMemoryDir({ CLAUDE_MEMORY_DIR: '/elsewhere' }), path.resolve('/elsewhere'));
    assert.equal(path.basename(defaultMemoryDir({ CLAUDE_MEMORY_DIR: '' })), '.claude-memory');
  });
});

describe('FileMemoryStore: manifests', () => {
  const fixture = useStore();

  it('has no manifest, no projects and makes no folder before anything is registered', async () => {
    const store = fixture.open();
    assert.equal(await store.readManifest(projectId), undefined);
    assert.deepEqual(await store.listProjects(), []);
    assert.deepEqual(await readdir(fixture.root), []);
  });

  it('makes, changes and reads a manifest', async () => {
    await fixture.open().updateManifest(newProject, withSession('a'));
    fixture.clock.set('2026-02-01T00:00:00.000Z');
    await fixture.open().updateManifest(newProject, withSession('b'));
    const expected = { ...someManifest(['a', 'b']), lastModified: '2026-02-01T00:00:00.000Z', cleaning: CLEANING };
    assert.deepEqual(await fixture.open().readManifest(projectId), expected);
    assert.deepEqual(await fixture.open().listProjects(), [projectId]);
    fixture.clock.set(NOW);
  });

  it('keeps its folders and files to their owner', async function () {
    if (process.platform === 'win32') this.skip(); // Windows has no such modes
    await fixture.open().updateManifest(newProject, withSession('a'));
    const places = [fixture.dir, fixture.inProject(), fixture.inProject('manifest.json')];
    const modes = await Promise.all(places.map(async (place) => (await stat(place)).mode & 0o777));
    assert.deepEqual(modes, [0o700, 0o700, 0o600]);
  });

  it('writes nothing when the change throws or changes nothing', async () => {
    const store = fixture.open();
    await assert.rejects(
      store.updateManifest(newProject, () => {
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    await store.updateManifest(newProject, (manifest) => manifest);
    assert.equal(await store.readManifest(projectId), undefined);
    assert.deepEqual(await fixture.namesIn(), []);
  });

  it('refuses to write what it could not read again', async () => {
    const store = fixture.open();
    const broken = (manifest: ProjectManifest) => ({ ...manifest, version: 'mine' });
    await assert.rejects(store.updateManifest(newProject, broken), /version must be a version such as 1\.0\.0/);
    const swapped = (manifest: ProjectManifest) => ({ ...manifest, sessions: { a: someEntry('b') } });
    await assert.rejects(store.updateManifest(newProject, swapped), /sessions\.a holds the entry of another session/);
    assert.deepEqual(await fixture.namesIn(), []);
  });

  it('sees what others have written since, in whatever way', async () => {
    const store = fixture.open();
    await store.updateManifest(newProject, withSession('a'));
    assert.equal(await store.readManifest(projectId), await store.readManifest(projectId));
    await fixture.open().updateManifest(newProject, withSession('b'));
    assert.deepEqual(Object.keys((await store.readManifest(projectId))?.sessions ?? {}), ['a', 'b']);
    await fixture.writeManifest((await fixture.manifestText()).replace('"myapp"', '"MyApp"'));
    assert.equal((await store.readManifest(projectId))?.displayName, 'MyApp');
    await rm(fixture.inProject('manifest.json'));
    assert.equal(await store.readManifest(projectId), undefined);
  });

  it('gives out nothing that could be changed by mistake', async () => {
    const store = fixture.open();
    await store.updateManifest(newProject, withSession('a'));
    for (const manifest of [await store.readManifest(projectId), await fixture.open().readManifest(projectId)]) {
      assert.throws(() => manifest?.sessions.a?.keepitMarkers.pop(), TypeError);
    }
  });

  it('loses no change of many stores on one folder', async () => {
    const stores = Array.from({ length: 5 }, () => fixture.open());
    const ids = Array.from({ length: 25 }, (_, n) => `s${n}`);
    await Promise.all(ids.map(async (id, n) => stores[n % 5]?.updateManifest(newProject, withSession(id))));
    const manifest = await fixture.open().readManifest(projectId);
    assert.deepEqual(Object.keys(manifest?.sessions ?? {}).sort(), ids.sort());
  });

  it('says so when a change waits for itself, rather than wait for ever', async () => {
    const store = fixture.open();
    const nested = async (manifest: ProjectManifest) => {
      await store.sessions.discard(projectId, 'a');
      return manifest;
    };
    await assert.rejects(store.updateManifest(newProject, nested), /must not wait for another change/);
  });

  it('passes over whatever else lies in its folders', async () => {
    await fixture.open().updateManifest(newProject, withSession('a'));
    const projects = path.join(fixture.dir, 'projects');
    await mkdir(path.join(projects, 'empty'));
    await mkdir(path.join(projects, 'odd', 'manifest.json'), { recursive: true });
    await writeFile(path.join(projects, '.DS_Store'), '');
    await writeFile(path.join(fixture.dir, 'notes.txt'), '');
    assert.deepEqual(await fixture.open().listProjects(), [projectId]);
  });

  it('lets no name out of its folder', async () => {
    const store = fixture.open();
    await fixture.register(store, 'a');
    const attempts = [
      () => store.readManifest('../..'),
      () => store.updateManifest({ ...newProject, projectId: '/etc' }, (manifest) => manifest),
      () => store.sessions.path(projectId, '../../../../etc/passwd'),
      () => store.sessions.keep(projectId, '..', '/etc/hosts'),
      () => store.sessions.keep('a/b', 'a', '/etc/hosts'),
      () => store.sessions.discard('..', 'a'),
      () => store.sessions.takeBack(projectId, '../../projects'),
      () => store.measure('..'),
      () => store.sessions.subAgents(projectId, 'a\\b'),
    ];
    for (const attempt of attempts) await assert.rejects(attempt(), { name: 'StoreError', reason: 'unsafe-name' });
  });

  it('says what it measures', async () => {
    const store = fixture.open();
    await fixture.register(store, 'a');
    const { bytes, linkedBytes } = await store.measure(projectId);
    const sizes = await Promise.all(
      ['manifest.json', 'originals/a.jsonl'].map((name) => stat(fixture.inProject(name))),
    );
    assert.equal(
      bytes + linkedBytes,
      sizes.reduce((sum, { size }) => sum + size, 0),
    );
    assert.deepEqual(await store.measure('none'), { bytes: 0, linkedBytes: 0 });
  });
});

describe('FileMemoryStore: manifests of other versions', () => {
  const fixture = useStore();

  it('refuses a newer one, says what to do, and leaves it alone', async () => {
    const text = JSON.stringify({ ...someManifest(['a']), version: '3.1.0', sessions: ['in', 'another', 'way'] });
    await fixture.writeManifest(text);
    const store = fixture.open();
    const refusal = { name: 'StoreError', reason: 'newer-version', message: /3\.1\.0/, hint: /Update Keepit/ };
    await assert.rejects(store.readManifest(projectId), refusal);
    await assert.rejects(store.updateManifest(newProject, withSession('b')), refusal);
    await assert.rejects(store.sessions.discard(projectId, 'a'), refusal);
    assert.equal(await fixture.manifestText(), text);
    assert.deepEqual(await fixture.namesIn(), ['manifest.json']);
  });

  it('reads an older one without touching it, and keeps it beside the new one when it writes', async () => {
    const { version: _version, ...old } = someManifest(['a']);
    const text = JSON.stringify({ ...old, sessions: Object.values(old.sessions), theirs: 1 });
    await fixture.writeManifest(text);
    const store = fixture.open();
    assert.deepEqual((await store.readManifest(projectId))?.sessions, someManifest(['a']).sessions);
    assert.equal(await fixture.manifestText(), text);
    await store.updateManifest(newProject, withSession('b'));
    const backup = 'manifest.json.backup-0.0.0-2026-01-20T10-00-00-000Z';
    assert.deepEqual(await fixture.namesIn(), ['manifest.json', backup]);
    assert.equal(await readFile(fixture.inProject(backup), 'utf8'), text);
    const manifest = await fixture.open().readManifest(projectId);
    assert.deepEqual([manifest?.version, manifest?.theirs], ['1.0.1', 1]);
    assert.deepEqual(Object.keys(manifest?.sessions ?? {}), ['a', 'b']);
  });
});

describe('FileMemoryStore: damaged manifests', () => {
  const fixture = useStore();
  const aside = 'manifest.json.corrupt-2026-01-20T10-00-00-000Z';

  it('sets one aside and rebuilds it from what it still says and from the folders', async () => {
    const store = fixture.open();
    for (const id of ['a', 'b', 'c']) await fixture.register(store, id);
    const versions = { sessionId: 'd', originalFile: '/d.jsonl', originalTokens: 1, originalMessages: 1, versions: [] };
    await fixture.write(fixture.inProject('summaries', 'd', 'versions.json'), JSON.stringify(versions));
    const newer = { ...versions, version: '2.0.0', originalFile: '/newer.jsonl' };
    await fixture.write(fixture.inProject('summaries', 'c', 'versions.json'), JSON.stringify(newer));
    await fixture.write(fixture.inProject('summaries', '.DS_Store'), '');
    const before = await store.readManifest(projectId);
    const whole = await fixture.manifestText();
    const torn = whole.slice(0, whole.indexOf('"c": {') + 60);
    await fixture.writeManifest(torn);

    const manifest = await fixture.open().readManifest(projectId);
    const { a, b, c, d } = manifest?.sessions ?? {};
    assert.deepEqual(a, before?.sessions.a);
    assert.equal(b?.keepitMarkers.length, 1);
    assert.deepEqual([c?.sessionId, c?.kept, c?.originalFile], ['c', undefined, '']);
    assert.equal(d?.originalFile, '/d.jsonl');
    assert.equal(await readFile(fixture.inProject(aside), 'utf8'), torn);
    assert.deepEqual(JSON.parse(await fixture.manifestText()), manifest);
    assert.ok(fixture.log.lines.some((line) => line.startsWith('warn') && line.includes(aside)));
  });

  it('sets aside again what is damaged again, under another name', async () => {
    for (const text of ['one', 'two']) {
      await fixture.writeManifest(text);
      await fixture.open().readManifest(projectId);
    }
    assert.deepEqual(await fixture.namesIn(), ['manifest.json', aside, `${aside}-2`]);
    assert.equal(await readFile(fixture.inProject(aside), 'utf8'), 'one');
  });

  it('does not set the same file aside twice when the first repair did not end', async () => {
    await fixture.writeManifest('damaged');
    await link(fixture.inProject('manifest.json'), fixture.inProject(aside));
    await fixture.open().readManifest(projectId);
    assert.deepEqual(await fixture.namesIn(), ['manifest.json', aside]);
  });

  it('takes bytes that are no text for damage, rather than write replacement characters', async () => {
    const bytes = Buffer.from(JSON.stringify(someManifest(['a'])));
    const name = bytes.indexOf('"myapp"') + 2;
    bytes[name] = 0xff;
    await fixture.writeManifest(bytes);
    const manifest = await fixture.open().readManifest(projectId);
    assert.deepEqual(manifest?.sessions.a, someEntry('a'));
    assert.ok(bytes.equals(await readFile(fixture.inProject(aside))));
  });

  it('learns the name of the project again at the next change', async () => {
    await fixture.writeManifest('');
    await fixture.open().readManifest(projectId);
    const manifest = await fixture.open().updateManifest(newProject, withSession('a'));
    assert.deepEqual([manifest.originalPath, manifest.displayName], [newProject.originalPath, 'myapp']);
  });

  it('answers a reader from memory when it may not write', async function () {
    if (process.platform === 'win32' || process.getuid?.() === 0) this.skip(); // root may write everywhere
    await fixture.writeManifest('damaged');
    await chmod(fixture.inProject(), 0o500);
    const manifest = await fixture.open().readManifest(projectId);
    await chmod(fixture.inProject(), 0o700);
    assert.deepEqual(manifest?.sessions, {});
    assert.equal(await fixture.manifestText(), 'damaged');
  });

  it('neither reads nor writes a manifest that is a link out of the store', async () => {
    const elsewhere = path.join(fixture.root, 'elsewhere.json');
    const text = JSON.stringify(createManifest(newProject, NOW));
    await writeFile(elsewhere, text);
    await mkdir(fixture.inProject(), { recursive: true });
    await symlink(elsewhere, fixture.inProject('manifest.json'));
    await assert.rejects(fixture.open().readManifest(projectId), { code: 'store-link' });
    await assert.rejects(fixture.open().updateManifest(newProject, withSession('a')), { code: 'store-link' });
    assert.equal(await readFile(elsewhere, 'utf8'), text);
  });

  for (const folder of ['', 'originals', 'summaries', 'composed', 'trash']) {
    it(`changes nothing while ${folder === '' ? "the project's folder" : folder} is a link`, async () => {
      const elsewhere = path.join(fixture.root, 'elsewhere');
      await mkdir(elsewhere);
      await mkdir(path.dirname(fixture.inProject(folder)), { recursive: true });
      await symlink(elsewhere, fixture.inProject(folder));
      const attempt = fixture.open().updateManifest(newProject, withSession('a'));
      await assert.rejects(attempt, { code: 'store-link', message: new RegExp(elsewhere) });
      assert.deepEqual(await readdir(elsewhere), []);
    });
  }
});
