import { strict as assert } from 'node:assert';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../../../src/core/model/host';
import {
  DEFAULT_LOCK_TIMING,
  inspectLock,
  sweepClaims,
  takeLock,
  describeHolder,
  holderState,
} from '../../../../src/node/files/fileLock';
import type { LockHolder } from '../../../../src/node/files/lockRecord';
import { useTempFolder } from '../../support/tempFolder';

const quick = { waitMs: 60, heartbeatMs: 2000, silenceMs: 10_000 };

/** No process has such a number. */
const NO_PROCESS = 2 ** 22 + 1;

async function holder(more: Partial<LockHolder> = {}): Promise<LockHolder> {
  return { ...(await describeHolder('00000000000000aa')), ...more };
}

describe('takeLock', () => {
  const folder = useTempFolder();
  const lockFile = () => path.join(folder.path, '.lock');

  async function leave(more: Partial<LockHolder>): Promise<void> {
    await writeFile(lockFile(), JSON.stringify(await holder(more)));
  }

  it('lets one in at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      for (let n = 0; n < 10; n += 1) {
        const lock = await takeLock(lockFile(), DEFAULT_LOCK_TIMING);
        most = Math.max(most, (inside += 1));
        await sleep(0);
        inside -= 1;
        await lock.release();
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    assert.equal(most, 1);
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('says who holds a lock that does not come free', async () => {
    const lock = await takeLock(lockFile(), quick);
    const attempt = takeLock(lockFile(), quick);
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.reason, 'locked');
      assert.match(error.message, new RegExp(`process ${process.pid} on `));
      return true;
    });
    await lock.release();
  });

  it('takes over at once from a process that is dead', async () => {
    await leave({ pid: NO_PROCESS });
    const lock = await takeLock(lockFile(), { ...quick, waitMs: 0 });
    assert.equal(lock.wasTakenOver, true);
    await lock.release();
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('takes over when another process has got the number of the dead one', async function () {
    if (process.platform !== 'linux') this.skip(); // elsewhere the system does not tell when a process began
    await leave({ processStart: '1' });
    const lock = await takeLock(lockFile(), { ...quick, waitMs: 0 });
    assert.equal(lock.wasTakenOver, true);
    await lock.release();
  });

  it('waits for a holder on another machine as long as it shows signs of life', async () => {
    await leave({ machine: 'elsewhere', pid: NO_PROCESS });
    const beats = setInterval(() => void utimes(lockFile(), new Date(), new Date()), 10);
    await assert.rejects(takeLock(lockFile(), { ...quick, waitMs: 300, silenceMs: 150 }), { reason: 'locked' });
    clearInterval(beats);
  });

  it('takes over from a holder on another machine that has been silent', async () => {
    await leave({ machine: 'elsewhere', pid: process.pid });
    const lock = await takeLock(lockFile(), { ...quick, waitMs: 10_000, silenceMs: 50 });
    assert.equal(lock.wasTakenOver, true);
    await lock.release();
  });

  it('watches a holder that cannot be seen until it is known to live or to be silent, also for who would not wait', async () => {
    const unwilling = { ...quick, waitMs: 0 };
    await leave({ machine: 'this one, before it was switched off' });
    const lock = await takeLock(lockFile(), { ...unwilling, silenceMs: 50 });
    assert.equal(lock.wasTakenOver, true);
    await lock.release();

    await leave({ machine: 'elsewhere' });
    const beats = setInterval(() => void utimes(lockFile(), new Date(), new Date()), 10);
    await assert.rejects(takeLock(lockFile(), { ...unwilling, silenceMs: 100_000 }), { reason: 'locked' });
    clearInterval(beats);
  });

  it('takes over a lock that does not say whose it is, once it has been silent', async () => {
    for (const content of ['', '{"pid":', '[]', '{"pid":"x"}']) {
      await writeFile(lockFile(), content);
      const lock = await takeLock(lockFile(), { ...quick, waitMs: 10_000, silenceMs: 20 });
      assert.equal(lock.wasTakenOver, true);
      await lock.release();
    }
  });

  it('shows signs of life while it is held', async () => {
    const lock = await takeLock(lockFile(), { ...quick, heartbeatMs: 5 });
    await utimes(lockFile(), 1000, 1000);
    while (((await inspectLock(lockFile()))?.mtimeMs ?? 0) <= 1_000_000) await sleep(5);
    await lock.release();
  });

  it('lets only one of many take over from the dead, and loses no lock to a late one', async () => {
    for (let round = 0; round < 5; round += 1) {
      await leave({ pid: NO_PROCESS, nonce: round.toString(16).padStart(16, '0') });
      let [inside, turns] = [0, 0];
      const contender = async () => {
        const lock = await takeLock(lockFile(), DEFAULT_LOCK_TIMING);
        inside += 1;
        assert.equal(inside, 1);
        await sleep(inside + (turns++ % 3));
        await lock.assertHeld();
        inside -= 1;
        await lock.release();
      };
      await Promise.all(Array.from({ length: 8 }, contender));
    }
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('takes over at once although others died while they took over', async () => {
    await leave({ pid: NO_PROCESS });
    const claim = `${lockFile()}~00000000000000aa`;
    await writeFile(claim, JSON.stringify(await holder({ pid: NO_PROCESS, nonce: '00000000000000bb' })));
    await writeFile(
      `${claim}~00000000000000bb`,
      JSON.stringify(await holder({ pid: NO_PROCESS, nonce: '00000000000000cc' })),
    );
    const lock = await takeLock(lockFile(), { ...quick, waitMs: 0 });
    await lock.release();
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('leaves a dead lock alone while another is taking it over', async () => {
    await leave({ pid: NO_PROCESS });
    const claim = `${lockFile()}~00000000000000aa`;
    await writeFile(claim, JSON.stringify(await holder({ nonce: '00000000000000bb' })));
    await assert.rejects(takeLock(lockFile(), quick), { reason: 'locked' });
    assert.equal((await inspectLock(lockFile()))?.mark, '00000000000000aa');
  });

  it('notices when its lock was taken away, and does not remove that of another', async () => {
    const lock = await takeLock(lockFile(), quick);
    await lock.assertHeld();
    await leave({});
    await assert.rejects(lock.assertHeld(), { reason: 'locked' });
    await lock.release();
    assert.match(await readFile(lockFile(), 'utf8'), /00000000000000aa/);
  });

  it('stops waiting when it is told to', async () => {
    const lock = await takeLock(lockFile(), quick);
    const controller = new AbortController();
    const attempt = takeLock(lockFile(), DEFAULT_LOCK_TIMING, controller.signal);
    controller.abort();
    await assert.rejects(attempt, { name: 'AbortError' });
    await lock.release();
  });
});

describe('sweepClaims', () => {
  const folder = useTempFolder();

  it('removes what those left who died while taking over', async () => {
    const lock = path.join(folder.path, '.lock');
    for (const name of ['.lock', '.lock~0', '.lock~0~1', 'other']) await writeFile(path.join(folder.path, name), '');
    await sweepClaims(lock);
    assert.deepEqual((await readdir(folder.path)).sort(), ['.lock', 'other']);
  });
});

describe('holderState', () => {
  it('knows the living, the dead, and what it cannot know', async () => {
    assert.equal(await holderState(await holder({ pid: NO_PROCESS })), 'dead');
    assert.equal(await holderState(await holder({ machine: 'elsewhere' })), 'unknown');
    assert.equal(await holderState(await holder()), process.platform === 'linux' ? 'alive' : 'unknown');
  });
});
