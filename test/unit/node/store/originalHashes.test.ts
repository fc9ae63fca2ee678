import assert from 'node:assert/strict';
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { firstChange, hashContent } from '../../../../src/node/store/originalHashes';
import { useTempFolder } from '../../support/tempFolder';

const BLOCK = 4 * 1024 * 1024;

describe('hashes of kept originals', () => {
  const temp = useTempFolder();
  let file: string;

  beforeEach(async () => {
    file = path.join(temp.path, 'a.jsonl');
    await writeFile(file, Buffer.alloc(2 * BLOCK + 100, 'abc'));
  });

  const recorded = async () => ({ bytes: 2 * BLOCK + 100, hashes: await hashContent(file, 2 * BLOCK + 100) });

  async function flip(at: number): Promise<void> {
    const bytes = await readFile(file);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(file, bytes);
  }

  it('hold for a file that is as it was, or has only grown', async () => {
    const content = await recorded();
    assert.equal(content.hashes.length, 3);
    assert.equal(await firstChange(file, content), undefined);
    await appendFile(file, 'more');
    assert.equal(await firstChange(file, content), undefined);
  });

  it('show a single bit that changed, to its block', async () => {
    for (const [at, from] of [
      [5, 0],
      [BLOCK + 1, BLOCK],
      [2 * BLOCK + 99, 2 * BLOCK],
    ] as const) {
      const content = await recorded();
      await flip(at);
      assert.equal(await firstChange(file, content), from);
    }
  });

  it('show a file that was cut, also at the end of a block', async () => {
    const content = await recorded();
    await truncate(file, 2 * BLOCK);
    assert.equal(await firstChange(file, content), 2 * BLOCK);
    await truncate(file, 0);
    assert.equal(await firstChange(file, content), 0);
  });

  it('are the same whether a file was hashed at once or as it grew', async () => {
    let known = { bytes: 0, hashes: await hashContent(file, 0) };
    for (const bytes of [10, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 100]) {
      known = { bytes, hashes: await hashContent(file, bytes, known) };
      assert.deepEqual(known.hashes, await hashContent(file, bytes));
    }
  });

  it('of what is known are not made again', async () => {
    const known = { bytes: BLOCK, hashes: ['known'] };
    assert.equal((await hashContent(file, 2 * BLOCK, known))[0], 'known');
  });
});
