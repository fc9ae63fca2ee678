import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder, whatever the current one is. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** An absolute path inside the repository. */
export function inRoot(...parts) {
  return path.join(root, ...parts);
}

/** Everything that is downloaded or made for tests and for `npm start`; safe to delete at any time. */
export const cacheDir = inRoot('.vscode-test');
