import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DamagedBytes } from '../../../../src/core/search/bytes';
import { CacheLimit } from '../../../../src/node/store/cacheLimit';
import { StoreLayout } from '../../../../src/node/store/storeLayout';
import { DiskSearchFiles } from '../../../../src/node/search/diskSearchFiles';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';

const PROJECT = '-home-ada';
const words = new TextEncoder().encode('what was said');

describe('DiskSearchFiles', () => {
  const folder = useTempFolder();
  const storeIn = (dir: string, maxSize = '1GB') => {
    const limit = new CacheLimit(new StoreLayout(dir), () => Promise.resolve(maxSize), new RecordingLog());
    return { dir, cacheLimit: limit };
  };

  it('stays within the limit of the cache, whose oldest files go first', async () => {
    const dir = path.join(folder.path, 'limited');
    const old = path.join(dir, 'cache/said/-home-ada/old.said');
    await new DiskSearchFiles(storeIn(dir), new RecordingLog()).save(PROJECT, 'old.said', new Uint8Array(900));
    await utimes(old, 1000, 1000);
    const files = new DiskSearchFiles(storeIn(dir, '1KB'), new RecordingLog());
    await files.save(PROJECT, 'new.said', new Uint8Array(900));
    assert.deepEqual(await files.list(PROJECT, '.said'), ['new.said']);
  });

  it('gives back what it was given, in a file of its own that nobody else may read', async () => {
    const dir = path.join(folder.path, 'one');
    const files = new DiskSearchFiles(storeIn(dir), new RecordingLog());
    await files.save(PROJECT, 's1.said', words);
    await files.save(PROJECT, 'a.tables', words);
    const opened = await files.open(PROJECT, 's1.said');
    assert.deepEqual(Uint8Array.from(opened?.read(0, opened.length) ?? []), words);
    opened?.close();
    assert.deepEqual(Uint8Array.from(opened?.read(5, 8) ?? []), words.slice(5, 8));
    assert.deepEqual(await files.list(PROJECT, '.tables'), ['a.tables']);
    const file = path.join(dir, 'cache/said/-home-ada/s1.said');
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o077, 0);
    await files.remove(PROJECT, 'a.tables');
    assert.deepEqual(await files.list(PROJECT, '.tables'), []);
  });

  it('says once that it cannot write, however many files there are', async () => {
    const dir = path.join(folder.path, 'unwritable');
    await mkdir(path.join(dir, 'cache/said'), { recursive: true });
    await writeFile(path.join(dir, 'cache/said', PROJECT), 'a file where the folder should be');
    const log = new RecordingLog();
    const files = new DiskSearchFiles(storeIn(dir), log);
    for (const name of ['s1.said', 's2.said', 'a.tables']) await files.save(PROJECT, name, words);
    assert.equal(log.lines.length, 1);
  });

  it('names nothing that somebody is just writing', async () => {
    const dir = path.join(folder.path, 'writing');
    const files = new DiskSearchFiles(storeIn(dir), new RecordingLog());
    await files.save(PROJECT, 's1.said', words);
    await writeFile(path.join(dir, 'cache/said/-home-ada/.s2.said.00004f104722f122.tmp'), 'half');
    assert.deepEqual(await files.list(PROJECT, ''), ['s1.said']);
  });

  it('knows nothing where the file is missing, torn or damaged', async () => {
    const dir = path.join(folder.path, 'two');
    const files = new DiskSearchFiles(storeIn(dir), new RecordingLog());
    assert.deepEqual(await files.list(PROJECT, '.said'), []);
    assert.equal(await files.open(PROJECT, 's1.said'), undefined);
    await files.save(PROJECT, 's1.said', words);
    const file = path.join(dir, 'cache/said/-home-ada/s1.said');
    const whole = await readFile(file);
    for (const torn of [
      whole.subarray(0, 0),
      whole.subarray(0, 9),
      whole.subarray(0, -1),
      Buffer.concat([whole, whole]),
    ]) {
      await writeFile(file, torn);
      assert.equal(await files.open(PROJECT, 's1.said'), undefined);
    }
    for (let at = 0; at < whole.length; at++) {
      await writeFile(file, Buffer.from(whole).fill((whole[at] ?? 0) ^ 8, at, at + 1));
      const opened = await files.open(PROJECT, 's1.said');
      assert.throws(() => (opened ?? assert.fail(new DamagedBytes(''))).read(0, words.length), DamagedBytes);
      opened?.close();
    }
  });

  it('neither throws nor leaves its folder, whatever it is asked for', async () => {
    const dir = path.join(folder.path, 'three');
    const log = new RecordingLog();
    const files = new DiskSearchFiles(storeIn(dir), log);
    await mkdir(dir);
    await files.save('../../..', '../x', words);
    assert.equal(await files.open('../../..', '../x'), undefined);
    await files.remove(PROJECT, '../x');
    assert.equal(log.lines.length, 2);
    await writeFile(path.join(dir, 'cache'), 'a file where a folder should be');
    await files.save(PROJECT, 's1.said', words);
    assert.equal(log.lines.length, 2, 'told before');
    assert.ok(!(await readdir(folder.path)).includes('x'));
  });
});
