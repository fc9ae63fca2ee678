import { execFile, type ChildProcess } from 'node:child_process';

/** How long a program may take to end by itself. */
const GRACE_MS = 2_000;

/** What has to be said when a program is started whose children are to end with it. */
export const ownProcessGroup = { detached: process.platform !== 'win32' } as const;

/** Ends a program that was started in a group of its own, with everything that it has started; by force after a moment. */
export function endTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || hasEnded(child)) return;
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => undefined); // it is gone already, or nobody can end it
    return;
  }
  signalGroup(pid, 'SIGTERM');
  const force = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  force.unref();
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left, which is what was wanted.
  }
}
