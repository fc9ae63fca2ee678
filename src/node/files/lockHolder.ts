import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isRunning } from './isRunning';
import { isOther, processOf, type LockHolder } from './lockRecord';

/** `unknown`: on another machine or in another container, or the system does not tell when processes began. */
export type HolderState = 'alive' | 'dead' | 'unknown';

/** What this process writes into the locks that it takes. */
export async function describeHolder(nonce: string): Promise<LockHolder> {
  const own = await readProcess(process.pid);
  return {
    nonce,
    pid: process.pid,
    processStart: own?.start ?? '',
    machine: await machineName(),
    host: hostname(),
    since: new Date().toISOString(),
  };
}

/** Whether the process that took a lock still runs, as far as that can be seen from here. */
export async function holderState(holder: LockHolder): Promise<HolderState> {
  if (holder.machine !== (await machineName())) return 'unknown';
  if (!isRunning(holder.pid)) return 'dead';
  const found = await readProcess(holder.pid);
  if (found === undefined || holder.processStart === '') return 'unknown';
  return isOther(holder, found) ? 'dead' : 'alive';
}

async function readProcess(pid: number): Promise<{ start: string; isGhost: boolean } | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  return processOf(stat);
}

async function machineName(): Promise<string> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id');
  const processNamespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return [process.platform, hostname(), bootId?.trim() ?? '', processNamespace].join(' ');
}

/** `/proc` exists on Linux alone, and may be closed to us; both mean that it tells nothing. */
async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
