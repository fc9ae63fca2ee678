import { access, chmod, constants, lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { inspectLock, withLock } from '../files/fileLock';
import { FOLDER_MODE, FILE_MODE, findTemporaries } from '../files/atomicFile';
import { errorText } from '../../core/text/keepitError';
import { findLink } from '../files/links';
import { unlessGone } from '../files/errorCode';
import type { StoreFinding } from '../../core/model/host';
/** What is not as it should be. */
export type Found = Pick<StoreFinding, 'kind' | 'path' | 'problem' | 'hint'> & {
  /** Mends it, and says false where that did not help; undefined when only a person can. */
  readonly repair?: (() => Promise<unknown>) | undefined;
};

const OTHERS = 0o077;

/** Everything in these folders, which may be missing, or links themselves. */
export async function childrenOf(folders: readonly string[]): Promise<string[]> {
  const children: string[] = [];
  for (const folder of folders) {
    if ((await unlessGone(lstat(folder)))?.isDirectory() !== true) continue;
    for (const name of await readdir(folder)) children.push(path.join(folder, name));
  }
  return children;
}

export async function linksIn(root: string, files: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const file of files) {
    const { link, target } = (await findLink(root, file)) ?? {};
    if (link === undefined) continue;
    const problem = `It is a symbolic link to ${target}, and nothing is written or read through it.`;
    found.push({ kind: 'link', path: link, problem });
  }
  return found;
}

export async function* notWritable(folder: string): AsyncIterable<Found> {
  for (const [mode, verb] of [
    [constants.R_OK | constants.X_OK, 'read'],
    [constants.W_OK, 'written'],
  ] as const) {
    const failure = await access(folder, mode).catch(errorText);
    if (failure === undefined) continue;
    yield { kind: 'not-writable', path: folder, problem: `It cannot be ${verb}: ${failure}.` };
  }
}

export async function isReadable(folder: string): Promise<boolean> {
  return (await access(folder, constants.R_OK | constants.X_OK).catch(errorText)) === undefined;
}

export async function* openModes(files: readonly string[]): AsyncIterable<Found> {
  if (process.platform === 'win32') return; // access lists, which modes do not show
  for (const file of files) {
    const stats = await unlessGone(lstat(file));
    if (stats === undefined || stats.isSymbolicLink() || (stats.mode & OTHERS) === 0) continue;
    const repair = () => chmod(file, stats.isDirectory() ? FOLDER_MODE : FILE_MODE);
    yield { kind: 'open-mode', path: file, problem: 'Other users of this computer may read it.', repair };
  }
}

export async function* staleLock(file: string): AsyncIterable<Found> {
  const found = await inspectLock(file);
  if (found?.state !== 'dead' || found.holder === undefined) return;
  const { pid, since } = found.holder;
  const problem = `Process ${pid} died with it, after ${since}. The next change takes it over.`;
  yield { kind: 'stale-lock', path: file, problem, repair: () => withLock(file, async () => undefined) };
}

export async function* leftovers(files: readonly string[]): AsyncIterable<Found> {
  for (const file of files) {
    const repair = () => rm(file, { recursive: true, force: true });
    yield { kind: 'leftover', path: file, problem: 'A killed process left it.', repair };
  }
}

export async function* setAside(folder: string): AsyncIterable<Found> {
  for (const name of (await unlessGone(readdir(folder))) ?? []) {
    if (!name.includes('.corrupt-')) continue;
    yield {
      kind: 'set-aside',
      path: path.join(folder, name),
      problem: 'It was damaged and has been kept for you to look at; delete it when you no longer need it.',
    };
  }
}

/** Older temporary files belong to nobody any more. */
const LEFTOVER_AGE_MS = 60_000;

export async function* staleTemporaries(folder: string): AsyncIterable<Found> {
  yield* leftovers(await findTemporaries(folder, LEFTOVER_AGE_MS));
}
