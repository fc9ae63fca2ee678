import { constants, type Dirent } from 'node:fs';
import { access, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../core/text/keepitError';
import { type Log, StoreError } from '../../core/model/host';
import { ensurePrivateFolder, FOLDER_MODE, removeEmpty, renameOver, syncFolder } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { isRunning } from '../files/isRunning';
import { refuseLinks } from '../files/links';
import { MANIFEST, type StoreLayout } from './storeLayout';

const PREFIX = '.import-';
/** What is to take effect, laid out as the store is. */
const STAGED = 'staged';
/** The same folder, renamed: it is part of the memory from then on, wherever its files lie. */
const DECIDED = 'decided';
/** The same again, when nothing of it is left to be moved. */
const PLACED = 'placed';

/**
 * Imports that are under way, each in a folder of its own that no reader looks at. One rename decides that all of it is memory. Its files are
 * then moved to their places by whoever comes first: the import itself, or another process that is about to read or to change something.
 * That needs no lock, for what was moved once cannot be moved again.
 */
export class ImportFolders {
  constructor(
    private readonly layout: StoreLayout,
    private readonly log: Log,
    /** Ends what somebody who was killed had begun in a project. */
    private readonly tend: (projectId: string) => Promise<void>,
  ) {}

  /** A new one, of this process. */
  async open(): Promise<string> {
    const folder = await mkdtemp(path.join(this.layout.dir, `${PREFIX}${process.pid}-`));
    try {
      await mkdir(path.join(folder, STAGED), FOLDER_MODE);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return folder;
  }

  /** Where in such a folder a file waits that is to lie at `target`. Throws where it could not be moved there: then nothing may be decided. */
  async stage(folder: string, target: string): Promise<string> {
    const { dir } = this.layout;
    const [staged, place] = [path.join(folder, STAGED, path.relative(dir, target)), path.dirname(target)];
    await refuseLinks(dir, target);
    await ensurePrivateFolder(path.dirname(staged), dir); // before the other: it says what was made for the import
    await ensurePrivateFolder(place, dir);
    await access(place, constants.W_OK);
    const isElsewhere = (await stat(place)).dev !== (await stat(folder)).dev;
    const isFolder = (await unlessGone(lstat(target)))?.isDirectory() === true;
    if (isElsewhere || isFolder) throw new StoreError('io', { path: target, detail: isFolder ? 'EISDIR' : 'EXDEV' });
    return staged;
  }

  /** All that is staged in a folder is memory from now on. */
  async decide(folder: string): Promise<void> {
    const staged = path.join(folder, STAGED);
    for (const entry of await below(staged)) if (entry.isDirectory()) await syncFolder(pathOf(entry));
    await renameOver(staged, path.join(folder, DECIDED));
    await syncFolder(folder);
    // It is done. What cannot be moved now is by the next who comes.
    await this.place()
      .catch(async () => this.place())
      .catch((error: unknown) => this.log.warn(`${folder} needs to be looked over: ${errorText(error)}`));
  }

  /** Ends what was decided: for whoever is about to read or to change something. Says whether an import is under way. */
  async place(): Promise<boolean> {
    const folders = await this.all();
    for (const folder of folders) await this.placeOne(folder);
    return folders.length > 0;
  }

  /** The projects that there are, with all that an import brings or nothing of it: it may come in amid the list. */
  async projectIds(): Promise<string[]> {
    for (let known = ''; ;) {
      const isImporting = await this.place();
      const ids = await this.layout.projectIds();
      if (!isImporting || ids.join() === known) return ids;
      known = ids.join();
    }
  }

  /** Removes a folder once all that was decided is in its place. One that cannot be removed is tried once more, and left to the next change. */
  async close(folder: string): Promise<void> {
    const clear = async (): Promise<void> => {
      await this.placeOne(folder);
      for (const made of await this.foldersOf(folder, STAGED)) await removeEmpty(made);
      await rm(folder, { recursive: true, force: true });
    };
    await clear().catch(async () => clear().catch(() => undefined));
  }

  /** Of imports that were killed nothing stays but what was decided. One that cannot be cleared away now is told by a check, and stops nobody. */
  async closeDead(): Promise<void> {
    try {
      for (const folder of await this.dead()) {
        await this.placeOne(folder);
        for (const made of [...(await this.foldersOf(folder, STAGED)), ...(await this.foldersOf(folder, PLACED))])
          if (path.dirname(made) === this.layout.projects) await this.tend(path.basename(made));
        await this.close(folder);
      }
    } catch (error) {
      this.log.warn(`An import that was killed cannot be cleared away: ${errorText(error)}`);
    }
  }

  /** What killed imports left behind: it holds everything that was said. */
  async dead(): Promise<string[]> {
    const pidOf = (folder: string): number => Number(path.basename(folder).slice(PREFIX.length).split('-', 1)[0]);
    return (await this.all()).filter((folder) => !isRunning(pidOf(folder)));
  }

  private async all(): Promise<string[]> {
    const names = (await unlessGone(readdir(this.layout.dir))) ?? [];
    return names.filter((name) => name.startsWith(PREFIX)).map((name) => path.join(this.layout.dir, name));
  }

  private async placeOne(folder: string): Promise<void> {
    const decided = path.join(folder, DECIDED);
    if ((await unlessGone(stat(decided))) === undefined) return;
    const files = (await below(decided)).filter((entry) => entry.isFile());
    // Manifests last: they name the others.
    const isManifest = ({ name }: Dirent): number => Number(name === MANIFEST);
    for (const entry of files.sort((a, b) => isManifest(a) - isManifest(b)))
      await move(pathOf(entry), this.#placeOf(decided, pathOf(entry)));
    for (const staged of new Set(files.map(({ parentPath }) => parentPath)))
      await syncFolder(this.#placeOf(decided, staged));
    await unlessGone(renameOver(decided, path.join(folder, PLACED)));
  }

  /** The folders of the store that are to take something of this, the innermost first. */
  private async foldersOf(folder: string, state: string): Promise<string[]> {
    const found = (await below(path.join(folder, state))).filter((entry) => entry.isDirectory());
    return found.map((entry) => this.#placeOf(path.join(folder, state), pathOf(entry))).reverse();
  }

  #placeOf(staged: string, file: string): string {
    return path.join(this.layout.dir, path.relative(staged, file));
  }
}

async function below(folder: string): Promise<Dirent[]> {
  return (await unlessGone(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
}

function pathOf({ parentPath, name }: Dirent): string {
  return path.join(parentPath, name);
}

async function move(source: string, target: string): Promise<void> {
  try {
    await renameOver(source, target);
  } catch (error) {
    if ((await unlessGone(lstat(source))) !== undefined) throw error; // else somebody else has moved it
  }
}
