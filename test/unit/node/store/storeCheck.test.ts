import { strict as assert } from 'node:assert';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeHolder } from '../../../../src/node/files/fileLock';
import { newProject, someManifest } from '../../support/storedDocuments';
import { useStore } from '../../support/storeFixture';

const { projectId } = newProject;

describe('FileMemoryStore: check', () => {
  const fixture = useStore();
  const find = async (repair = false) => fixture.open().check({ repair });
  const kinds = async () => (await find()).map(({ kind }) => kind);

  it('finds nothing in a store that is healthy, or not there yet', async () => {
    assert.deepEqual(await find(), []);
    const store = fixture.open({ takeMethods: ['copy'] });
    await fixture.register(store, 'a');
    await store.updateConfig((config) => ({ ...config, x: 1 }));
    assert.deepEqual(await find(), []);
  });

  it('finds and mends modes that let other users in', async function () {
    if (process.platform === 'win32') this.skip(); // Windows has no such modes
    await fixture.register(fixture.open({ takeMethods: ['copy'] }), 'a');
    const places = [fixture.dir, fixture.inProject('manifest.json'), fixture.inProject('originals', 'a.jsonl')];
    for (const place of places) await chmod(place, 0o755);
    const findings = await find(true);
    assert.deepEqual(new Set(findings.map((finding) => finding.path)), new Set(places));
    assert.ok(findings.every(({ kind, isRepaired }) => kind === 'open-mode' && isRepaired));
    assert.deepEqual(await find(), []);
    assert.equal((await stat(places[1] ?? '')).mode & 0o777, 0o600);
  });

  it('leaves the mode of a transcript that it shares with Claude Code alone', async function () {
    if (process.platform === 'win32') this.skip(); // Windows has no such modes
    const store = fixture.open();
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, originals: 'link' } }));
    await fixture.register(store, 'a');
    await chmod(path.join(fixture.root, 'claude', 'a.jsonl'), 0o644);
    assert.deepEqual(await find(true), []);
  });

  it('finds an original that is a second name of the transcript, unless that was asked for', async () => {
    await fixture.register(fixture.open({ takeMethods: ['link', 'copy'] }), 'a');
    const [finding] = await find();
    assert.equal(
      finding?.problem,
      "It is a second name of Claude Code's own file, and would be lost with its content.",
    );
    await fixture.open().sessions.renew(projectId, 'a', path.join(fixture.root, 'claude', 'a.jsonl'));
    assert.deepEqual(await find(), []);
  });

  it('finds a damaged manifest and mends it', async () => {
    await fixture.register(fixture.open(), 'a');
    const text = await fixture.manifestText();
    await fixture.writeManifest(text.slice(0, -20));
    assert.deepEqual(await kinds(), ['manifest']);
    assert.equal((await find(true))[0]?.isRepaired, true);
    assert.deepEqual(await kinds(), ['set-aside']);
  });

  it('makes a manifest that is missing although there are sessions', async () => {
    await fixture.register(fixture.open(), 'a');
    await rm(fixture.inProject('manifest.json'));
    const [finding] = await find(true);
    assert.deepEqual([finding?.kind, finding?.isRepaired, finding?.projectId], ['manifest', true, projectId]);
    assert.deepEqual(Object.keys((await fixture.open().readManifest(projectId))?.sessions ?? {}), ['a']);
  });

  it('sets a configuration with a mistake in it aside when asked, and begins again with the defaults', async () => {
    const config = path.join(fixture.dir, 'config.json');
    await fixture.write(config, '{"torn');
    const [before] = (await find(false)).filter(({ kind }) => kind === 'config');
    assert.deepEqual([before?.isRepairable, before?.isRepaired], [true, false]);
    assert.equal(await readFile(config, 'utf8'), '{"torn');
    const [after] = (await find(true)).filter(({ kind }) => kind === 'config');
    assert.equal(after?.isRepaired, true);
    assert.equal((await fixture.open().readConfig()).defaults.model, 'opus');
    const aside = (await readdir(fixture.dir)).find((name) => name.startsWith('config.json.corrupt-'));
    assert.equal(await readFile(path.join(fixture.dir, aside ?? ''), 'utf8'), '{"torn');
  });

  it('reports a manifest and a configuration that a person has to look at', async () => {
    await fixture.writeManifest(JSON.stringify({ ...someManifest([]), version: '9.0.0' }));
    await fixture.write(path.join(fixture.dir, 'config.json'), JSON.stringify({ version: '9.0.0' }));
    for (const folder of [fixture.dir, fixture.inProject()]) await chmod(folder, 0o700);
    const findings = (await find(true)).filter(({ kind }) => kind !== 'open-mode');
    assert.deepEqual(
      findings.map(({ kind, isRepairable }) => [kind, isRepairable]),
      [
        ['config', false],
        ['manifest', false],
      ],
    );
    for (const { hint } of findings) assert.match(hint ?? '', /Update Keepit/);
  });

  it('finds originals that are gone, cut short, or links', async () => {
    const store = fixture.open({ takeMethods: ['copy'] });
    for (const id of ['cut', 'gone', 'linked']) await fixture.register(store, id);
    await truncate(fixture.inProject('originals', 'cut.jsonl'), 3);
    for (const id of ['gone', 'linked']) await rm(fixture.inProject('originals', `${id}.jsonl`));
    const linked = fixture.inProject('originals', 'linked.jsonl');
    await symlink(path.join(fixture.root, 'claude', 'linked.jsonl'), linked);
    const findings = await find(true);
    assert.deepEqual(
      findings.map(({ kind, isRepaired }) => [kind, isRepaired]),
      [
        ['original', false],
        ['original', false],
        ['original', false],
      ],
    );
  });

  it('finds every link, says where it leads, and looks over the rest', async () => {
    await fixture.register(fixture.open({ takeMethods: ['copy'] }), 'a');
    const elsewhere = path.join(fixture.root, 'elsewhere');
    await mkdir(elsewhere);
    const links = [
      path.join(fixture.dir, 'cache'),
      fixture.inProject('trash'),
      fixture.inProject('summaries', 'a'),
      fixture.inProject('..', '-other'),
    ];
    for (const link of links) {
      await mkdir(path.dirname(link), { recursive: true });
      await symlink(elsewhere, link);
    }
    await truncate(fixture.inProject('originals', 'a.jsonl'), 1);
    const findings = await find(true);
    const found = findings.filter(({ kind }) => kind === 'link');
    assert.deepEqual(found.map((one) => one.path).sort(), links.sort());
    for (const { problem } of found) assert.match(problem, new RegExp(elsewhere));
    assert.ok(findings.some(({ kind }) => kind === 'original'));
    assert.deepEqual(await readdir(elsewhere), []);
  });

  it('finds locks and temporary files that killed processes left', async () => {
    await fixture.register(fixture.open({ takeMethods: ['copy'] }), 'a');
    const dead = { ...(await describeHolder('00000000000000aa')), pid: 2 ** 22 + 1 };
    await writeFile(fixture.inProject('.lock'), JSON.stringify(dead));
    const leftover = fixture.inProject('.manifest.json.0123456789abcdef.tmp');
    await writeFile(leftover, '');
    await utimes(leftover, 1000, 1000);
    await mkdir(path.join(fixture.dir, `.import-${dead.pid}-abcdef`, 'projects'), { recursive: true });
    await mkdir(path.join(fixture.dir, `.import-${process.pid}-abcdef`));
    assert.deepEqual((await kinds()).sort(), ['leftover', 'leftover', 'stale-lock']);
    assert.deepEqual(
      (await find(true)).map(({ isRepaired }) => isRepaired),
      [true, true, true],
    );
    assert.deepEqual(await kinds(), []);
    await fixture.open().updateManifest(newProject, (manifest) => ({ ...manifest, x: 1 }));
    assert.deepEqual(await find(), []);
  });

  it('passes over what belongs to nobody', async () => {
    await fixture.register(fixture.open({ takeMethods: ['copy'] }), 'a');
    await writeFile(path.join(fixture.dir, 'projects', '.DS_Store'), '');
    await writeFile(fixture.inProject('notes.txt'), '');
    assert.deepEqual(await find(), []);
  });

  it('stops when it is told to', async () => {
    await fixture.register(fixture.open(), 'a');
    await writeFile(fixture.inProject('manifest.json'), '');
    await assert.rejects(fixture.open().check({ repair: true }, AbortSignal.abort()), { name: 'AbortError' });
    assert.equal(await fixture.manifestText(), '');
  });
});
