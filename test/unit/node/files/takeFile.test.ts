import { strict as assert } from 'node:assert';
import { chmod, link, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  appendFrom,
  beginsWith,
  isSameFile,
  linkOrCopy,
  takeFile,
  type TakeMethod,
} from '../../../../src/node/files/takeFile';
import { useTempFolder } from '../../support/tempFolder';

const LARGE = 3 * 1024 * 1024 + 17;

describe('takeFile', () => {
  const folder = useTempFolder();
  const source = () => path.join(folder.path, 'source');
  const target = () => path.join(folder.path, 'target');

  for (const methods of [['copy'], ['link', 'copy'], ['clone', 'link', 'copy']] as TakeMethod[][]) {
    it(`takes a file by ${methods.join(' or ')}, and keeps its date`, async () => {
      const content = Buffer.alloc(LARGE, 'transcript ');
      await writeFile(source(), content);
      await utimes(source(), 1000, 2000);
      const method = await takeFile(source(), target(), methods);
      assert.ok(methods.includes(method));
      assert.ok(content.equals(await readFile(target())));
      assert.equal((await stat(target())).mtimeMs, 2_000_000);
      assert.deepEqual((await readdir(folder.path)).sort(), ['source', 'target']);
    });
  }

  it('knows a second name and a copy of a file again, and nothing else', async () => {
    await writeFile(source(), 'x');
    await linkOrCopy(source(), target());
    assert.ok(await isSameFile(source(), target()));
    await takeFile(source(), target(), ['copy']);
    assert.ok(await isSameFile(source(), target()));
    await utimes(target(), 1000, 2000);
    assert.ok(!(await isSameFile(source(), target())));
    await rm(target());
    assert.ok(!(await isSameFile(source(), target())));
  });

  it('never changes the mode of a file that it shares', async function () {
    if (process.platform === 'win32') this.skip(); // Windows has no such modes
    await writeFile(source(), 'x');
    await chmod(source(), 0o644);
    assert.equal(await takeFile(source(), target(), ['link', 'copy']), 'link');
    assert.equal((await stat(source())).mode & 0o777, 0o644);
    await takeFile(source(), target(), ['copy']);
    assert.equal((await stat(target())).mode & 0o777, 0o600);
    assert.equal((await stat(source())).mode & 0o777, 0o644);
  });

  it('leaves nothing behind when it is stopped', async () => {
    await writeFile(source(), Buffer.alloc(LARGE));
    const stopped = AbortSignal.abort();
    await assert.rejects(takeFile(source(), target(), ['copy'], stopped), { name: 'AbortError' });
    assert.deepEqual(await readdir(folder.path), ['source']);
  });

  it('says that the source is gone rather than try every method', async () => {
    await assert.rejects(takeFile(source(), target(), ['link', 'copy']), { code: 'ENOENT' });
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('copies from another file system, which cannot share', async function () {
    const elsewhere = '/dev/shm';
    const devices = await Promise.all([folder.path, elsewhere].map((place) => stat(place).catch(() => undefined)));
    if (devices[1] === undefined || devices[0]?.dev === devices[1].dev) this.skip(); // needs two file systems
    const far = path.join(elsewhere, path.basename(folder.path));
    await writeFile(source(), 'far away');
    try {
      assert.equal(await takeFile(source(), far, ['clone', 'link', 'copy']), 'copy');
      assert.equal(await readFile(far, 'utf8'), 'far away');
    } finally {
      await rm(far, { force: true });
    }
  });
});

describe('appendFrom', () => {
  const folder = useTempFolder();

  it('appends exactly what is new', async () => {
    const [source, target] = [path.join(folder.path, 's'), path.join(folder.path, 't')];
    const content = Buffer.alloc(LARGE, 'abcdefg');
    await writeFile(source, content);
    await writeFile(target, content.subarray(0, 12_345));
    await appendFrom(source, target);
    assert.ok(content.equals(await readFile(target)));
  });

  it('leaves the file as long as it was when it is stopped', async () => {
    const [source, target] = [path.join(folder.path, 's'), path.join(folder.path, 't')];
    await writeFile(source, Buffer.alloc(LARGE));
    await writeFile(target, 'kept');
    await assert.rejects(appendFrom(source, target, AbortSignal.abort()), { name: 'AbortError' });
    assert.equal(await readFile(target, 'utf8'), 'kept');
  });
});

describe('beginsWith', () => {
  const folder = useTempFolder();

  it('compares the beginnings of two files to the byte, over the size of its buffers', async () => {
    const [a, b] = [path.join(folder.path, 'a'), path.join(folder.path, 'b')];
    const content = Buffer.alloc(LARGE, 'abcdefg');
    await writeFile(a, content);
    await link(a, b);
    assert.equal(await beginsWith(a, b, LARGE), true);
    const other = Buffer.from(content);
    other[LARGE - 2] = 0;
    const c = path.join(folder.path, 'c');
    await writeFile(c, other);
    assert.equal(await beginsWith(a, c, LARGE), false);
    assert.equal(await beginsWith(a, c, LARGE - 2), true);
  });
});
