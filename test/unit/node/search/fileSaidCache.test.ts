import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FileSaidCache } from '../../../../src/node/search/fileSaidCache';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';

const ref = { projectId: '-home-ada', sessionId: 's1' };
const said = {
  path: '/x/s1.jsonl',
  bytes: 10,
  mtimeMs: 5,
  messages: [{ uuid: 'u', role: 'user' as const, text: 'words', steps: [], files: [] }],
};

describe('FileSaidCache', () => {
  const folder = useTempFolder();

  it('gives back what it was given, in a file of its own that nobody else may read', async () => {
    const dir = path.join(folder.path, 'one');
    const log = new RecordingLog();
    await new FileSaidCache(dir, log).save(ref, said);
    assert.deepEqual(await new FileSaidCache(dir, log).load(ref), said);
    const file = path.join(dir, 'cache/said/-home-ada/s1.json');
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o077, 0);
  });

  it('knows nothing where the file is missing, torn or of another kind', async () => {
    const dir = path.join(folder.path, 'two');
    const cache = new FileSaidCache(dir, new RecordingLog());
    assert.equal(await cache.load(ref), undefined);
    await mkdir(path.join(dir, 'cache/said/-home-ada'), { recursive: true });
    for (const text of ['', '{"format":1,"sa', '{"format":99}', '[]']) {
      await writeFile(path.join(dir, 'cache/said/-home-ada/s1.json'), text);
      assert.equal(await cache.load(ref), undefined);
    }
  });

  it('neither throws nor leaves its folder, whatever it is asked for', async () => {
    const dir = path.join(folder.path, 'three');
    const log = new RecordingLog();
    const cache = new FileSaidCache(dir, log);
    const evil = { projectId: '../../..', sessionId: '../x' };
    await cache.save(evil, said);
    assert.equal(await cache.load(evil), undefined);
    assert.equal(log.lines.length, 1);
    await writeFile(dir, 'a file where a folder should be');
    await cache.save(ref, said);
    assert.equal(log.lines.length, 2);
    assert.ok(!(await readdir(folder.path)).includes('x'));
  });
});
