import type { Config } from '../../core/model/config';
import type { Clock, Log, MemoryStore, StoreFinding, TrashItem } from '../../core/model/host';
import type { NewProject, ProjectManifest } from '../../core/model/manifest';
import { storing } from '../files/errorCode';
import { DEFAULT_LOCK_TIMING, type LockTiming } from '../files/fileLock';
import { ForgottenFile } from '../forgetting/forgottenFile';
import { CacheLimit } from './cacheLimit';
import { CompositionFolders } from './compositionFolders';
import { ConfigFile } from './configFile';
import { sizeBelow } from './folderFiles';
import { ProjectChanges, type ManifestChange } from './projectChanges';
import { SessionFolders, VersionFolders, type SessionFoldersOptions } from './sessionFolders';
import { StoreLayout } from './storeLayout';

export interface FileMemoryStoreOptions extends SessionFoldersOptions {
  dir: string;
  clock: Clock;
  log: Log;
  lockTiming?: LockTiming;
}

/** The store on disk. Any number of these, in any number of processes, may work on one folder. */
export class FileMemoryStore implements MemoryStore {
  readonly dir: string;
  readonly sessions: SessionFolders;
  readonly versions: VersionFolders;
  readonly compositions: CompositionFolders;
  readonly forgotten: ForgottenFile;
  readonly cacheLimit: CacheLimit;
  readonly changes: ProjectChanges;
  readonly #layout: StoreLayout;
  readonly #config: ConfigFile;

  constructor({ dir, clock, log, lockTiming: timing = DEFAULT_LOCK_TIMING, ...options }: FileMemoryStoreOptions) {
    const layout = new StoreLayout(dir);
    const config = new ConfigFile(layout, clock, timing);
    this.#layout = layout;
    this.dir = layout.dir;
    this.#config = config;
    this.changes = new ProjectChanges({ layout, config, clock, log, timing });
    this.cacheLimit = new CacheLimit(layout, async () => (await this.readConfig()).storage.maxCacheSize, log);
    this.forgotten = new ForgottenFile(this.dir);
    const { changes, forgotten } = this;
    this.sessions = new SessionFolders({ layout, changes, config, forgotten, clock }, options);
    this.versions = new VersionFolders(layout, changes);
    this.compositions = new CompositionFolders(layout, changes);
  }

  async readConfig(): Promise<Config> {
    return this.#config.read();
  }

  async updateConfig(change: (config: Config) => Config): Promise<Config> {
    await this.changes.imports.closeDead();
    const config = await this.#config.update(change);
    await this.cacheLimit.hold(); // it may be another one now
    return config;
  }

  async listProjects(): Promise<string[]> {
    return storing(this.#layout.projects, () => this.changes.imports.projectIds());
  }

  async readManifest(projectId: string): Promise<ProjectManifest | undefined> {
    return this.changes.readManifest(projectId);
  }

  async updateManifest(create: NewProject, change: ManifestChange): Promise<ProjectManifest> {
    return this.changes.update(create.projectId, create, change);
  }

  async measure(projectId: string): Promise<{ bytes: number; linkedBytes: number }> {
    return storing(projectId, () => sizeBelow(this.#layout.project(projectId).dir));
  }

  async trashed(projectId: string): Promise<TrashItem[]> {
    return this.changes.trash.items(this.#layout.project(projectId));
  }

  async emptyTrash(projectId: string, beforeIso: string): Promise<TrashItem[]> {
    const layout = this.#layout.project(projectId);
    return this.changes.locked(layout, () => storing(layout.trash, () => this.changes.trash.expire(layout, beforeIso)));
  }

  async check(options: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]> {
    const { StoreCheck } = await import('./storeCheck');
    const mending = { config: this.#config, changes: this.changes };
    return storing(this.dir, () => new StoreCheck(this.#layout, mending).run(options, signal));
  }
}
