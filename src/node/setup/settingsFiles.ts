import { access, constants, lstat, mkdir, open, readFile, realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SetupError } from '../../core/claude/setup/setupTypes';
import { discardKilled, fillTemporary } from '../files/atomicFile';
import { errorCode, unlessGone } from '../files/errorCode';
import { refuseLinks, refuseWayOut, resolveWithin } from '../files/links';
import { StagedFiles } from '../files/stagedFiles';

const WRITABLE = 0o222;
const MODE_BITS = 0o7777;
/** Of files that are made; the user's umask takes from it. */
const NEW_FILE_MODE = 0o666;

/** The text of a file that people own, byte for byte; undefined when there is none. Of a project's folder, no link leads out. */
export async function readSettings(file: string, project?: string): Promise<string | undefined> {
  return settling(file, async () => {
    if (project !== undefined) await refuseWayOut(project, file);
    const bytes = await unlessGone(readFile(file));
    if (bytes === undefined) {
      if ((await unlessGone(lstat(file))) !== undefined) throw new SetupError('dangling-link', file);
      return undefined;
    }
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (error) {
      throw new SetupError('not-utf8', file, '', { cause: error });
    }
  });
}

/** What a file of settings is to say; `project` is the one that it belongs to. */
interface SettingsText {
  readonly file: string;
  /** Undefined where the file is to go. */
  readonly text: string | undefined;
  readonly project: string | undefined;
}

/** Writes all of them, or none; `takeBack` runs what puts the files back. */
export async function writeSettings(
  texts: readonly SettingsText[],
  takeBack: (step: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const staged = new StagedFiles();
  try {
    for (const one of texts) await stageSettings(staged, one);
    await staged.place(settling);
  } catch (error) {
    await takeBack(() => staged.putBack());
    throw error;
  } finally {
    await staged.discard();
    await staged.forget();
  }
}

/**
 * Writes what is to take the place of a file, or that the file is to go; `staged` does it. A symbolic link stays one: what it leads to is written, of
 * `project` only when that lies in it too. The file keeps its mode, and one that nobody may write is left alone, even by those whom
 * modes do not stop.
 */
async function stageSettings(staged: StagedFiles, { file, text, project }: SettingsText): Promise<void> {
  await settling(file, async () => {
    const real = await realOf(file, project);
    const stats = await unlessGone(stat(real));
    if (stats !== undefined) {
      if ((stats.mode & WRITABLE) === 0) throw new SetupError('not-permitted', file);
      await access(real, constants.W_OK);
    }
    if (text === undefined) {
      staged.add(file, undefined);
      return;
    }
    const written = await fillTemporary(real, async (temporary) => {
      const handle = await open(temporary, 'wx', NEW_FILE_MODE);
      try {
        if (stats !== undefined) await handle.chmod(stats.mode & MODE_BITS);
        await handle.writeFile(text, 'utf8');
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    staged.add(real, written);
  });
}

/** Removes what a set-up that was killed has left beside a file. */
export async function sweepSettings(file: string, project: string | undefined): Promise<void> {
  await settling(file, async () => discardKilled(await realOf(file, project)));
}

async function realOf(file: string, project: string | undefined): Promise<string> {
  return project === undefined ? ((await unlessGone(realpath(file))) ?? file) : resolveWithin(project, file);
}

/** The folders that are missing above a file, outermost first. */
export async function missingFolders(file: string): Promise<string[]> {
  const missing: string[] = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if ((await settling(folder, () => unlessGone(stat(folder)))) !== undefined || folder === path.dirname(folder))
      return missing;
    missing.unshift(folder);
  }
}

export async function makeFolder(folder: string, project?: string): Promise<void> {
  await settling(folder, async () => {
    if (project !== undefined) await refuseLinks(project, folder);
    await mkdir(folder, { recursive: true });
  });
}

/** Says whether it was empty, and so went. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === 'ENOENT'; // anything else: it is in use, and stays
  }
}

/** Says of the user's file why something did not work. */
async function settling<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const isRefused = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
    throw new SetupError(isRefused ? 'not-permitted' : 'io', file, code, { cause: error });
  }
}
