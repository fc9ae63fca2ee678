import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LayerPlace } from '../../../../src/core/knowledge/layerStore';
import { describeHolder } from '../../../../src/node/files/fileLock';
import { FileLayerStore } from '../../../../src/node/layers/fileLayerStore';
import { ManualClock } from '../../support/manualClock';
import { useTempFolder } from '../../support/tempFolder';

describe('FileLayerStore', () => {
  const folder = useTempFolder();
  const clock = new ManualClock('2026-01-20T12:00:00Z');
  const open = (): FileLayerStore => new FileLayerStore({ memoryDir: path.join(folder.path, 'store'), clock });
  const place = (location: LayerPlace['location'] = 'project'): LayerPlace => ({
    projectId: '-p',
    projectPath: path.join(folder.path, 'app'),
    location,
  });
  const exclude = (): string => path.join(folder.path, 'app', '.git', 'info', 'exclude');

  async function repository(excluded: string): Promise<void> {
    await mkdir(path.dirname(exclude()), { recursive: true });
    await writeFile(exclude(), excluded);
  }

  it('writes nothing while it looks', async () => {
    await mkdir(place().projectPath);
    const report = await open().examine(place());
    assert.deepEqual(report, { dir: path.join(folder.path, 'app', '.claude', 'memory'), isExcluded: false });
    assert.deepEqual(await readdir(place().projectPath), []);
  });

  it('says that a project is not there, or cannot be written to, and has another place', async function () {
    assert.equal((await open().examine(place())).problem, 'no-folder');
    assert.equal((await open().examine(place('home'))).problem, undefined);
    await mkdir(place().projectPath, { mode: 0o500 });
    if (process.getuid?.() === 0) return this.skip(); // root may write anywhere
    assert.equal((await open().examine(place())).problem, 'not-writable');
    await chmod(place().projectPath, 0o700);
  });

  it('says that nothing can be kept where a file stands in the place of a folder', async () => {
    await mkdir(place().projectPath);
    await writeFile(path.join(place().projectPath, '.claude'), 'mine');
    await writeFile(path.join(place().projectPath, '_memory'), 'mine');
    assert.equal((await open().examine(place())).problem, 'not-writable');
    assert.equal((await open().examine({ ...place(), room: 'notebook' })).problem, 'not-writable');
  });

  it('takes files away, also such as are gone', async () => {
    const store = open();
    await store.change(place('home'), async (files) => {
      await files.write('notes/a.md', 'A');
      await files.remove('notes/a.md');
      await files.remove('notes/a.md');
      assert.equal(await files.read('notes/a.md'), undefined);
      await assert.rejects(files.remove('../a.md'), { reason: 'unsafe-name' });
    });
  });

  it("is put into git's list, once, and taken out again to the byte", async () => {
    const before = '# mine\n*.log\n';
    await repository(before);
    const store = open();
    await store.prepare(place(), { shared: false });
    assert.equal((await store.prepare(place(), { shared: false })).isExcluded, true);
    assert.equal((await readFile(exclude(), 'utf8')).match(/memory/g)?.length, 1);
    await store.release(place());
    assert.equal(await readFile(exclude(), 'utf8'), before);
    assert.deepEqual(await readdir(path.join(place().projectPath, '.claude')), []);
  });

  it('is left for git to see where it is to be shared', async () => {
    await repository('');
    assert.equal((await open().prepare(place(), { shared: true })).isExcluded, false);
  });

  it('finds the list of a working tree that is not the first', async () => {
    const main = path.join(folder.path, 'main', '.git');
    await mkdir(path.join(main, 'worktrees', 'app'), { recursive: true });
    await writeFile(path.join(main, 'worktrees', 'app', 'commondir'), '../..\n');
    await mkdir(place().projectPath);
    await writeFile(path.join(place().projectPath, '.git'), `gitdir: ${path.join(main, 'worktrees', 'app')}\n`);
    assert.equal((await open().examine(place())).excludeFile, path.join(main, 'info', 'exclude'));
  });

  it('keeps files closed to others, and what was damaged beside what is new', async () => {
    await mkdir(place().projectPath);
    await open().change(place(), async (files) => {
      await files.write('sessions/a.l1.jsonl', 'x');
      await files.write('facts.json', 'broken');
      assert.equal(await files.setAside('facts.json'), 'facts.json.corrupt-2026-01-20T12-00-00-000Z');
      await files.write('facts.json', 'whole');
      await files.move('sessions/a.l1.jsonl', 'sessions/archive/a.l1.jsonl');
      assert.deepEqual(await files.names('sessions'), ['archive']);
    });
    const files = open().files(place());
    assert.equal(await files.read('facts.json'), 'whole');
    assert.equal(await files.read('facts.json.corrupt-2026-01-20T12-00-00-000Z'), 'broken');
    assert.equal((await stat(path.join(folder.path, 'app', '.claude', 'memory', 'facts.json'))).mode & 0o777, 0o600);
  });

  it('lets no name lead out of its folder', async () => {
    await assert.rejects(open().files(place()).read('../secret'), { reason: 'unsafe-name' });
    await assert.rejects(open().files(place()).read('sessions/../../secret'), { reason: 'unsafe-name' });
  });

  it('takes away what a change that was killed had begun to write', async () => {
    await mkdir(place().projectPath);
    await open().change(place(), (files) => files.write('memory.md', 'one'));
    const { dir } = await open().examine(place());
    const killed = { ...(await describeHolder('00000000000000aa')), pid: 2 ** 22 + 1 };
    await writeFile(path.join(dir, '.lock'), JSON.stringify(killed));
    await mkdir(path.join(dir, 'sessions'), { recursive: true });
    for (const name of ['.memory.md.7fffffff01234567.tmp', 'sessions/.a.jsonl.7fffffff01234567.tmp'])
      await writeFile(path.join(dir, name), 'half');
    await open().change(place(), (files) => files.write('memory.md', 'two'));
    const left = (await readdir(dir, { recursive: true })).filter((name) => /\.tmp$|\.lock$/.test(name));
    assert.deepEqual(left, []);
  });

  it('takes away what one has left who was killed before there was a lock', async () => {
    await mkdir(place().projectPath);
    await open().change(place(), (files) => files.write('memory.md', 'one'));
    const { dir } = await open().examine(place());
    await writeFile(path.join(dir, '..lock.7fffffff01234567.tmp'), '{}');
    await open().change(place(), (files) => files.write('memory.md', 'two'));
    assert.deepEqual(await readdir(dir), ['memory.md']);
  });

  it('lets one change wait for the other', async () => {
    await mkdir(place().projectPath);
    const add = (store: FileLayerStore): Promise<void> =>
      store.change(place(), async (files) => {
        const before = Number((await files.read('count')) ?? 0);
        await files.write('count', String(before + 1));
      });
    const [one, other] = [open(), open()];
    await Promise.all([add(one), add(other), add(one), add(other), add(one)]);
    assert.equal(await one.files(place()).read('count'), '5');
  });
});
