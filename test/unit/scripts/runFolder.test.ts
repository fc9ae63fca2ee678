import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRunFolder } from '../../../scripts/lib/runFolder.mjs';
import { useTempFolder } from '../support/tempFolder';

describe('the temporary folder of a run of tests', () => {
  const parent = useTempFolder();

  it('goes with the run, also where that fails', async () => {
    const failing = inRunFolder(async (folder) => {
      await writeFile(path.join(folder, 'left'), '');
      throw new Error('no');
    }, parent.path);
    await assert.rejects(failing, /no/);
    assert.deepEqual(await readdir(parent.path), []);
  });

  it('goes with the next run where its own was killed, and those of others that run stay', async () => {
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const others = [`keepit-run-${process.pid}-abcdef`, `keepit-run-${dead}-abcdef.txt`];
    for (const name of [`keepit-run-${dead}-abcdef/home`, ...others])
      await mkdir(path.join(parent.path, name), { recursive: true });
    await inRunFolder(() => Promise.resolve(), parent.path);
    assert.deepEqual((await readdir(parent.path)).sort(), others.sort());
  });
});
