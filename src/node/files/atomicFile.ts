import { randomBytes } from 'node:crypto';
import {
  constants,
  copyFile,
  link,
  lstat,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
  chmod,
  mkdir,
  rmdir,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, isGone, unlessGone } from './errorCode';
import { isRunning } from './isRunning';
import { refuseLinks } from './links';

/*
 * Not `write-file-atomic`: it writes with one `write` call and does not look how much of it was written, so that a disk
 * that fills up leaves half a file under the final name; and it neither flushes the folder nor names its temporary
 * files so that the leftovers of a killed process can be told from other files.
 */

/** Ends with the number of the process that writes it, and one that chance gave. */
const TEMPORARY = /^\.[^/\\]+\.([0-9a-f]{8})[0-9a-f]{8}\.tmp$/;
const HIGHEST_PID = 0x7fffffff;

/** Names stay below the 255 bytes that file systems allow, whatever the target is called. */
const BASE_LENGTH = 60;

/** Folders and files of the store are for their owner alone. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** POSIX allows either. */
const NOT_EMPTY = new Set(['ENOTEMPTY', 'EEXIST']);

/** A name beside `target` that nobody else uses; `sweepTemporaries` knows it again. */
export function temporaryBeside(target: string): string {
  return path.join(path.dirname(target), `${startOf(target)}${ownNumber()}${randomBytes(4).toString('hex')}.tmp`);
}

function startOf(target: string): string {
  return `.${path.basename(target).slice(0, BASE_LENGTH)}.`;
}

function ownNumber(): string {
  return process.pid.toString(16).padStart(8, '0');
}

interface PlaceOptions {
  /** Whether the new name is to survive a loss of power; false for what can be made again. */
  isDurable?: boolean;
  /** Called when everything is written, just before the new content takes its place; throwing leaves the old one. */
  beforeRename?: (() => Promise<void>) | undefined;
}

/**
 * Lets `fill` make a file under a temporary name and puts it in the place of `target` in one step: whoever opens
 * `target` sees the old content or the new one, whole. A failure leaves the old one and no temporary file.
 */
export async function placeFile(
  target: string,
  fill: (temporary: string) => Promise<void>,
  { isDurable = true, beforeRename }: PlaceOptions = {},
): Promise<void> {
  const temporary = await fillTemporary(target, fill);
  try {
    await beforeRename?.();
    await renameOver(temporary, target);
  } finally {
    // Also after success: renaming one hard link over another of the same file leaves both.
    await discardTemporary(temporary);
  }
  if (isDurable) await syncFolder(path.dirname(target));
}

/** As `placeFile`, under a name that nothing has; EEXIST where something has it. */
export async function placeNew(target: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  await discardKilled(target);
  const refuseThere = async (): Promise<void> => {
    if ((await unlessGone(lstat(target))) === undefined) return;
    throw Object.assign(new Error(`${target} is there already`), { code: 'EEXIST' });
  };
  await refuseThere();
  await placeFile(target, fill, { beforeRename: refuseThere });
}

/**
 * Removes a temporary file. One that cannot be removed is nobody's business: what it was for is done, or has failed for a reason
 * of its own, and `sweepTemporaries` takes it away later.
 */
export async function discardTemporary(temporary: string): Promise<void> {
  await rm(temporary, { force: true }).catch(() => undefined);
}

/** Removes what lies beside a file that somebody left who was killed while it was made: in a folder of people nobody else does. */
export async function discardKilled(target: string): Promise<void> {
  const folder = path.dirname(target);
  const beginning = startOf(target);
  // What cannot be looked at is tried again the next time.
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(beginning) && isOfKilled(name)) await discardTemporary(path.join(folder, name));
}

/** Lets `fill` make a file that is to take the place of `target` later, by `renameOver`. A failure leaves nothing. */
export async function fillTemporary(target: string, fill: (temporary: string) => Promise<void>): Promise<string> {
  const temporary = temporaryBeside(target);
  try {
    await fill(temporary);
    return temporary;
  } catch (error) {
    await discardTemporary(temporary);
    throw error;
  }
}

/** Writes a whole file in one step. Throws `StoreError` when a symbolic link is in its place. */
export async function writeFileAtomic(
  target: string,
  content: string | Iterable<string>,
  options: PlaceOptions = {},
): Promise<void> {
  await refuseLinks(path.dirname(target), target);
  const fill = (temporary: string) =>
    createFile(temporary, async (handle) => {
      await writeFile(handle, content, 'utf8');
      if (options.isDurable ?? true) await handle.sync();
    });
  await placeFile(target, fill, options);
}

/** Makes a file that must not exist yet, closed to other users whatever the umask is. */
export async function createFile(file: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(file, 'wx', FILE_MODE);
  try {
    await handle.chmod(FILE_MODE);
    await fill(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Gives a file a second name, so that its content outlives what takes its place: the first of `nameOf(1)`, `nameOf(2)` …
 * that is free. Returns that name.
 */
export async function keepAside(file: string, nameOf: (n: number) => string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const aside = nameOf(n);
    try {
      await secondName(file, aside);
      await syncFolder(path.dirname(aside));
      return aside;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** As `keepAside`, while `work` puts something else in the file's place: where that fails, the second name goes again. */
export async function keptAside<T>(file: string, nameOf: (n: number) => string, work: () => Promise<T>): Promise<T> {
  const aside = await keepAside(file, nameOf);
  try {
    return await work();
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined); // the first failure is the one to tell
    throw error;
  }
}

async function secondName(file: string, aside: string): Promise<void> {
  const real = await realpath(file); // a second name for a symbolic link would not keep what it leads to
  try {
    await link(real, aside);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || isGone(error)) throw error;
    await copyFile(real, aside, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

/** What virus scanners and indexers cause on Windows while they look at a file. */
const PASSING_ON_WINDOWS = new Set(['EPERM', 'EACCES', 'EBUSY']);
const RENAME_TRIES = 10;

/** Puts a file in the place of another one, in one step. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isPassing = process.platform === 'win32' && PASSING_ON_WINDOWS.has(errorCode(error) ?? '');
      if (!isPassing || tried >= RENAME_TRIES) throw error;
      await sleep(tried * 20);
    }
  }
}

/**
 * Temporary files in a folder that were last written at least `minAgeMs` ago, and not by a process that still runs: a clock that jumps
 * forward makes also those look old that are just being written.
 */
export async function findTemporaries(folder: string, minAgeMs: number): Promise<string[]> {
  const names = (await unlessGone(readdir(folder))) ?? [];
  const found: string[] = [];
  for (const name of names.filter(isAbandoned)) {
    const file = path.join(folder, name);
    const stats = await unlessGone(stat(file));
    if (stats !== undefined && Date.now() - stats.mtimeMs >= minAgeMs) found.push(file);
  }
  return found;
}

function isAbandoned(name: string): boolean {
  const [, digits] = TEMPORARY.exec(name) ?? [];
  if (digits === undefined) return false;
  const writer = Number.parseInt(digits, 16);
  return writer === 0 || writer > HIGHEST_PID || writer === process.pid || !isRunning(writer);
}

/** Removes what processes left, anywhere below a folder, that were killed: whatever its age, for it may hold what is to be gone. */
export async function sweepKilled(folder: string): Promise<void> {
  const entries = (await unlessGone(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  for (const entry of entries)
    if (isOfKilled(entry.name)) await rm(path.join(entry.parentPath, entry.name), { force: true });
}

function isOfKilled(name: string): boolean {
  return isAbandoned(name) && TEMPORARY.exec(name)?.[1] !== ownNumber();
}

/** Removes what killed writers left in a folder. */
export async function sweepTemporaries(folder: string, minAgeMs: number): Promise<void> {
  for (const file of await findTemporaries(folder, minAgeMs)) await rm(file, { force: true });
}

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
