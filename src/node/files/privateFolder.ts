import { chmod, mkdir, open, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, isGone } from './errorCode';
import { refuseLinks } from './links';

/** Folders and files of the store are for their owner alone. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** POSIX allows either. */
const NOT_EMPTY = new Set(['ENOTEMPTY', 'EEXIST']);

/**
 * Makes a folder and its missing parents, closed to other users whatever the umask is. Existing ones are left alone. Throws
 * `StoreError` when a symbolic link is on the way there from `root`, which may be one itself.
 */
export async function ensurePrivateFolder(folder: string, root: string): Promise<void> {
  await refuseLinks(root, folder);
  await makeFolder(folder);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    const parent = path.dirname(folder);
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await makeFolder(folder);
    return;
  }
  try {
    await chmod(folder, FOLDER_MODE);
  } catch (error) {
    await rmdir(folder).catch(() => undefined); // the next one who looks would take it for a folder that is as it should be
    throw error;
  }
  await syncFolder(path.dirname(folder));
}

/** Removes a folder that is empty or gone, and those above it that are empty then. */
export async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (NOT_EMPTY.has(errorCode(error) ?? '')) return;
    if (!isGone(error)) throw error;
  }
  await removeEmpty(path.dirname(folder));
}

/**
 * Flushes a folder, so that names made in it survive a loss of power. Never fails: the names are there for every reader already, and
 * taking a change back because of that would undo what is done. Some systems cannot flush folders at all (Windows, network drives).
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
