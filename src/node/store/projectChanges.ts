import { AsyncLocalStorage } from 'node:async_hooks';
import { refuseLinks } from '../files/links';
import { ensurePrivateFolder, sweepTemporaries } from '../files/atomicFile';
import { storing } from '../files/errorCode';
import { errorText } from '../../core/text/keepitError';
import { ManifestTransaction, type FileChange } from './manifestTransaction';
import { VersionFiles } from './versionFiles';
import { Trash } from './trash';
import { ImportFolders } from './importFolders';
import { Manifests, namedManifest, type LoadedManifest, type ManifestPlacing } from './manifests';
import type { ProjectManifest, NewProject } from '../../core/model/manifest';
import { type LockTiming, TaskQueue, type HeldLock, takeLock, sweepClaims } from '../files/fileLock';
import { type Clock, type Log, type StoreErrorReason, StoreError } from '../../core/model/host';
import { ConfigFile } from './configFile';
import { StoreLayout, ProjectLayout } from './storeLayout';
interface ProjectChangesParts {
  readonly layout: StoreLayout;
  readonly config: ConfigFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: LockTiming;
}

export type ManifestChange = (manifest: ProjectManifest) => ProjectManifest | Promise<ProjectManifest>;

/** Younger temporary files may belong to a process that is about to take a lock. */
const LEFTOVER_AGE_MS = 60_000;

/** Failures of a repair that a reader need not wait for: what was rebuilt is as good in memory. */
const CANNOT_REPAIR: ReadonlySet<StoreErrorReason> = new Set(['read-only', 'not-permitted', 'disk-full']);

/** Who changes a project is alone, and changes its manifest together with its files, or neither. */
export class ProjectChanges {
  readonly manifests: Manifests;
  readonly trash: Trash;
  readonly imports: ImportFolders;
  readonly versions = new VersionFiles();
  readonly #queue = new TaskQueue();
  readonly #open = new AsyncLocalStorage<ManifestTransaction>();
  readonly #tended = new Set<string>(); // projects in which this instance has looked for what a crash left

  constructor(private readonly parts: ProjectChangesParts) {
    const { clock, log, layout } = parts;
    const tend = async (projectId: string) => this.#alone(layout.project(projectId), async () => undefined);
    this.imports = new ImportFolders(layout, log, tend);
    this.manifests = new Manifests(clock, log);
    this.trash = new Trash(clock);
  }

  async readManifest(projectId: string): Promise<ProjectManifest | undefined> {
    const layout = this.parts.layout.project(projectId);
    await storing(layout.root, () => this.imports.place());
    const reading = await this.manifests.read(layout);
    if (reading?.state !== 'damaged') return reading?.manifest;
    try {
      return (await this.locked(layout, (lock) => this.manifests.load(layout, lock)))?.manifest;
    } catch (error) {
      if (!(error instanceof StoreError) || !CANNOT_REPAIR.has(error.reason)) throw error;
      this.parts.log.warn(
        `${layout.manifest} is damaged (${reading.problem}), and cannot be repaired: ${error.message}`,
      );
      return this.manifests.rebuild(layout, reading.manifest);
    }
  }

  /** Changes a manifest and the files that go with it, or neither. Without `create` there has to be one. */
  async update(projectId: string, create: NewProject | undefined, change: ManifestChange, placing?: ManifestPlacing) {
    const layout = this.parts.layout.project(projectId);
    return this.locked(layout, async (lock) => {
      const loaded = await this.manifests.load(layout, lock);
      const before =
        create === undefined ? loaded?.manifest : namedManifest(loaded?.manifest, create, this.parts.clock.now());
      if (before === undefined) throw new StoreError('not-found', { path: projectId });
      const open = new ManifestTransaction(layout.projectId, layout.root, before);
      let written: ProjectManifest;
      try {
        const changed = await this.#open.run(open, async () => change(before));
        if (changed === before) return await open.clear().then(() => before);
        if (loaded === undefined) open.onSuccess(() => this.parts.config.ensure());
        const place: ManifestPlacing = async (write) => write(layout.manifest, () => open.place());
        written = await this.manifests.write(layout, { ...loaded, manifest: changed }, lock, placing ?? place);
      } catch (error) {
        this.#report(layout, await open.fail());
        throw error;
      }
      this.#report(layout, await open.succeed());
      return written;
    });
  }

  /** Changes files of a project together with its manifest: all of them, or none. `placing` has them wait for other projects. */
  async changeFiles(
    projectId: string,
    work: FileChange,
    create?: NewProject,
    placing?: ManifestPlacing,
  ): Promise<void> {
    const layout = this.parts.layout.project(projectId);
    const change: ManifestChange = (manifest) => work(layout, manifest, this.current(projectId).change);
    await this.update(projectId, create, change, placing);
  }

  /** For a check: a damaged manifest is set aside and made anew, and so is one that is missing although its sessions are there. */
  async renew(layout: ProjectLayout): Promise<void> {
    await this.locked(layout, async (lock) => {
      if ((await this.manifests.load(layout, lock)) !== undefined) return;
      const { projectId } = layout;
      const named = { projectId, originalPath: '', displayName: projectId };
      const empty = namedManifest(undefined, named, this.parts.clock.now());
      await this.manifests.write(layout, { manifest: await this.manifests.rebuild(layout, empty) }, lock);
    });
  }

  /** Writes a manifest that still has secrets without them. */
  async clean(layout: ProjectLayout): Promise<void> {
    await this.locked(layout, async (lock) => {
      const loaded = await this.manifests.load(layout, lock);
      if (loaded?.isUnclean === true) await this.manifests.write(layout, loaded, lock);
    });
  }

  /** Moves away files of versions that the manifest does not name, and brings `versions.json` in line. */
  async mendVersions(layout: ProjectLayout): Promise<void> {
    await this.locked(layout, async (lock) => this.#repairVersions(layout, await this.manifests.load(layout, lock)));
  }

  /** What could not be cleared up now is when the project is written to again, or by a repair. */
  #report(layout: ProjectLayout, failures: readonly unknown[]): void {
    if (failures.length > 0) this.#tended.delete(layout.projectId);
    for (const error of failures) this.parts.log.warn(`${layout.dir} needs to be looked over: ${errorText(error)}`);
  }

  /** Work on files of a project: part of the change that is under way, else with the lock for itself. */
  async whileOpen<T>(
    projectId: string,
    work: (layout: ProjectLayout, open: ManifestTransaction) => Promise<T>,
  ): Promise<T> {
    const layout = this.parts.layout.project(projectId);
    const open = this.#open.getStore();
    if (open?.projectId === projectId) return work(layout, open);
    return this.locked(layout, () => work(layout, new ManifestTransaction(projectId, layout.root)));
  }

  /** The change of the manifest that is under way. */
  current(projectId: string): { layout: ProjectLayout; change: ManifestTransaction } {
    const change = this.#open.getStore();
    if (change?.projectId !== projectId) throw new TypeError('These files change with their manifest only');
    return { layout: this.parts.layout.project(projectId), change };
  }

  async locked<T>(layout: ProjectLayout, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    if (this.#open.getStore()?.projectId === layout.projectId) {
      throw new TypeError('A change of a manifest must not wait for another change of the same manifest');
    }
    if (this.#open.getStore() === undefined) await this.imports.closeDead();
    return this.#alone(layout, work);
  }

  async #alone<T>(layout: ProjectLayout, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#queue.run(layout.projectId, async () => {
      const lock = await storing(layout.dir, async () => {
        await ensurePrivateFolder(layout.dir, layout.root);
        for (const folder of layout.folders) await refuseLinks(layout.root, folder);
        return takeLock(layout.lock, this.parts.timing);
      });
      try {
        await storing(layout.root, () => this.imports.place());
        if (lock.wasTakenOver || !this.#tended.has(layout.projectId)) await this.#tend(layout, lock);
        return await work(lock);
      } catch (error) {
        this.#tended.delete(layout.projectId); // what could not be taken back is, by the next change
        throw error;
      } finally {
        await lock.release();
      }
    });
  }

  /** Clears up after processes that were killed, and what has been in the trash for long: half-moved sessions, temporary files, claims on locks. */
  async #tend(layout: ProjectLayout, lock: HeldLock): Promise<void> {
    const loaded = await this.manifests.load(layout, lock);
    await storing(layout.dir, async () => {
      if (loaded !== undefined) await this.trash.finish(layout, loaded.manifest);
      await this.trash.expireAfter(layout, await this.parts.config.trashDays());
      if (lock.wasTakenOver) await this.#repairVersions(layout, loaded);
      for (const folder of await layout.foldersOfFiles()) await sweepTemporaries(folder, LEFTOVER_AGE_MS);
      await sweepClaims(layout.lock);
    });
    this.#tended.add(layout.projectId);
  }

  async #repairVersions(layout: ProjectLayout, loaded: LoadedManifest | undefined): Promise<void> {
    if (loaded === undefined) return;
    await this.versions.repair(layout, loaded.manifest, (orphans) => this.trash.leaveBehind(layout, orphans));
  }
}
