import { AsyncLocalStorage } from 'node:async_hooks';
import { rm } from 'node:fs/promises';
import { errorText } from '../../core/text/keepitError';
import type { CompressionRecord, SessionVersions } from '../../core/model/compression';
import type { Config } from '../../core/model/config';
import type { NewProject, ProjectManifest, SessionManifestEntry } from '../../core/model/manifest';
import { ownValue, withoutKey } from '../../core/text/ownValue';
import {
  type Clock,
  type Log,
  type TranscriptFile,
  type KeptFile,
  type MemoryStore,
  type StoreFinding,
  type TrashItem,
  type VersionFiles as VersionTexts,
  StoreError,
  type StoreErrorReason,
} from '../../core/model/host';
import { sweepTemporaries, ensurePrivateFolder } from '../files/atomicFile';
import {
  DEFAULT_LOCK_TIMING,
  sweepClaims,
  takeLock,
  type HeldLock,
  type LockTiming,
  TaskQueue,
} from '../files/fileLock';
import { refuseLinks } from '../files/links';
import { storing } from '../files/errorCode';
import { TAKE_METHODS, type TakeMethod } from '../files/takeFile';
import { ForgottenFile } from '../forgetting/forgottenFile';
import { finishedImports } from './begunImport';
import { CacheLimit } from './cacheLimit';
import { CompositionFolders } from './compositionFolders';
import { ConfigFile } from './configFile';
import { sizeBelow } from './folderSize';
import { Manifests, namedManifest, type LoadedManifest } from './manifests';
import { ManifestTransaction, type FileChange } from './manifestTransaction';
import { Originals, type Renewal } from './originals';
import { StoreLayout, type ProjectLayout } from './storeLayout';
import { Trash } from './trash';
import { VersionFiles } from './versionFiles';

export interface FileMemoryStoreOptions {
  dir: string;
  clock: Clock;
  log: Log;
  lockTiming?: LockTiming;
  takeMethods?: readonly TakeMethod[];
  /** Finishes imports that were killed. */
  finishImports?: () => Promise<void>;
}

type ManifestChange = (manifest: ProjectManifest) => ProjectManifest | Promise<ProjectManifest>;

/** Younger temporary files may belong to a process that is about to take a lock. */
const LEFTOVER_AGE_MS = 60_000;

/** Failures of a repair that a reader need not wait for: what was rebuilt is as good in memory. */
const CANNOT_REPAIR: ReadonlySet<StoreErrorReason> = new Set(['read-only', 'not-permitted', 'disk-full']);

/** The store on disk. Any number of these, in any number of processes, may work on one folder. */
export class FileMemoryStore implements MemoryStore {
  readonly dir: string;
  readonly compositions: CompositionFolders;
  readonly forgotten: ForgottenFile;
  readonly cacheLimit: CacheLimit;
  readonly #layout: StoreLayout;
  readonly #finishImports: () => Promise<void>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timing: LockTiming;
  readonly #config: ConfigFile;
  readonly #manifests: Manifests;
  readonly #originals: Originals;
  readonly #trash: Trash;
  readonly #versions = new VersionFiles();
  readonly #queue = new TaskQueue();
  readonly #open = new AsyncLocalStorage<ManifestTransaction>();
  readonly #tended = new Set<string>(); // projects in which this instance has looked for what a crash left

  constructor({ dir, clock, log, lockTiming = DEFAULT_LOCK_TIMING, ...options }: FileMemoryStoreOptions) {
    this.#finishImports = async () => finishedImports(this.#layout, options.finishImports, log);
    this.#layout = new StoreLayout(dir);
    this.dir = this.#layout.dir;
    this.#clock = clock;
    this.#log = log;
    this.#timing = lockTiming;
    this.#config = new ConfigFile(this.#layout, clock, lockTiming);
    this.cacheLimit = new CacheLimit(this.#layout, async () => (await this.readConfig()).storage.maxCacheSize, log);
    this.#manifests = new Manifests(clock, log);
    this.forgotten = new ForgottenFile(this.dir);
    this.#originals = new Originals(
      async () => options.takeMethods ?? TAKE_METHODS[(await this.readConfig()).storage.originals],
      this.forgotten,
    );
    this.#trash = new Trash(clock);
    this.compositions = new CompositionFolders({
      layoutOf: (projectId) => this.#layout.project(projectId),
      changeOf: (projectId) => this.#change(projectId).change,
      trash: this.#trash,
    });
  }

  async readConfig(): Promise<Config> {
    return this.#config.read();
  }

  async updateConfig(change: (config: Config) => Config): Promise<Config> {
    await this.#finishImports();
    const config = await this.#config.update(change);
    await this.cacheLimit.hold(); // it may be another one now
    return config;
  }

  async listProjects(): Promise<string[]> {
    return storing(this.#layout.projects, () => this.#layout.projectIds());
  }

  async readManifest(projectId: string): Promise<ProjectManifest | undefined> {
    const layout = this.#layout.project(projectId);
    const reading = await this.#manifests.read(layout);
    if (reading?.state !== 'damaged') return reading?.manifest;
    try {
      return (await this.#locked(layout, (lock) => this.#manifests.load(layout, lock)))?.manifest;
    } catch (error) {
      if (!(error instanceof StoreError) || !CANNOT_REPAIR.has(error.reason)) throw error;
      this.#log.warn(`${layout.manifest} is damaged (${reading.problem}), and cannot be repaired: ${error.message}`);
      return this.#manifests.rebuild(layout, reading.manifest);
    }
  }

  async updateManifest(create: NewProject, change: ManifestChange): Promise<ProjectManifest> {
    return this.#update(create.projectId, create, change);
  }

  /** Changes a manifest and the files that go with it, or neither. Without `create` there has to be one. */
  async #update(projectId: string, create: NewProject | undefined, change: ManifestChange): Promise<ProjectManifest> {
    const layout = this.#layout.project(projectId);
    return this.#locked(layout, async (lock) => {
      const loaded = await this.#manifests.load(layout, lock);
      const before =
        create === undefined ? loaded?.manifest : namedManifest(loaded?.manifest, create, this.#clock.now());
      if (before === undefined) throw new StoreError('not-found', { path: projectId });
      const open = new ManifestTransaction(layout.projectId, layout.root, before);
      let written: ProjectManifest;
      try {
        const changed = await this.#open.run(open, async () => change(before));
        if (changed === before) return await open.clear().then(() => before);
        if (loaded === undefined) open.onSuccess(() => this.#config.ensure());
        written = await this.#write(layout, { ...loaded, manifest: changed }, lock, () => open.place());
      } catch (error) {
        this.#report(layout, await open.fail());
        throw error;
      }
      this.#report(layout, await open.succeed());
      return written;
    });
  }

  async keepOriginal(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<KeptFile> {
    return this.#whileOpen(projectId, (layout, open) => {
      const before = ownValue(open.manifest?.sessions, sessionId)?.kept;
      return this.#originals.keep(layout, { sessionId, source, before }, (file) => open.made(file), signal);
    });
  }

  async renewOriginal(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<Renewal> {
    const layout = this.#layout.project(projectId);
    return this.#locked(layout, async (lock) => {
      const kept = ownValue((await this.#manifests.load(layout, lock))?.manifest.sessions, sessionId)?.kept;
      return this.#originals.renew(layout, { sessionId, source, kept }, signal);
    });
  }

  async keepSubAgents(
    projectId: string,
    sessionId: string,
    sources: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#whileOpen(projectId, (layout, open) =>
      this.#originals.keepSubAgents(layout, { sessionId, sources }, (file) => open.made(file), signal),
    );
  }

  async originalPath(projectId: string, sessionId: string): Promise<string | undefined> {
    const layout = this.#layout.project(projectId);
    return storing(layout.originals, () => this.#originals.find(layout, sessionId));
  }

  async keptSubAgents(projectId: string, sessionId: string): Promise<TranscriptFile[]> {
    const layout = this.#layout.project(projectId);
    return storing(layout.originals, () => this.#originals.subAgents(layout, sessionId));
  }

  async discardSession(projectId: string, sessionId: string): Promise<string> {
    let trash = '';
    await this.#update(projectId, undefined, async (manifest) => {
      const { layout, change } = this.#change(projectId);
      const entry = ownValue(manifest.sessions, sessionId);
      if (entry === undefined) throw new StoreError('not-found', { path: sessionId });
      trash = await storing(layout.trash, () => this.#trash.discard(layout, { sessionId, entry }, change));
      const said = this.#layout.searchFile(projectId, `${sessionId}.said`);
      change.onSuccess(() => rm(said, { force: true }));
      return { ...manifest, sessions: withoutKey(manifest.sessions, sessionId) };
    });
    return trash;
  }

  async restoreSession(projectId: string, trash: string): Promise<SessionManifestEntry> {
    let restored: SessionManifestEntry | undefined;
    await this.#update(projectId, undefined, async (manifest) => {
      const { layout, change } = this.#change(projectId);
      restored = await this.#trash.read(layout, trash);
      const { sessionId } = restored;
      if (Object.hasOwn(manifest.sessions, sessionId)) throw new StoreError('already-there', { path: sessionId });
      await storing(layout.trash, () => this.#trash.takeBack(layout, trash, change));
      return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: restored } };
    });
    if (restored === undefined) throw new TypeError(`Nobody asked for ${trash}`);
    return restored;
  }

  async keepVersion(projectId: string, version: VersionTexts, index: SessionVersions): Promise<void> {
    const { layout, change } = this.#change(projectId);
    await storing(layout.summaries, () => this.#versions.keep(layout, version, index, change));
  }

  async discardVersions(
    projectId: string,
    records: readonly CompressionRecord[],
    index: SessionVersions,
  ): Promise<string> {
    const { layout, change } = this.#change(projectId);
    return storing(layout.trash, async () => {
      const name = await this.#trash.discard(layout, { sessionId: index.sessionId, records: [...records] }, change);
      await this.#versions.keepIndex(layout, index, change);
      return name;
    });
  }

  async discardedVersions(
    projectId: string,
    trash: string,
  ): Promise<{ sessionId: string; records: CompressionRecord[] }> {
    const layout = this.#layout.project(projectId);
    return storing(layout.trash, () => this.#trash.readVersions(layout, trash));
  }

  async takeBackVersions(projectId: string, trash: string, index: SessionVersions): Promise<void> {
    const { layout, change } = this.#change(projectId);
    await storing(layout.trash, async () => {
      await this.#trash.takeBack(layout, trash, change);
      await this.#versions.keepIndex(layout, index, change);
    });
  }

  versionPaths(projectId: string, sessionId: string, file: string): { md: string; jsonl: string } {
    const layout = this.#layout.project(projectId);
    return { md: layout.version(sessionId, `${file}.md`), jsonl: layout.version(sessionId, `${file}.jsonl`) };
  }

  async readVersion(
    projectId: string,
    sessionId: string,
    file: string,
    format: 'md' | 'jsonl',
  ): Promise<string | undefined> {
    const layout = this.#layout.project(projectId);
    return storing(layout.summaries, () => this.#versions.read(layout, sessionId, `${file}.${format}`));
  }

  /** Changes files of a project together with its manifest: all of them, or none. */
  async changeFiles(projectId: string, work: FileChange, create?: NewProject): Promise<void> {
    const layout = this.#layout.project(projectId);
    await this.#update(projectId, create, (manifest) => work(layout, manifest, this.#change(projectId).change));
  }

  async measure(projectId: string): Promise<{ bytes: number; linkedBytes: number }> {
    return storing(projectId, () => sizeBelow(this.#layout.project(projectId).dir));
  }

  async trashed(projectId: string): Promise<TrashItem[]> {
    return this.#trash.items(this.#layout.project(projectId));
  }

  async emptyTrash(projectId: string, beforeIso: string): Promise<TrashItem[]> {
    const layout = this.#layout.project(projectId);
    return this.#locked(layout, () => storing(layout.trash, () => this.#trash.expire(layout, beforeIso)));
  }

  async check(options: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]> {
    const { StoreCheck } = await import('./storeCheck');
    const steps = {
      readConfig: () => this.#config.read(),
      renewConfig: () => this.#config.renew(),
      readManifest: (layout: ProjectLayout) => this.#manifests.read(layout),
      finishImports: this.#finishImports,
      repairManifest: (layout: ProjectLayout) => this.#locked(layout, (lock) => this.#renew(layout, lock)),
      cleanManifest: (layout: ProjectLayout) =>
        this.#locked(layout, async (lock) => {
          const loaded = await this.#manifests.load(layout, lock);
          if (loaded?.isUnclean === true) await this.#manifests.write(layout, loaded, lock);
        }),
      cleanTrash: (layout: ProjectLayout, name: string) => this.#locked(layout, () => this.#trash.clean(layout, name)),
      repairVersions: (layout: ProjectLayout) =>
        this.#locked(layout, async (lock) => this.#repairVersions(layout, await this.#manifests.load(layout, lock))),
    };
    return storing(this.dir, () => new StoreCheck(this.#layout, steps).run(options, signal));
  }

  /** For a check: a damaged manifest is made anew, and so is one that is missing although its sessions are there. */
  async #renew(layout: ProjectLayout, lock: HeldLock): Promise<void> {
    if ((await this.#manifests.load(layout, lock)) !== undefined) return;
    const { projectId } = layout;
    const empty = namedManifest(undefined, { projectId, originalPath: '', displayName: projectId }, this.#clock.now());
    await this.#write(layout, { manifest: await this.#manifests.rebuild(layout, empty) }, lock);
  }

  async #write(
    layout: ProjectLayout,
    changed: LoadedManifest,
    lock: HeldLock,
    placeOthers?: () => Promise<void>,
  ): Promise<ProjectManifest> {
    const manifest = { ...changed.manifest, lastModified: this.#clock.now().toISOString() };
    return this.#manifests.write(layout, { ...changed, manifest }, lock, placeOthers);
  }

  /** What could not be cleared up now is when the project is written to again, or by a repair. */
  #report(layout: ProjectLayout, failures: readonly unknown[]): void {
    if (failures.length > 0) this.#tended.delete(layout.projectId);
    for (const error of failures) this.#log.warn(`${layout.dir} needs to be looked over: ${errorText(error)}`);
  }

  /** Work on files of a project: part of the change that is under way, else with the lock for itself. */
  async #whileOpen<T>(
    projectId: string,
    work: (layout: ProjectLayout, open: ManifestTransaction) => Promise<T>,
  ): Promise<T> {
    const layout = this.#layout.project(projectId);
    const open = this.#open.getStore();
    if (open?.projectId === projectId) return work(layout, open);
    return this.#locked(layout, () => work(layout, new ManifestTransaction(projectId, layout.root)));
  }

  /** The change of the manifest that is under way. */
  #change(projectId: string): { layout: ProjectLayout; change: ManifestTransaction } {
    const change = this.#open.getStore();
    if (change?.projectId !== projectId) throw new TypeError('These files change with their manifest only');
    return { layout: this.#layout.project(projectId), change };
  }

  async #locked<T>(layout: ProjectLayout, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    if (this.#open.getStore()?.projectId === layout.projectId) {
      throw new TypeError('A change of a manifest must not wait for another change of the same manifest');
    }
    if (this.#open.getStore() === undefined) await this.#finishImports();
    return this.#queue.run(layout.projectId, async () => {
      const lock = await storing(layout.dir, async () => {
        await ensurePrivateFolder(layout.dir, layout.root);
        for (const folder of layout.folders) await refuseLinks(layout.root, folder);
        return takeLock(layout.lock, this.#timing);
      });
      try {
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
    const loaded = await this.#manifests.load(layout, lock);
    await storing(layout.dir, async () => {
      if (loaded !== undefined) await this.#trash.finish(layout, loaded.manifest);
      await this.#trash.expireAfter(layout, await this.#config.trashDays());
      if (lock.wasTakenOver) await this.#repairVersions(layout, loaded);
      for (const folder of await layout.foldersOfFiles()) await sweepTemporaries(folder, LEFTOVER_AGE_MS);
      await sweepClaims(layout.lock);
    });
    this.#tended.add(layout.projectId);
  }

  async #repairVersions(layout: ProjectLayout, loaded: LoadedManifest | undefined): Promise<void> {
    if (loaded === undefined) return;
    await this.#versions.repair(layout, loaded.manifest, (orphans) => this.#trash.leaveBehind(layout, orphans));
  }
}
