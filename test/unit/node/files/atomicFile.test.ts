import { strict as assert } from 'node:assert';
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  findTemporaries,
  keepAside,
  placeFile,
  placeNew,
  sweepKilled,
  sweepTemporaries,
  temporaryBeside,
  writeFileAtomic,
  ensurePrivateFolder,
} from '../../../../src/node/files/atomicFile';
import { useTempFolder } from '../../support/tempFolder';

function text(of: string): Promise<string> {
  return readFile(of, 'utf8');
}

describe('writeFileAtomic', () => {
  const folder = useTempFolder();

  it('replaces the whole content, and leaves nothing else behind', async () => {
    const file = path.join(folder.path, 'a.json');
    await writeFileAtomic(file, 'a long first version');
    await writeFileAtomic(file, 'short');
    assert.equal(await text(file), 'short');
    assert.deepEqual(await readdir(folder.path), ['a.json']);
  });

  it('closes files and folders to others, whatever the umask is', async function () {
    if (process.platform === 'win32') this.skip(); // Windows has no such modes
    const before = process.umask(0);
    try {
      await ensurePrivateFolder(path.join(folder.path, 'x', 'y'), folder.path);
      await writeFileAtomic(path.join(folder.path, 'x', 'y', 'f'), '');
    } finally {
      process.umask(before);
    }
    const modes = await Promise.all(['x', 'x/y', 'x/y/f'].map((name) => stat(path.join(folder.path, name))));
    assert.deepEqual(
      modes.map(({ mode }) => mode & 0o777),
      [0o700, 0o700, 0o600],
    );
  });

  it('leaves the old content and no temporary file when it fails half-way', async () => {
    const file = path.join(folder.path, 'a.json');
    await writeFileAtomic(file, 'old');
    const failing = function* () {
      yield 'new, but not';
      throw new Error('no more');
    };
    await assert.rejects(writeFileAtomic(file, failing()), /no more/);
    const refusing = { beforeRename: () => Promise.reject(new Error('not now')) };
    await assert.rejects(writeFileAtomic(file, 'new', refusing), /not now/);
    assert.equal(await text(file), 'old');
    assert.deepEqual(await readdir(folder.path), ['a.json']);
  });

  it('refuses a symbolic link in its place, and says where that leads', async () => {
    const real = path.join(folder.path, 'dotfiles.json');
    const link = path.join(folder.path, 'config.json');
    await writeFile(real, 'old');
    await symlink(real, link);
    await assert.rejects(writeFileAtomic(link, 'new'), { code: 'store-link', message: new RegExp(`${link}.*${real}`) });
    assert.equal(await text(real), 'old');
    assert.deepEqual((await readdir(folder.path)).sort(), ['config.json', 'dotfiles.json']);
  });

  it('never shows a reader half a file', async () => {
    const file = path.join(folder.path, 'a.json');
    const contents = ['a', 'b'].map((letter) => letter.repeat(300_000));
    await writeFileAtomic(file, contents[0] ?? '');
    const write = async () => {
      for (let n = 0; n < 40; n += 1) await writeFileAtomic(file, contents[n % 2] ?? '', { isDurable: false });
    };
    const read = async () => {
      for (let n = 0; n < 40; n += 1) assert.ok(contents.includes(await text(file)));
    };
    await Promise.all([write(), read(), read()]);
  });

  it('writes under names as long as file systems allow', async () => {
    const file = path.join(folder.path, 'n'.repeat(250));
    await writeFileAtomic(file, 'x');
    assert.equal(await text(file), 'x');
  });
});

describe('keepAside', () => {
  const folder = useTempFolder();

  it('gives content a free name, and never one that is taken', async () => {
    const file = path.join(folder.path, 'm.json');
    const nameOf = (n: number) => `${file}.corrupt-${n}`;
    for (const content of ['one', 'two']) {
      await writeFileAtomic(file, content);
      await keepAside(file, nameOf);
    }
    await writeFileAtomic(file, 'three');
    assert.deepEqual(await Promise.all([file, nameOf(1), nameOf(2)].map(text)), ['three', 'one', 'two']);
  });
});

describe('sweepTemporaries', () => {
  const folder = useTempFolder();

  it('removes what killed writers left, and nothing that may be in use or is not ours', async () => {
    const target = path.join(folder.path, 'manifest.json');
    const [old, young] = [temporaryBeside(target), temporaryBeside(target)];
    const foreign = path.join(folder.path, '.theirs.tmp');
    for (const file of [old, young, foreign]) await writeFile(file, '');
    for (const file of [old, foreign]) await utimes(file, 1000, 1000);
    assert.deepEqual(await findTemporaries(folder.path, 60_000), [old]);
    await sweepTemporaries(folder.path, 60_000);
    assert.deepEqual((await readdir(folder.path)).sort(), [path.basename(young), '.theirs.tmp'].sort());
  });

  it('leaves alone what a process writes that still runs, however old a clock that jumped makes it look', async () => {
    const running = process.ppid.toString(16).padStart(8, '0');
    const theirs = path.join(folder.path, `.manifest.json.${running}01234567.tmp`);
    const killed = path.join(folder.path, '.manifest.json.7fffffff01234567.tmp');
    for (const file of [theirs, killed]) await writeFile(file, '');
    for (const file of [theirs, killed]) await utimes(file, 1000, 1000);
    assert.deepEqual(await findTemporaries(folder.path, 60_000), [killed]);
  });

  it('takes away at once what killed processes left below a folder, and nothing of those that run', async () => {
    const inner = path.join(folder.path, 'a', 'b');
    await mkdir(inner, { recursive: true });
    const running = process.ppid.toString(16).padStart(8, '0');
    const theirs = path.join(inner, `.manifest.json.${running}01234567.tmp`);
    const own = temporaryBeside(path.join(inner, 'manifest.json'));
    const killed = path.join(inner, '.manifest.json.7fffffff01234567.tmp');
    for (const file of [theirs, own, killed]) await writeFile(file, '');
    await sweepKilled(folder.path);
    assert.deepEqual((await readdir(inner)).sort(), [theirs, own].map((file) => path.basename(file)).sort());
  });

  it('finds nothing in a folder that is not there', async () => {
    assert.deepEqual(await findTemporaries(path.join(folder.path, 'none'), 0), []);
  });
});

describe('placeNew', () => {
  const folder = useTempFolder();

  it('takes away what is left of the same file by those who were killed, and nothing else', async () => {
    const running = process.ppid.toString(16).padStart(8, '0');
    const others = [`.a.json.${running}01234567.tmp`, '.ab.json.7fffffff01234567.tmp', '.a.json.tmp'];
    for (const name of [...others, '.a.json.7fffffff01234567.tmp']) await writeFile(path.join(folder.path, name), '');
    await placeNew(path.join(folder.path, 'a.json'), (temporary) => writeFile(temporary, 'new'));
    assert.deepEqual((await readdir(folder.path)).sort(), [...others, 'a.json'].sort());
  });
});

describe('placeFile', () => {
  const folder = useTempFolder();

  it('cleans up when the new file turns out to be the one that is there', async () => {
    const file = path.join(folder.path, 'a');
    await writeFile(file, 'same');
    await placeFile(file, async (temporary) => {
      await keepAside(file, () => temporary);
    });
    assert.equal(await text(file), 'same');
    assert.deepEqual(await readdir(folder.path), ['a']);
  });
});
