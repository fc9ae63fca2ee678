import { access, constants, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LayerFiles, LayerPlace, LayerStore, PlaceReport, PlainFiles } from '../../core/knowledge/layerStore';
import { isSafeSegment } from '../../core/model/fields';
import { type Clock, StoreError } from '../../core/model/host';
import { discardKilled, keepAside, sweepKilled, writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { DEFAULT_LOCK_TIMING, withLock, type HeldLock, type LockTiming, TaskQueue } from '../files/fileLock';
import { refuseLinks, refuseWayOut, textWithin } from '../files/links';
import { asideName, StoreLayout } from '../store/storeLayout';
import { sightOf, type GitSight, blobIdsOf, type BlobIds } from './gitContent';
import { addExclude, findGitExclude, isExcluded, removeExclude } from './gitExclude';
import { OwnFiles, isCopied } from './ownFiles';
import { Provenance } from './provenance';

const LOCK = '.lock';

interface FileLayerStoreOptions {
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
    const { dir } = this.#spot(place);
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
    const { dir, root } = this.#spot(place);
    await storing(dir, async () => {
      // Whoever enables a project is to hear at once, and not at the first note, that nothing can be written there.
      await refuseLinks(root, this.#spot({ ...place, room: 'notebook' }).dir);
      await ensurePrivateFolder(dir, root);
      const exclude = place.location === 'home' ? undefined : await findGitExclude(dir);
      if (exclude !== undefined) await (shared ? removeExclude(exclude) : addExclude(exclude));
    });
    return this.examine(place);
  }

  async release(place: LayerPlace): Promise<void> {
    const { dir, root } = this.#spot(place);
    await storing(dir, async () => {
      await refuseLinks(root, dir);
      const exclude = place.location === 'home' ? undefined : await findGitExclude(dir);
      if (exclude !== undefined) await removeExclude(exclude);
      if ((await unlessGone(readdir(dir)))?.length === 0) await rmdir(dir);
    });
  }

  async found(place: LayerPlace): Promise<LayerFiles> {
    const layout = this.#layout.project(place.projectId);
    const provenance = (await Provenance.open(layout)) ?? Provenance.empty(layout);
    return this.#files(place, { provenance: async () => provenance });
  }

  async begin({ projectId }: LayerPlace): Promise<void> {
    const layout = this.#layout.project(projectId);
    if ((await Provenance.open(layout)) === undefined) await Provenance.begin(layout, []);
  }

  files(place: LayerPlace): LayerFiles {
    return this.#files(place);
  }

  async change<T>(place: LayerPlace, work: (files: LayerFiles) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const spot = this.#spot(place);
    const { dir, root } = spot;
    return this.#queue.run(dir, async () => {
      const file = path.join(dir, LOCK);
      await storing(dir, () => ensurePrivateFolder(dir, root));
      const locked = async (lock: HeldLock): Promise<T> => {
        await discardKilled(file);
        if (lock.wasTakenOver)
          for (const folder of [dir, this.#layout.project(place.projectId).written]) await sweepKilled(folder);
        if (place.location === 'project') await (await this.#provenanceOf(place)).shorten();
        return work(this.#files(place, { assertHeld: () => lock.assertHeld() }));
      };
      return withLock(file, locked, this.#timing, signal);
    });
  }

  #files(
    place: LayerPlace,
    {
      provenance = () => this.#provenanceOf(place),
      assertHeld,
    }: { provenance?: () => Promise<Provenance>; assertHeld?: () => Promise<void> } = {},
  ): LayerFiles {
    const spot = this.#spot(place);
    const plain = new DiskLayerFiles(spot, this.#clock, { assertHeld });
    if (place.location === 'home') return plain;
    const room = place.room ?? 'layers';
    const { written, root } = this.#layout.project(place.projectId);
    const copies = { dir: path.join(written, room), root };
    return new OwnFiles({
      plain,
      copies: new DiskLayerFiles(copies, this.#clock, { isDurable: false }),
      room,
      provenance,
      sightOf: (name, text, isKnown) => this.#sightOf(path.join(spot.dir, ...name.split('/')), text, isKnown),
      isAlone: assertHeld !== undefined,
      place: spot.dir,
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
    const layout = this.#layout.project(place.projectId);
    const known = await Provenance.open(layout);
    if (known !== undefined) return known;
    try {
      await Provenance.begin(layout, await this.#adopted(place, layout.written));
      return (await Provenance.open(layout)) ?? Provenance.empty(layout);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // A store that cannot be written to keeps nobody from reading.
      return Provenance.of(layout, await this.#adopted(place, undefined));
    }
  }

  /** All files of both rooms; copied to `written` where that is given. */
  async #adopted(place: LayerPlace, written: string | undefined): Promise<{ name: string; ids: BlobIds }[]> {
    const own: { name: string; ids: BlobIds }[] = [];
    const { root } = this.#layout.project(place.projectId);
    for (const room of [undefined, 'notebook'] as const) {
      const spot = { dir: path.join(written ?? '', room ?? 'layers'), root };
      const copies = written === undefined ? undefined : new DiskLayerFiles(spot, this.#clock, {});
      const adopted = await adoptFiles(new DiskLayerFiles(this.#spot({ ...place, room }), this.#clock, {}), copies);
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

  #spot({ projectId, projectPath, location, room }: LayerPlace): Spot {
    if (location === 'home') {
      const { dir, root } = this.#layout.project(projectId);
      return { dir: path.join(dir, room ?? 'layers'), root };
    }
    const names = room === 'notebook' ? ['_memory'] : ['.claude', 'memory'];
    return { dir: path.join(projectPath, ...names), root: projectPath };
  }
}

/** A folder of layers, and the one that may itself be a symbolic link, unlike everything on the way from there. */
interface Spot {
  readonly dir: string;
  readonly root: string;
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
  readonly #root: string;
  readonly #assertHeld: (() => Promise<void>) | undefined;
  readonly #isDurable: boolean;
  /** Folders that were there when they were last written to. */
  readonly #made = new Set<string>();

  constructor(
    { dir, root }: Spot,
    private readonly clock: Clock,
    { assertHeld, isDurable = true }: DiskLayerFilesOptions,
  ) {
    this.#dir = dir;
    this.#root = root;
    this.#assertHeld = assertHeld;
    this.#isDurable = isDurable;
  }

  async read(name: string): Promise<string | undefined> {
    return textWithin(this.#root, this.#path(name));
  }

  async write(name: string, text: string): Promise<void> {
    const file = this.#path(name);
    const folder = path.dirname(file);
    await storing(file, async () => {
      if (this.#made.has(folder)) await refuseLinks(this.#root, folder);
      else await ensurePrivateFolder(folder, this.#root);
      this.#made.add(folder);
      await writeFileAtomic(file, text, { isDurable: this.#isDurable, beforeRename: this.#assertHeld });
    });
  }

  async names(folder: string): Promise<string[]> {
    const dir = folder === '' ? this.#dir : this.#path(folder);
    return storing(dir, async () => {
      await refuseWayOut(this.#root, dir);
      return ((await unlessGone(readdir(dir))) ?? []).filter(isSafeSegment);
    });
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    const file = this.#path(name);
    const stats = await storing(file, async () => {
      await refuseWayOut(this.#root, file);
      return unlessGone(stat(file));
    });
    return stats?.isFile() === true ? { bytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }

  async setAside(name: string): Promise<string> {
    const file = this.#path(name);
    return storing(file, async () => {
      await refuseLinks(this.#root, file);
      return path.basename(await keepAside(file, asideName(file, 'corrupt', this.clock.now())));
    });
  }

  async move(from: string, to: string): Promise<void> {
    const target = this.#path(to);
    await storing(target, async () => {
      const source = this.#path(from);
      await refuseLinks(this.#root, source);
      await ensurePrivateFolder(path.dirname(target), this.#root);
      await rename(source, target);
    });
  }

  async remove(name: string): Promise<void> {
    const file = this.#path(name);
    await storing(file, async () => {
      await refuseLinks(this.#root, path.dirname(file));
      await rm(file, { force: true });
    });
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

const MOST_DEPTH = 4;

/** All files of a folder as this memory's own, with copies of those that are copied, where they are wanted. Writes into `copies` alone. */
export async function adoptFiles(
  plain: PlainFiles,
  copies: PlainFiles | undefined,
  folder = '',
): Promise<{ name: string; ids: BlobIds }[]> {
  const own: { name: string; ids: BlobIds }[] = [];
  for (const base of await plain.names(folder)) {
    const name = folder === '' ? base : `${folder}/${base}`;
    if (base.startsWith('.')) continue;
    if ((await plain.stat(name)) === undefined) {
      if (name.split('/').length < MOST_DEPTH) own.push(...(await adoptFiles(plain, copies, name)));
      continue;
    }
    const text = await plain.read(name);
    if (text === undefined) continue;
    if (isCopied(name)) await copies?.write(name, text);
    own.push({ name, ids: blobIdsOf(text) });
  }
  return own;
}
