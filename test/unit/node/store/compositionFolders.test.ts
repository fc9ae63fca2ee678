import { strict as assert } from 'node:assert';
import { link, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ComposedContextRecord } from '../../../../src/core/model/composition';
import type { ProjectManifest } from '../../../../src/core/model/manifest';
import type { FileMemoryStore } from '../../../../src/node/store/fileMemoryStore';
import { newProject } from '../../support/storedDocuments';
import { useStore } from '../../support/storeFixture';

const { projectId } = newProject;

function recordNamed(name: string, builtAt = '2026-01-20T10:00:00.000Z'): ComposedContextRecord {
  return {
    compositionId: `id-of-${name}`,
    name,
    createdAt: '2026-01-20T10:00:00.000Z',
    builtAt,
    components: [],
    outputFile: `composed/${name}/composed.md`,
    totalTokens: 5,
    totalMessages: 2,
    usedInSessions: [],
  };
}

function withComposition(record: ComposedContextRecord) {
  return (manifest: ProjectManifest) => ({
    ...manifest,
    compositions: { ...manifest.compositions, [record.name]: record },
  });
}

async function keep(store: FileMemoryStore, record: ComposedContextRecord, text: string): Promise<void> {
  await store.updateManifest(newProject, async (manifest) => {
    await store.compositions.keep(projectId, record.name, { 'composed.md': text });
    return withComposition(record)(manifest);
  });
}

const armed = {
  version: '1.0.0',
  projectId,
  compositionId: 'c1',
  name: 'feature-x',
  armedAt: '2026-01-20T10:00:00.000Z',
  text: 'one',
};

describe('CompositionFolders', () => {
  const fixture = useStore();

  it('writes files together with the manifest that names them, for their owner only', async function () {
    const store = fixture.open();
    await keep(store, recordNamed('feature-x'), 'The text.');
    const file = store.compositions.path(projectId, 'feature-x', 'composed.md');
    assert.equal(await readFile(file, 'utf8'), 'The text.');
    assert.equal(file, fixture.inProject('composed', 'feature-x', 'composed.md'));
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('leaves the files as they were when the change fails', async () => {
    const store = fixture.open();
    await keep(store, recordNamed('feature-x'), 'Before.');
    const failing = store.updateManifest(newProject, async () => {
      await store.compositions.keep(projectId, 'feature-x', { 'composed.md': 'After.' });
      await store.compositions.keep(projectId, 'other', { 'composed.md': 'New.' });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.equal(await store.compositions.read(projectId, 'feature-x', 'composed.md'), 'Before.');
    assert.equal(await store.compositions.read(projectId, 'other', 'composed.md'), undefined);
    assert.deepEqual(await fixture.namesIn('composed'), ['feature-x']);
  });

  it('replaces a composition by way of the trash, and gives the old one back', async () => {
    const store = fixture.open();
    const [before, after] = [recordNamed('feature-x'), recordNamed('feature-x', '2026-01-21T10:00:00.000Z')];
    await keep(store, before, 'Before.');
    let trash = '';
    await store.updateManifest(newProject, async (manifest) => {
      trash = await store.compositions.discard(projectId, before);
      await store.compositions.keep(projectId, 'feature-x', { 'composed.md': 'After.' });
      return withComposition(after)(manifest);
    });
    assert.equal(await store.compositions.read(projectId, 'feature-x', 'composed.md'), 'After.');
    assert.deepEqual(await store.compositions.discarded(projectId, trash), before);
    await store.updateManifest(newProject, async (manifest) => {
      await store.compositions.discard(projectId, after);
      await store.compositions.takeBack(projectId, trash);
      return withComposition(before)(manifest);
    });
    assert.equal(await store.compositions.read(projectId, 'feature-x', 'composed.md'), 'Before.');
    await assert.rejects(store.compositions.discarded(projectId, trash), { code: 'store-not-found' });
  });

  it('has the old composition back when replacing it fails, also after a crash', async () => {
    const store = fixture.open();
    const before = recordNamed('feature-x');
    await keep(store, before, 'Before.');
    const failing = store.updateManifest(newProject, async () => {
      await store.compositions.discard(projectId, before);
      await store.compositions.keep(projectId, 'feature-x', { 'composed.md': 'After.' });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.equal(await store.compositions.read(projectId, 'feature-x', 'composed.md'), 'Before.');
    assert.deepEqual(await fixture.namesIn('trash'), []);
    // What a killed process leaves: moved to the trash, and the manifest still has it.
    const pending = fixture.inProject('trash', '2026-feature-x.pending');
    await mkdir(path.join(pending, 'files', 'composed'), { recursive: true });
    await writeFile(
      path.join(pending, 'discarded.json'),
      JSON.stringify({ version: '1.0.0', discardedAt: before.createdAt, sessionId: '', composition: before }),
    );
    await rename(fixture.inProject('composed', 'feature-x'), path.join(pending, 'files', 'composed', 'feature-x'));
    const reopened = fixture.open();
    await reopened.updateManifest(newProject, (manifest) => manifest);
    assert.equal(await reopened.compositions.read(projectId, 'feature-x', 'composed.md'), 'Before.');
  });

  it('gives the files another folder', async () => {
    const store = fixture.open();
    await keep(store, recordNamed('feature-x'), 'The text.');
    await store.updateManifest(newProject, async (manifest) => {
      await store.compositions.move(projectId, recordNamed('feature-x'), 'feature-y');
      return withComposition(recordNamed('feature-y'))(manifest);
    });
    assert.equal(await store.compositions.read(projectId, 'feature-y', 'composed.md'), 'The text.');
    assert.deepEqual(await fixture.namesIn('composed'), ['feature-y']);
  });

  it('removes with the next change what could not be removed when the folder changed', async () => {
    const store = fixture.open();
    await keep(store, recordNamed('feature-y'), 'The text.');
    const pending = fixture.inProject('trash', '2026-feature-x-composition.pending');
    await fixture.write(path.join(pending, 'files', 'composed', 'feature-x', 'composed.md'), 'The text.');
    await mkdir(fixture.inProject('composed', 'feature-x'));
    await link(
      path.join(pending, 'files', 'composed', 'feature-x', 'composed.md'),
      fixture.inProject('composed', 'feature-x', 'composed.md'),
    );
    const composition = recordNamed('feature-x');
    await fixture.write(
      path.join(pending, 'discarded.json'),
      JSON.stringify({
        version: '1.0.0',
        discardedAt: composition.createdAt,
        sessionId: '',
        composition,
        isMoved: true,
      }),
    );
    await fixture.open().updateManifest(newProject, (manifest) => manifest);
    assert.deepEqual(await fixture.namesIn('composed'), ['feature-y']);
    assert.deepEqual(await fixture.namesIn('trash'), []);
  });

  it('lets no name leave the folder', async () => {
    const { compositions } = fixture.open();
    for (const name of ['..', 'a/b', '']) {
      assert.throws(() => compositions.path(projectId, name, 'composed.md'), { code: 'store-unsafe-name' });
    }
    await assert.rejects(compositions.takeArmed(projectId, '../../x'), { code: 'store-unsafe-name' });
  });

  it('hands what is armed to one of several sessions that start at once, and to all hooks of that one', async () => {
    const store = fixture.open();
    await store.updateManifest(newProject, async (manifest) => {
      await store.compositions.arm(projectId, armed);
      return { ...manifest, displayName: 'armed' };
    });
    assert.deepEqual(await store.compositions.armed(projectId), armed);
    const sessions = ['s1', 's1', 's2', 's2', 's3'];
    const taken = await Promise.all(
      sessions.map((session) => fixture.open().compositions.takeArmed(projectId, session)),
    );
    const winners = new Set(sessions.filter((_, at) => taken[at] !== undefined));
    assert.equal(winners.size, 1);
    const [winner = ''] = winners;
    assert.deepEqual(await store.compositions.takeArmed(projectId, winner), armed);
    assert.equal(await store.compositions.armed(projectId), undefined);
    assert.equal(await store.compositions.disarm(projectId), false);
  });

  it('arms nothing when the change that tells of it fails', async () => {
    const store = fixture.open();
    const change = store.updateManifest(newProject, async () => {
      await store.compositions.arm(projectId, armed);
      throw new Error('no');
    });
    await assert.rejects(change, /no/);
    assert.equal(await store.compositions.armed(projectId), undefined);
  });

  it('takes what cannot be read for nothing', async () => {
    const store = fixture.open();
    await fixture.write(fixture.inProject('armed.json'), '{"version":');
    assert.equal(await store.compositions.takeArmed(projectId, 's1'), undefined);
    assert.ok((await readdir(fixture.inProject())).length > 0);
  });

  it('tells a check which texts are gone, and which folders belong to nothing', async () => {
    const store = fixture.open();
    await keep(store, { ...recordNamed('feature-x'), outputs: ['composed.md', 'composed.jsonl'] }, 'The text.');
    await fixture.write(fixture.inProject('composed', 'stray', 'composed.md'), 'left by a crash');
    const findings = (await store.check({ repair: false })).filter(({ kind }) => kind === 'composition');
    assert.deepEqual(
      findings.map((finding) => [finding.path, finding.problem]),
      [
        [fixture.inProject('composed', 'feature-x', 'composed.jsonl'), 'This text of a composition is gone.'],
        [fixture.inProject('composed', 'stray'), 'No composition in memory is kept in this folder.'],
      ],
    );
  });
});
