import { constants, lstat, readFile, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../core/model/host';
import { errorCode, isGone, unlessGone, storing } from './errorCode';

/*
 * The folders that people name (the store, Claude Code's, a project's) may be symbolic links, as dotfiles are. Nothing below
 * them may: whoever can put a link there, such as a repository that was cloned, would decide where Keepit writes and what it
 * reads. All writers and readers ask here, just before they open. On Windows, junctions count as symbolic links.
 */

/** A symbolic link, and where it leads. */
export interface FoundLink {
  readonly link: string;
  readonly target: string;
}

/** Opens a file for reading, but no symbolic link. Windows has no such flag, and goes without. */
export const READ_NO_FOLLOW = constants.O_RDONLY | constants.O_NOFOLLOW;
/** The same for reading and writing what is there. */
export const WRITE_NO_FOLLOW = constants.O_RDWR | constants.O_NOFOLLOW;
/** The same for adding to a file, which is made where there is none. */
export const APPEND_NO_FOLLOW = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** A line that is to be added to a file: one that a killed process left unfinished there stays a line of its own. */
export async function asOwnLine(handle: FileHandle, line: string): Promise<string> {
  const { size } = await handle.stat();
  const last = Buffer.from('\n');
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  return last.toString('latin1') === '\n' ? line : `\n${line}`;
}

/** All paths on the way from `root`, which is not one of them, to `file`, which is. */
export function stepsBelow(root: string, file: string): string[] {
  const below = path.relative(root, file);
  if (!isBelow(below)) throw new TypeError(`${file} is not in ${root}`);
  const names = below === '' ? [] : below.split(path.sep);
  return names.map((_, index) => path.join(root, ...names.slice(0, index + 1)));
}

/** Whether a file lies in a folder, as their names say. */
export function isWithin(root: string, file: string): boolean {
  return isBelow(path.relative(root, file));
}

function isBelow(relative: string): boolean {
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The first symbolic link on the way from `root` to `file`; undefined where there is none. */
export async function findLink(root: string, file: string): Promise<FoundLink | undefined> {
  for (const step of stepsBelow(root, file)) {
    const stats = await unlessGone(lstat(step));
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return { link: step, target: path.resolve(path.dirname(step), await readlink(step)) };
  }
  return undefined;
}

/** The link by which reading `file` would leave `root`; undefined where it does not, also where a link leads nowhere. */
export async function findWayOut(root: string, file: string): Promise<FoundLink | undefined> {
  const found = await findLink(root, file);
  if (found === undefined) return undefined;
  try {
    const real = (await unlessGone(realpath(file))) ?? (await realpath(found.link));
    return isWithin(await realpath(root), real) ? undefined : found;
  } catch (error) {
    if (isGone(error) || errorCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

/** For whoever is about to write `file`: throws `StoreError` when a link is on the way there, or in its place. */
export async function refuseLinks(root: string, file: string): Promise<void> {
  const found = await findLink(root, file);
  if (found !== undefined) throw linkError(found);
}

/** For whoever is about to read `file`: throws `StoreError` when that would leave `root`. */
export async function refuseWayOut(root: string, file: string): Promise<void> {
  const found = await findWayOut(root, file);
  if (found !== undefined) throw linkError(found);
}

/** The content of a file that lies in `root` in truth; undefined when there is none. */
export async function readWithin(root: string, file: string): Promise<Buffer | undefined> {
  await refuseWayOut(root, file);
  const real = await unlessGone(realpath(file));
  return real === undefined ? undefined : unlessGone(readFile(real, { flag: READ_NO_FOLLOW }));
}

/** The same as text. Throws `StoreError`. */
export async function textWithin(root: string, file: string): Promise<string | undefined> {
  return (await storing(file, () => readWithin(root, file)))?.toString('utf8');
}

/**
 * For a file of the user's own, which may be a link to another file of the same folder, such as `CLAUDE.md` to `AGENTS.md`:
 * the file that is to be written in truth. Throws `StoreError` when that lies elsewhere, or among what git keeps for itself.
 */
export async function resolveWithin(root: string, file: string): Promise<string> {
  const found = await findLink(root, file);
  if (found === undefined) return file;
  const [realRoot, real] = [await unlessGone(realpath(root)), await unlessGone(realpath(file))];
  if (realRoot === undefined || real === undefined || !isWithin(realRoot, real)) throw linkError(found);
  if (path.relative(realRoot, real).split(path.sep).includes('.git')) throw linkError(found);
  return real;
}

function linkError({ link, target }: FoundLink): StoreError {
  return new StoreError('link', { path: link, detail: `it leads to ${target}` });
}
