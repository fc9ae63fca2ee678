import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { isRunning } from './isRunning';

/** Who holds a lock, as it is written into the lock file. */
export const lockHolderSchema = z.looseObject({
  /** Of this one acquisition: no two are ever equal. */
  nonce: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  pid: z.number(),
  /** When the process began, in the operating system's own terms; empty where it does not tell. Numbers of processes are used again. */
  processStart: z.string(),
  /** Names the computer, its current boot and the process namespace: only within these does a process number mean anything. */
  machine: z.string(),
  /** For people. */
  host: z.string(),
  since: z.string(),
});
export type LockHolder = z.infer<typeof lockHolderSchema>;

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
  return found.isGhost || found.start !== holder.processStart ? 'dead' : 'alive';
}

/** Linux tells when a process began, and whether it is a ghost that only waits for its parent to look at it. */
async function readProcess(pid: number): Promise<{ start: string; isGhost: boolean } | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets, which may hold spaces and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', start = ''] = [fields[0], fields[19]];
  return { start, isGhost: state === 'Z' || state === 'X' };
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
