import { withLock } from './lock.mjs';
import { inRoot } from './root.mjs';

/** Set for processes that are started by the one that holds the lock. */
const HELD_VARIABLE = 'KEEPIT_BUILD_LOCK_HELD';

/**
 * Runs `task` while nobody else builds: two builds at once, or one below a packer, would take each other's parts away.
 * @param {(env: NodeJS.ProcessEnv) => Promise<T>} task with the environment for its own processes
 * @template T
 */
export async function withBuildLock(task) {
  if (process.env[HELD_VARIABLE] === '1') return task(process.env);
  return withLock(inRoot('.vscode-test/build.lock'), () => task({ ...process.env, [HELD_VARIABLE]: '1' }));
}
