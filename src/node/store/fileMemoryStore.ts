import { rm } from 'node:fs/promises';
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
} from '../../core/model/host';
import { DEFAULT_LOCK_TIMING, type LockTiming } from '../files/fileLock';
import { storing } from '../files/errorCode';
import { TAKE_METHODS, type TakeMethod } from '../files/takeFile';
import { ForgottenFile } from '../forgetting/forgottenFile';
import { CacheLimit } from './cacheLimit';
import { CompositionFolders } from './compositionFolders';
import { ConfigFile } from './configFile';
import type { ImportFolders } from './importFolders';
import type { ManifestPlacing } from './manifests';
import type { FileChange } from './manifestTransaction';
import { Originals, type Renewal } from './originals';
import { StoreLayout } from './storeLayout';
import { ProjectChanges, type ManifestChange } from './projectChanges';
import { discardedSession, discardedVersions } from './trashNotes';
import { sizeBelow } from './folderFiles';

export interface FileMemoryStoreOptions {
  dir: string;
  clock: Clock;
  log: Log;
  lockTiming?: LockTiming;
  takeMethods?: readonly TakeMethod[];
}

/** The store on disk. Any number of these, in any number of processes, may work on one folder. */
export class FileMemoryStore implements MemoryStore {
  readonly dir: string;
  readonly compositions: CompositionFolders;
  readonly forgotten: ForgottenFile;
  readonly cacheLimit: CacheLimit;
  readonly imports: ImportFolders;
  readonly #layout: StoreLayout;
  readonly #now: () => Date;
  readonly #config: ConfigFile;
  readonly #changes: ProjectChanges;
  readonly #originals: Originals;

  constructor({ dir, clock, log, lockTiming: timing = DEFAULT_LOCK_TIMING, ...options }: FileMemoryStoreOptions) {
    const layout = new StoreLayout(dir);
    const config = new ConfigFile(layout, clock, timing);
    this.#layout = layout;
    this.dir = layout.dir;
    this.#now = () => clock.now();
    this.#config = config;
    this.#changes = new ProjectChanges({ layout, config, clock, log, timing });
    this.imports = this.#changes.imports;
    this.cacheLimit = new CacheLimit(layout, async () => (await this.readConfig()).storage.maxCacheSize, log);
    this.forgotten = new ForgottenFile(this.dir);
    this.#originals = new Originals(
      async () => options.takeMethods ?? TAKE_METHODS[(await this.readConfig()).storage.originals],
      this.forgotten,
    );
    this.compositions = new CompositionFolders(layout, this.#changes);
  }

  async readConfig(): Promise<Config> {
    return this.#config.read();
  }

  async updateConfig(change: (config: Config) => Config): Promise<Config> {
    await this.imports.closeDead();
    const config = await this.#config.update(change);
    await this.cacheLimit.hold(); // it may be another one now
    return config;
  }

  async listProjects(): Promise<string[]> {
    return storing(this.#layout.projects, () => this.imports.projectIds());
  }

  async readManifest(projectId: string): Promise<ProjectManifest | undefined> {
    return this.#changes.readManifest(projectId);
  }

  async updateManifest(create: NewProject, change: ManifestChange): Promise<ProjectManifest> {
    return this.#changes.update(create.projectId, create, change);
  }

  async keepOriginal(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<KeptFile> {
    return this.#changes.whileOpen(projectId, (layout, open) => {
      const before = ownValue(open.manifest?.sessions, sessionId)?.kept;
      return this.#originals.keep(layout, { sessionId, source, before }, (file) => open.made(file), signal);
    });
  }

  async renewOriginal(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<Renewal> {
    const layout = this.#layout.project(projectId);
    return this.#changes.locked(layout, async (lock) => {
      const kept = ownValue((await this.#changes.manifests.load(layout, lock))?.manifest.sessions, sessionId)?.kept;
      return this.#originals.renew(layout, { sessionId, source, kept }, signal);
    });
  }

  async keepSubAgents(
    projectId: string,
    sessionId: string,
    sources: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#changes.whileOpen(projectId, (layout, open) =>
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
    await this.#changes.update(projectId, undefined, async (manifest) => {
      const { layout, change } = this.#changes.current(projectId);
      const entry = ownValue(manifest.sessions, sessionId);
      if (entry === undefined) throw new StoreError('not-found', { path: sessionId });
      trash = await storing(layout.trash, () => this.#changes.trash.discard(layout, { sessionId, entry }, change));
      const said = this.#layout.searchFile(projectId, `${sessionId}.said`);
      change.onSuccess(() => rm(said, { force: true }));
      return { ...manifest, sessions: withoutKey(manifest.sessions, sessionId) };
    });
    return trash;
  }

  async restoreSession(projectId: string, trash: string): Promise<SessionManifestEntry> {
    let restored: SessionManifestEntry | undefined;
    await this.#changes.update(projectId, undefined, async (manifest) => {
      const { layout, change } = this.#changes.current(projectId);
      restored = await discardedSession(layout, trash, this.#now());
      const { sessionId } = restored;
      if (Object.hasOwn(manifest.sessions, sessionId)) throw new StoreError('already-there', { path: sessionId });
      await storing(layout.trash, () => this.#changes.trash.takeBack(layout, trash, change));
      return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: restored } };
    });
    if (restored === undefined) throw new TypeError(`Nobody asked for ${trash}`);
    return restored;
  }

  async keepVersion(projectId: string, version: VersionTexts, index: SessionVersions): Promise<void> {
    const { layout, change } = this.#changes.current(projectId);
    await storing(layout.summaries, () => this.#changes.versions.keep(layout, version, index, change));
  }

  async discardVersions(
    projectId: string,
    records: readonly CompressionRecord[],
    index: SessionVersions,
  ): Promise<string> {
    const { layout, change } = this.#changes.current(projectId);
    return storing(layout.trash, async () => {
      const name = await this.#changes.trash.discard(
        layout,
        { sessionId: index.sessionId, records: [...records] },
        change,
      );
      await this.#changes.versions.keepIndex(layout, index, change);
      return name;
    });
  }

  async discardedVersions(
    projectId: string,
    trash: string,
  ): Promise<{ sessionId: string; records: CompressionRecord[] }> {
    const layout = this.#layout.project(projectId);
    return storing(layout.trash, () => discardedVersions(layout, trash));
  }

  async takeBackVersions(projectId: string, trash: string, index: SessionVersions): Promise<void> {
    const { layout, change } = this.#changes.current(projectId);
    await storing(layout.trash, async () => {
      await this.#changes.trash.takeBack(layout, trash, change);
      await this.#changes.versions.keepIndex(layout, index, change);
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
    return this.#changes.versions.read(this.#layout.project(projectId), sessionId, `${file}.${format}`);
  }

  /** Changes files of a project together with its manifest: all of them, or none. `placing` has them wait for other projects. */
  async changeFiles(
    projectId: string,
    work: FileChange,
    create?: NewProject,
    placing?: ManifestPlacing,
  ): Promise<void> {
    const layout = this.#layout.project(projectId);
    const change: ManifestChange = (manifest) => work(layout, manifest, this.#changes.current(projectId).change);
    await this.#changes.update(projectId, create, change, placing);
  }

  async measure(projectId: string): Promise<{ bytes: number; linkedBytes: number }> {
    return storing(projectId, () => sizeBelow(this.#layout.project(projectId).dir));
  }

  async trashed(projectId: string): Promise<TrashItem[]> {
    return this.#changes.trash.items(this.#layout.project(projectId));
  }

  async emptyTrash(projectId: string, beforeIso: string): Promise<TrashItem[]> {
    const layout = this.#layout.project(projectId);
    return this.#changes.locked(layout, () =>
      storing(layout.trash, () => this.#changes.trash.expire(layout, beforeIso)),
    );
  }

  async check(options: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]> {
    const { StoreCheck } = await import('./storeCheck');
    const mending = { config: this.#config, changes: this.#changes };
    return storing(this.dir, () => new StoreCheck(this.#layout, mending).run(options, signal));
  }
}
