import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from './lock.mjs';
import { inRoot } from './root.mjs';

/**
 * A folder below `dist/test` for what one run of one suite bundles, so that two runs at the same time do not meet.
 * What runs left behind that were killed is removed on the way.
 */
export async function outputDirFor(name) {
  const parent = inRoot('dist/test');
  for (const entry of await readdir(parent).catch(() => [])) {
    const pid = /-(\d+)$/.exec(entry)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(path.join(parent, entry), { recursive: true, force: true });
  }
  return path.join(parent, `${name}-${process.pid}`);
}
