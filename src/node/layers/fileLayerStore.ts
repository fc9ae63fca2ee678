import { access, constants, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../core/errors';
import type { LayerFiles, LayerPlace, LayerStore, PlaceReport } from '../../core/layers/layerStore';
import { isSafeSegment } from '../../core/model/ids';
import type { Clock } from '../../core/ports';
import { keepAside, writeFileAtomic } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { DEFAULT_LOCK_TIMING, sweepClaims, takeLock, type LockTiming } from '../files/fileLock';
import { ensurePrivateFolder } from '../files/privateFolder';
import { storing } from '../files/storeFailure';
import { TaskQueue } from '../files/taskQueue';
import { asideName, StoreLayout } from '../store/storeLayout';
import { addExclude, findGitExclude, isExcluded, removeExclude } from './gitExclude';

const LOCK = '.lock';

export interface FileLayerStoreOptions {
  /** The store's folder, for layers that are kept there. */
  readonly memoryDir: string;
  readonly clock: Clock;
  readonly lockTiming?: LockTiming;
}

/** The layers and notebooks of projects on disk, where {@link LayerPlace} says. */
export class FileLayerStore implements LayerStore {
  readonly #layout: StoreLayout;
  readonly #clock: Clock;
  readonly #timing: LockTiming;
  readonly #queue = new TaskQueue();

  constructor({ memoryDir, clock, lockTiming = DEFAULT_LOCK_TIMING }: FileLayerStoreOptions) {
    this.#layout = new StoreLayout(memoryDir);
    this.#clock = clock;
    this.#timing = lockTiming;
  }

  async examine(place: LayerPlace): Promise<PlaceReport> {
    const dir = this.#dir(place);
    if (place.location === 'home') return { dir, isExcluded: false };
    if (place.projectPath === '' || !(await isFolder(place.projectPath))) {
      return { dir, problem: 'no-folder', isExcluded: false };
    }
    if (!(await isWritable(dir))) return { dir, problem: 'not-writable', isExcluded: false };
    const exclude = await findGitExclude(dir);
    if (exclude === undefined) return { dir, isExcluded: false };
    return { dir, excludeFile: exclude.file, excludeLine: exclude.line, isExcluded: await isExcluded(exclude) };
  }

  async prepare(place: LayerPlace, { shared }: { shared: boolean }): Promise<PlaceReport> {
    const dir = this.#dir(place);
    await storing(dir, async () => {
      await ensurePrivateFolder(dir);
      const exclude = place.location === 'home' ? undefined : await findGitExclude(dir);
      if (exclude !== undefined) await (shared ? removeExclude(exclude) : addExclude(exclude));
    });
    return this.examine(place);
  }

  async release(place: LayerPlace): Promise<void> {
    const dir = this.#dir(place);
    await storing(dir, async () => {
      const exclude = place.location === 'home' ? undefined : await findGitExclude(dir);
      if (exclude !== undefined) await removeExclude(exclude);
      if ((await unlessGone(readdir(dir)))?.length === 0) await rmdir(dir);
    });
  }

  files(place: LayerPlace): LayerFiles {
    return new DiskLayerFiles(this.#dir(place), this.#clock);
  }

  async change<T>(place: LayerPlace, work: (files: LayerFiles) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const dir = this.#dir(place);
    return this.#queue.run(dir, async () => {
      const file = path.join(dir, LOCK);
      const lock = await storing(dir, async () => {
        await ensurePrivateFolder(dir);
        return takeLock(file, this.#timing, signal);
      });
      try {
        if (lock.wasTakenOver) await sweepClaims(file);
        return await work(new DiskLayerFiles(dir, this.#clock, () => lock.assertHeld()));
      } finally {
        await lock.release();
      }
    });
  }

  #dir({ projectId, projectPath, location, room }: LayerPlace): string {
    if (location === 'home') return path.join(this.#layout.project(projectId).dir, room ?? 'layers');
    return room === 'notebook' ? path.join(projectPath, '_memory') : path.join(projectPath, '.claude', 'memory');
  }
}

class DiskLayerFiles implements LayerFiles {
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #assertHeld: (() => Promise<void>) | undefined;
  /** Folders that were there when they were last written to. */
  readonly #made = new Set<string>();

  constructor(dir: string, clock: Clock, assertHeld?: () => Promise<void>) {
    this.#dir = dir;
    this.#clock = clock;
    this.#assertHeld = assertHeld;
  }

  async read(name: string): Promise<string | undefined> {
    const file = this.#path(name);
    return storing(file, () => unlessGone(readFile(file, 'utf8')));
  }

  async write(name: string, text: string): Promise<void> {
    const file = this.#path(name);
    const folder = path.dirname(file);
    await storing(file, async () => {
      if (!this.#made.has(folder)) await ensurePrivateFolder(folder);
      this.#made.add(folder);
      await writeFileAtomic(file, text, { beforeRename: this.#assertHeld });
    });
  }

  async names(folder: string): Promise<string[]> {
    const dir = folder === '' ? this.#dir : this.#path(folder);
    return storing(dir, async () => ((await unlessGone(readdir(dir))) ?? []).filter(isSafeSegment));
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    const file = this.#path(name);
    const stats = await storing(file, () => unlessGone(stat(file)));
    return stats?.isFile() === true ? { bytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }

  async setAside(name: string): Promise<string> {
    const file = this.#path(name);
    return path.basename(await storing(file, () => keepAside(file, asideName(file, 'corrupt', this.#clock.now()))));
  }

  async move(from: string, to: string): Promise<void> {
    const target = this.#path(to);
    await storing(target, async () => {
      await mkdir(path.dirname(target), { recursive: true });
      await rename(this.#path(from), target);
    });
  }

  async remove(name: string): Promise<void> {
    const file = this.#path(name);
    await storing(file, () => rm(file, { force: true }));
  }

  #path(name: string): string {
    const segments = name.split('/');
    if (!segments.every(isSafeSegment)) throw new StoreError('unsafe-name', { path: name });
    return path.join(this.#dir, ...segments);
  }
}

async function isFolder(folder: string): Promise<boolean> {
  return (await unlessGone(stat(folder)))?.isDirectory() === true;
}

/** Whether a folder, or where it would be made, can be written to. */
async function isWritable(dir: string): Promise<boolean> {
  for (let folder = dir; ; folder = path.dirname(folder)) {
    const stats = await unlessGone(stat(folder));
    if (stats !== undefined) return stats.isDirectory() && isOpen(folder);
    if (path.dirname(folder) === folder) return false;
  }
}

async function isOpen(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false, // read-only, or somebody else's
  );
}
