import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LayerPlace } from '../../../../src/core/knowledge/layerStore';
import { FileLayerStore } from '../../../../src/node/layers/fileLayerStore';
import { commitAll, git } from '../../support/gitRepository';
import { ManualClock } from '../../support/manualClock';
import { useTempFolder } from '../../support/tempFolder';

describe('What counts as written by this memory', () => {
  const folder = useTempFolder();
  const clock = new ManualClock('2026-01-20T12:00:00Z');
  const open = (env: NodeJS.ProcessEnv = process.env): FileLayerStore =>
    new FileLayerStore({ memoryDir: path.join(folder.path, 'store'), clock, env });
  const app = (): string => path.join(folder.path, 'app');
  const file = (name: string): string => path.join(app(), '.claude', 'memory', name);
  const log = (): string => path.join(folder.path, 'store', 'projects', '-p', 'written.log');
  const place = (room?: 'notebook'): LayerPlace => ({
    projectId: '-p',
    projectPath: app(),
    location: 'project',
    room,
  });
  const read = async (name: string, env?: NodeJS.ProcessEnv): Promise<string | undefined> =>
    open(env).files(place()).read(name);
  const foreign = async (): Promise<string[]> => open().files(place()).foreign();
  const write = async (name: string, text: string): Promise<void> =>
    open().change(place(), (files) => files.write(name, text));

  async function plant(name: string, text: string): Promise<void> {
    await mkdir(path.dirname(file(name)), { recursive: true });
    await writeFile(file(name), text);
  }

  async function enabled(): Promise<void> {
    await mkdir(app(), { recursive: true });
    await open().begin(place());
    await open().prepare(place(), { shared: false });
  }

  async function repository(): Promise<void> {
    await mkdir(app(), { recursive: true });
    git(app(), 'init', '-q', '-b', 'main');
    git(app(), 'commit', '-q', '--allow-empty', '-m', 'begin');
  }

  it('hides what was there before, and says that it is there', async () => {
    await plant('facts.json', 'theirs');
    await plant('sessions/2026-01-01_1000.l1.jsonl', 'theirs');
    await enabled();
    assert.equal(await read('facts.json'), undefined);
    assert.equal(await open().files(place()).stat('facts.json'), undefined);
    assert.deepEqual(await open().files(place()).names(''), ['sessions']);
    assert.deepEqual(await open().files(place()).names('sessions'), []);
    assert.deepEqual(await foreign(), ['facts.json', 'sessions/2026-01-01_1000.l1.jsonl']);
    assert.equal(await open().files(place()).readForeign('facts.json'), 'theirs');
  });

  it('says what is there of a project that is not enabled, and notes nothing', async () => {
    await plant('facts.json', 'theirs');
    assert.deepEqual(await (await open().found(place())).foreign(), ['facts.json']);
    assert.deepEqual(await readdir(folder.path), ['app']);
  });

  it('knows what it wrote, and moves what stood in its place to the archive', async () => {
    await plant('facts.json', 'theirs');
    await enabled();
    await write('facts.json', 'ours');
    assert.equal(await read('facts.json'), 'ours');
    assert.equal(await readFile(file('archive/foreign/facts.json'), 'utf8'), 'theirs');
    assert.deepEqual(await foreign(), []);
    assert.equal(await read('archive/foreign/facts.json'), undefined);
  });

  it('takes all that is there for its own, once, where the project was enabled before anybody noted anything', async () => {
    await plant('facts.json', 'from before');
    await plant('sessions/a.l1.jsonl', 'from before');
    assert.equal(await read('facts.json'), 'from before');
    await plant('concepts.json', 'came later');
    assert.equal(await read('concepts.json'), undefined);
    assert.equal(await read('sessions/a.l1.jsonl'), 'from before');
  });

  it('can be read where the store cannot be written to', async () => {
    await plant('facts.json', 'from before');
    await writeFile(path.join(folder.path, 'store'), 'a file, so that no folder can be made');
    assert.equal(await read('facts.json'), 'from before');
    await assert.rejects(write('facts.json', 'ours'), { name: 'StoreError' });
    assert.equal(await readFile(file('facts.json'), 'utf8'), 'from before');
  });

  it('cannot be told otherwise by a log in the project', async () => {
    await enabled();
    await write('facts.json', 'ours');
    await plant('written.log', await readFile(log(), 'utf8'));
    await plant('concepts.json', 'theirs');
    await cp(path.dirname(log()), path.join(app(), '.claude', 'memory', 'written'), { recursive: true });
    assert.equal(await read('concepts.json'), undefined);
    assert.ok((await foreign()).includes('written.log'));
  });

  it('takes an edit by hand for its own, in a folder without git and in one that git passes over', async () => {
    await enabled();
    await write('memory.md', 'ours');
    await plant('memory.md', 'ours, edited');
    assert.equal(await read('memory.md'), 'ours, edited');
    await repository();
    await plant('memory.md', 'ours, edited again');
    assert.equal(await read('memory.md'), 'ours, edited again');
  });

  it('takes an edit by hand for its own where git has the file as this memory wrote it, also after a commit', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours');
    commitAll(app());
    assert.equal(await read('facts.json'), 'ours');
    await plant('facts.json', 'ours, edited');
    assert.equal(await read('facts.json'), 'ours, edited');
    await open().change(place(), (files) => files.read('facts.json'));
    commitAll(app());
    assert.equal(await read('facts.json'), 'ours, edited');
  });

  it('hides what a pull brought, shows what it wrote last, and takes an earlier state of its own for its own', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours, first');
    commitAll(app());
    git(app(), 'checkout', '-q', '-b', 'theirs');
    await plant('facts.json', 'theirs');
    commitAll(app());
    git(app(), 'checkout', '-q', 'main');
    await write('facts.json', 'ours');
    commitAll(app());
    git(app(), 'merge', '-q', '-X', 'theirs', 'theirs');
    assert.equal(await readFile(file('facts.json'), 'utf8'), 'theirs');
    assert.equal(await read('facts.json'), 'ours');
    assert.deepEqual(await foreign(), ['facts.json']);
    git(app(), 'reset', '-q', '--hard', 'HEAD~1');
    assert.equal(await read('facts.json'), 'ours');
    git(app(), 'reset', '-q', '--hard', 'HEAD~1');
    assert.equal(await readFile(file('facts.json'), 'utf8'), 'ours, first');
    assert.equal(await read('facts.json'), 'ours, first');
    assert.deepEqual(await foreign(), []);
  });

  it('hides what a checkout wrote over a file that git was to pass over', async () => {
    await repository();
    git(app(), 'checkout', '-q', '-b', 'theirs');
    await plant('facts.json', 'theirs');
    commitAll(app());
    git(app(), 'checkout', '-q', 'main');
    await enabled();
    await write('facts.json', 'ours');
    git(app(), 'checkout', '-q', 'theirs');
    assert.equal(await readFile(file('facts.json'), 'utf8'), 'theirs');
    assert.equal(await read('facts.json'), 'ours');
  });

  it('hides what settings of the repository make look edited', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours\n');
    await rm(path.join(app(), '.claude'), { recursive: true });
    const theirs = path.join(folder.path, 'theirs');
    await mkdir(path.join(theirs, '.claude', 'memory'), { recursive: true });
    git(theirs, 'init', '-q', '-b', 'main');
    await writeFile(path.join(theirs, '.gitattributes'), '*.json eol=crlf ident\n');
    await writeFile(path.join(theirs, '.claude', 'memory', 'facts.json'), 'theirs $Id$\n');
    commitAll(theirs);
    git(app(), 'pull', '-q', '--allow-unrelated-histories', '--no-rebase', '--no-edit', theirs, 'main');
    assert.match(await readFile(file('facts.json'), 'utf8'), /theirs \$Id: [0-9a-f]+ \$\r\n/);
    assert.notEqual(await read('facts.json'), await readFile(file('facts.json'), 'utf8'));
    assert.deepEqual(await foreign(), ['facts.json']);
  });

  it('hides what was pulled where the pull was half taken back', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours');
    commitAll(app());
    await plant('facts.json', 'theirs');
    commitAll(app());
    git(app(), 'reset', '-q', '--mixed', 'HEAD~1');
    assert.equal(await readFile(file('facts.json'), 'utf8'), 'theirs');
    assert.equal(await read('facts.json'), 'ours');
  });

  it('hides a repository that was cloned to where another one was enabled', async () => {
    await enabled();
    await write('facts.json', 'ours');
    const theirs = path.join(folder.path, 'theirs');
    await mkdir(path.join(theirs, '.claude', 'memory'), { recursive: true });
    git(theirs, 'init', '-q', '-b', 'main');
    await writeFile(path.join(theirs, '.claude', 'memory', 'facts.json'), 'theirs');
    commitAll(theirs);
    await rm(app(), { recursive: true });
    git(folder.path, 'clone', '-q', theirs, app());
    assert.equal(await read('facts.json'), 'ours');
    assert.deepEqual(await foreign(), ['facts.json']);
  });

  it('hides what a second working tree has checked out', async () => {
    await repository();
    await plant('facts.json', 'theirs');
    commitAll(app());
    git(app(), 'worktree', 'add', '-q', path.join(folder.path, 'second'));
    const second = { ...place(), projectId: '-second', projectPath: path.join(folder.path, 'second') };
    await open().begin(second);
    await open().change(second, (files) => files.write('memory.md', 'ours'));
    assert.equal(await open().files(second).read('facts.json'), undefined);
    assert.deepEqual(await open().files(second).foreign(), ['facts.json']);
  });

  it('hides a file of another letter case that git brought, as some file systems take it for the same', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours');
    const other = path.join(app(), '.Claude', 'Memory', 'Facts.json');
    await mkdir(path.dirname(other), { recursive: true });
    await writeFile(other, 'theirs');
    git(app(), 'add', '-f', other);
    git(app(), 'commit', '-q', '-m', 'theirs');
    await plant('facts.json', 'theirs, in what looks like an edit');
    assert.equal(await read('facts.json'), 'ours');
  });

  it('takes nothing of a conflict', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours, first\n');
    commitAll(app());
    git(app(), 'checkout', '-q', '-b', 'theirs');
    await plant('facts.json', 'theirs\n');
    commitAll(app());
    git(app(), 'checkout', '-q', 'main');
    await write('facts.json', 'ours\n');
    commitAll(app());
    assert.throws(() => git(app(), 'merge', '-q', 'theirs'));
    assert.match(await readFile(file('facts.json'), 'utf8'), /<<<<<<</);
    assert.equal(await read('facts.json'), 'ours\n');
  });

  it('takes an edit for its own where there is no git to ask', async () => {
    await enabled();
    await repository();
    await write('memory.md', 'ours');
    await plant('memory.md', 'ours, edited');
    assert.equal(await read('memory.md', { PATH: '' }), 'ours, edited');
    await plant('project.md', 'theirs');
    assert.equal(await read('project.md', { PATH: '' }), undefined);
  });

  it('accepts just what was seen, and takes that back', async () => {
    await plant('memory.md', 'theirs');
    await enabled();
    const change = <T>(work: Parameters<typeof FileLayerStore.prototype.change<T>>[1]): Promise<T> =>
      open().change(place(), work);
    await plant('memory.md', 'theirs, changed meanwhile');
    assert.equal(await change((files) => files.accept('memory.md', 'theirs')), false);
    assert.equal(await read('memory.md'), undefined);
    assert.equal(await change((files) => files.accept('memory.md', 'theirs, changed meanwhile')), true);
    assert.equal(await read('memory.md'), 'theirs, changed meanwhile');
    assert.deepEqual(await foreign(), []);
    await change((files) => files.disown('memory.md', 'theirs, changed meanwhile'));
    assert.equal(await read('memory.md'), undefined);
    assert.deepEqual(await foreign(), ['memory.md']);
  });

  it('does not take a foreign file for its own when it is killed before it has written', async () => {
    await plant('facts.json', 'theirs');
    await enabled();
    const store = open();
    const files = store.files(place());
    await assert.rejects(
      store.change(place(), async (own) => {
        await rm(path.join(app(), '.claude', 'memory', '.lock')); // the lock is somebody else's now
        await own.write('facts.json', 'ours');
      }),
    );
    assert.equal(await files.read('facts.json'), undefined);
    assert.equal(await readFile(file('archive/foreign/facts.json'), 'utf8'), 'theirs');
  });

  it('keeps its own where a line of the log was torn off', async () => {
    await enabled();
    await write('facts.json', 'ours');
    await appendFile(log(), '+ 0123');
    await write('memory.md', 'ours too');
    assert.equal(await read('facts.json'), 'ours');
    assert.equal(await read('memory.md'), 'ours too');
  });

  it('moves its own files with what is known of them, and leaves foreign ones', async () => {
    await plant('concepts.json', 'theirs');
    await enabled();
    await write('sessions/a.l1.jsonl', 'ours');
    await open().change(place(), async (files) => {
      await files.move('sessions/a.l1.jsonl', 'sessions/archive/a.l1.jsonl');
      assert.equal(await files.read('sessions/archive/a.l1.jsonl'), 'ours');
      assert.equal(await files.read('sessions/a.l1.jsonl'), undefined);
      await files.remove('concepts.json');
    });
    assert.equal(await readFile(file('concepts.json'), 'utf8'), 'theirs');
  });

  it('has nothing foreign in the store', async () => {
    const home: LayerPlace = { ...place(), location: 'home' };
    const dir = path.join(folder.path, 'store', 'projects', '-p', 'layers');
    await mkdir(dir, { recursive: true });
    await writeFile(path.join(dir, 'facts.json'), 'ours');
    assert.equal(await open().files(home).read('facts.json'), 'ours');
    assert.deepEqual(await open().files(home).foreign(), []);
  });

  it('asks git nothing about what it knows', async () => {
    await enabled();
    await repository();
    await write('facts.json', 'ours');
    await plant('project.md', 'theirs');
    const without = { PATH: path.join(folder.path, 'nothing') };
    assert.equal(await read('facts.json', without), 'ours');
    assert.equal(await read('project.md', without), undefined);
  });

  it('forgets contents of long ago, and no file', async () => {
    await enabled();
    await write('facts.json', 'the first');
    const lines = Array.from({ length: 6000 }, (_, at) => {
      return `+ ${at.toString(16).padStart(64, '0')} ${at.toString(16).padStart(40, '0')} layers/memory.md\n`;
    });
    await appendFile(log(), lines.join(''));
    await write('memory.md', 'ours');
    assert.equal(await read('facts.json'), 'the first');
    assert.equal(await read('memory.md'), 'ours');
    assert.ok((await readFile(log(), 'utf8')).split('\n').length < 100);
  });
});
