import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildRanks, encodeRanks } from '../../../../scripts/buildRanks.mjs';
import { NodeTokenCounters } from '../../../../src/node/tokens/nodeTokenCounters';

describe('NodeTokenCounters', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'keepit-tokens-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('loads the file that the build writes, once for all who ask', async () => {
    const file = path.join(folder, 'dist', 'o200k_base.bin');
    await buildRanks(file);
    const counters = new NodeTokenCounters(file);
    const [first, second] = await Promise.all([counters.exact(), counters.exact()]);
    assert.equal(first, second);
    assert.equal(first.count('hello world'), 2);
  });

  it('says that the file is missing, and loads it once it is there', async () => {
    const file = path.join(folder, 'o200k_base.bin');
    const counters = new NodeTokenCounters(file);
    await assert.rejects(counters.exact(), { name: 'TokenRanksError', reason: 'missing', code: 'tokens-missing' });
    await buildRanks(file);
    assert.equal((await counters.exact()).count('hello world'), 2);
  });

  it('says that the file cannot be read', async () => {
    await assert.rejects(new NodeTokenCounters(folder).exact(), { name: 'TokenRanksError', reason: 'unreadable' });
  });

  it('refuses a file that is torn, too long or another file', async () => {
    const whole = encodeRanks();
    const file = path.join(folder, 'o200k_base.bin');
    for (const content of [
      whole.subarray(0, 5),
      whole.subarray(0, 1000),
      whole.subarray(0, whole.length - 1),
      Buffer.concat([whole, Buffer.from('x')]),
      Buffer.from('{"not": "ranks"}'),
      Buffer.alloc(0),
    ]) {
      await writeFile(file, content);
      await assert.rejects(new NodeTokenCounters(file).exact(), { name: 'TokenRanksError', reason: 'corrupt' });
    }
  });
});
