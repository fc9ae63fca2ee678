import { createRequire } from 'node:module';

type ChildProcess = typeof import('node:child_process');

/** So long a compaction waits for its keepits. */
const KEEP_TIMEOUT_MS = 10_000;

/** The program that this process is: it knows both `hook` and `hook-work`. */
export interface Program {
  readonly runtime: string;
  /** Its script. */
  readonly script: string;
  /** A folder that stays, so that nobody is kept from removing the project's. */
  readonly cwd: string;
}

/** Loaded only by the hooks that start something: it is a tenth of what the others take. */
function childProcess({ script }: Program): ChildProcess {
  const module: unknown = createRequire(script)('node:child_process');
  if (isChildProcess(module)) return module;
  throw new TypeError('This runtime starts no processes');
}

function isChildProcess(module: unknown): module is ChildProcess {
  return typeof module === 'object' && module !== null && 'spawn' in module && 'spawnSync' in module;
}

/** Starts the process that does what hooks have no time for; it outlives this one, and the session. */
export function startWork(program: Program, projectId: string): void {
  const { runtime, script, cwd } = program;
  const child = childProcess(program).spawn(runtime, [script, 'hook-work', `--project=${projectId}`], {
    cwd,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.on('error', () => undefined); // there is no more to be done: the next hook asks again
  child.unref();
}

/** Lets it be found where a session stands, and waits for that. Whether it was. */
export function findState(
  program: Program,
  { projectId, sessionId, transcript }: { projectId: string; sessionId: string; transcript: string },
): boolean {
  const { runtime, script, cwd } = program;
  const args = [script, 'hook-work', `--project=${projectId}`, `--keep=${sessionId}`, `--transcript=${transcript}`];
  const { status } = childProcess(program).spawnSync(runtime, args, {
    cwd,
    stdio: 'ignore',
    timeout: KEEP_TIMEOUT_MS,
    windowsHide: true,
  });
  return status === 0;
}
