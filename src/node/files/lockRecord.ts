import * as z from 'zod/mini';

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

/** What Linux tells in `/proc/<pid>/stat`: when a process began, and whether it is a ghost that only waits for its parent to look at it. */
export function processOf(stat: string): { start: string; isGhost: boolean } {
  // The second field is the program's name in brackets, which may hold spaces and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', start = ''] = [fields[0], fields[19]];
  return { start, isGhost: state === 'Z' || state === 'X' };
}

/** Whether a process of the holder's number, which is there, is another one by now, or only its ghost. */
export function isOther(
  { processStart }: LockHolder,
  { start, isGhost }: { start: string; isGhost: boolean },
): boolean {
  return isGhost || start !== processStart;
}
