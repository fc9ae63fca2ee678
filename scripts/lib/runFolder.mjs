import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from './lock.mjs';

/** Ends with the process whose run it is of, and what chance gave. */
const RUN_FOLDER = /^keepit-run-(\d+)-\w{6}$/;

/**
 * Lets a run of tests put all that is temporary into a folder of its own, which goes with it. What a run left that was killed is taken
 * away by the next.
 * @template T
 * @param {(folder: string) => Promise<T>} task
 * @param {string} [parent]
 * @returns {Promise<T>}
 */
export async function inRunFolder(task, parent = tmpdir()) {
  await mkdir(parent, { recursive: true });
  await sweepRunFolders(parent);
  const folder = await mkdtemp(path.join(parent, `keepit-run-${process.pid}-`));
  try {
    return await task(folder);
  } finally {
    await remove(folder);
  }
}

async function sweepRunFolders(parent) {
  for (const name of await readdir(parent)) {
    const pid = Number(RUN_FOLDER.exec(name)?.[1]);
    if (!Number.isNaN(pid) && !isAlive(pid)) await remove(path.join(parent, name));
  }
}

/** Something may lie in it that cannot go yet, as a disk that is mounted: the next run tries again. */
async function remove(folder) {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

/** What programs put their temporary files into, on any system. */
export function temporaryFilesIn(folder) {
  return { TMPDIR: folder, TEMP: folder, TMP: folder };
}

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Memory, where there is enough: nobody waits for its disk. */
export async function quickFolder() {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= ENOUGH_BYTES ? MEMORY : tmpdir();
}
