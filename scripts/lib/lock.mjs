import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 500;
const HOLDER_FILE_GRACE_MS = 5_000;

/** Whether a process of this machine has this id. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // somebody else's process is alive all the same
  }
}

async function isStale(folder, waitedMs) {
  try {
    return !isAlive(Number(await readFile(path.join(folder, 'pid'), 'utf8')));
  } catch {
    return waitedMs > HOLDER_FILE_GRACE_MS; // the holder died between making the folder and signing it
  }
}

/** Runs `task` while no other process of this machine holds the same lock. A lock whose holder died is taken over. */
export async function withLock(folder, task) {
  await mkdir(path.dirname(folder), { recursive: true });
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      await mkdir(folder);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (await isStale(folder, waitedMs)) await rm(folder, { recursive: true, force: true });
      else await sleep(RETRY_MS);
    }
  }
  try {
    await writeFile(path.join(folder, 'pid'), String(process.pid));
    return await task();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
