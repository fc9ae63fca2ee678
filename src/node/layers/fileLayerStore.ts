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
import { adoptFiles } from './adoptFiles';
import { blobIdsOf, type BlobIds } from './blobIds';
import { sightOf, type GitSight } from './gitContent';
import { addExclude, findGitExclude, isExcluded, removeExclude } from './gitExclude';
import { OwnFiles } from './ownFiles';
import { Provenance } from './provenance';

const LOCK = '.lock';

export interface FileLayerStoreOptions {
  /** The store's folder, for layers that are kept there. */
  readonly memoryDir: string;
  readonly clock: Clock;
  readonly lockTiming?: LockTiming;
  /** For git. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The layers and notebooks of projects on disk, where {@link LayerPlace} says. */
export class FileLayerStore implements LayerStore {
  readonly #layout: StoreLayout;
  readonly #clock: Clock;
  readonly #timing: LockTiming;
  readonly #queue = new TaskQueue();
  readonly #env: NodeJS.ProcessEnv;
  /** By project. */
  readonly #provenance = new Map<string, Promise<Provenance>>();
  readonly #ownStamps = new Set<string>();
  /** What git was asked, by file and content. */
  readonly #sights = new Map<string, Promise<GitSight>>();

  constructor({ memoryDir, clock, lockTiming = DEFAULT_LOCK_TIMING, env = process.env }: FileLayerStoreOptions) {
    this.#layout = new StoreLayout(memoryDir);
    this.#env = env;
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

  async found(place: LayerPlace): Promise<LayerFiles> {
    const log = this.#layout.project(place.projectId).provenance;
    const provenance = (await Provenance.open(log)) ?? Provenance.empty(log);
    return this.#files(place, { provenance: async () => provenance });
  }

  async begin({ projectId }: LayerPlace): Promise<void> {
    const { provenance } = this.#layout.project(projectId);
    if ((await Provenance.open(provenance)) === undefined) await Provenance.begin(provenance, []);
  }

  files(place: LayerPlace): LayerFiles {
    return this.#files(place);
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
        if (lock.wasTakenOver) await storing(dir, () => sweepClaims(file));
        if (place.location === 'project') await (await this.#provenanceOf(place)).shorten();
        return await work(this.#files(place, { assertHeld: () => lock.assertHeld() }));
      } finally {
        await storing(file, () => lock.release());
      }
    });
  }

  #files(
    place: LayerPlace,
    {
      provenance = () => this.#provenanceOf(place),
      assertHeld,
    }: { provenance?: () => Promise<Provenance>; assertHeld?: () => Promise<void> } = {},
  ): LayerFiles {
    const dir = this.#dir(place);
    const plain = new DiskLayerFiles(dir, this.#clock, { assertHeld });
    if (place.location === 'home') return plain;
    const room = place.room ?? 'layers';
    const copies = path.join(this.#layout.project(place.projectId).written, room);
    return new OwnFiles({
      plain,
      copies: new DiskLayerFiles(copies, this.#clock, { isDurable: false }),
      room,
      provenance,
      sightOf: (name, text, isKnown) => this.#sightOf(path.join(dir, ...name.split('/')), text, isKnown),
      isAlone: assertHeld !== undefined,
      place: dir,
      ownStamps: this.#ownStamps,
    });
  }

  async #provenanceOf(place: LayerPlace): Promise<Provenance> {
    const { projectId } = place;
    const opening = this.#provenance.get(projectId) ?? this.#openProvenance(place);
    this.#provenance.set(projectId, opening);
    const provenance = await opening.catch((error: unknown) => {
      this.#provenance.delete(projectId);
      throw error;
    });
    return (await provenance.refresh()) ? provenance : this.#openProvenance(place);
  }

  /** An enabled project without a log was enabled before there were any: all that is there counts as this memory's own, once. */
  async #openProvenance(place: LayerPlace): Promise<Provenance> {
    const { provenance: log, written } = this.#layout.project(place.projectId);
    const known = await Provenance.open(log);
    if (known !== undefined) return known;
    try {
      await Provenance.begin(log, await this.#adopted(place, written));
      return (await Provenance.open(log)) ?? Provenance.empty(log);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // A store that cannot be written to keeps nobody from reading.
      return Provenance.of(log, await this.#adopted(place, undefined));
    }
  }

  /** All files of both rooms; copied to `written` where that is given. */
  async #adopted(place: LayerPlace, written: string | undefined): Promise<{ name: string; ids: BlobIds }[]> {
    const own: { name: string; ids: BlobIds }[] = [];
    for (const room of [undefined, 'notebook'] as const) {
      const dir = this.#dir({ ...place, room });
      const folder = path.join(written ?? '', room ?? 'layers');
      const copies = written === undefined ? undefined : new DiskLayerFiles(folder, this.#clock, {});
      const adopted = await adoptFiles(new DiskLayerFiles(dir, this.#clock, {}), copies);
      own.push(...adopted.map(({ name, ids }) => ({ name: `${room ?? 'layers'}/${name}`, ids })));
    }
    return own;
  }

  async #sightOf(file: string, text: string, isKnown: (blob: string) => boolean): Promise<GitSight> {
    const ids = blobIdsOf(text);
    const key = `${ids.sha256} ${file}`;
    const asked = this.#sights.get(key) ?? sightOf(file, ids, { isKnown, env: this.#env });
    this.#sights.set(key, asked);
    return asked;
  }

  #dir({ projectId, projectPath, location, room }: LayerPlace): string {
    if (location === 'home') return path.join(this.#layout.project(projectId).dir, room ?? 'layers');
    return room === 'notebook' ? path.join(projectPath, '_memory') : path.join(projectPath, '.claude', 'memory');
  }
}

interface DiskLayerFilesOptions {
  /** Called before a file takes the place of another. */
  readonly assertHeld?: (() => Promise<void>) | undefined;
  /** False for what can be done without after a loss of power. */
  readonly isDurable?: boolean;
}

/** The files of a folder, whoever wrote them. In the store that is this memory: nothing there is foreign. */
class DiskLayerFiles implements LayerFiles {
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #assertHeld: (() => Promise<void>) | undefined;
  readonly #isDurable: boolean;
  /** Folders that were there when they were last written to. */
  readonly #made = new Set<string>();

  constructor(dir: string, clock: Clock, { assertHeld, isDurable = true }: DiskLayerFilesOptions) {
    this.#dir = dir;
    this.#clock = clock;
    this.#assertHeld = assertHeld;
    this.#isDurable = isDurable;
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
      await writeFileAtomic(file, text, { isDurable: this.#isDurable, beforeRename: this.#assertHeld });
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

  async foreign(): Promise<string[]> {
    return [];
  }

  async readForeign(): Promise<undefined> {
    return undefined;
  }

  async accept(): Promise<boolean> {
    return false;
  }

  async disown(): Promise<void> {
    // Nothing was accepted.
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
