import { rm } from 'node:fs/promises';
import type { CompressionRecord, SessionVersions } from '../../core/model/compression';
import {
  StoreError,
  type Clock,
  type KeptFile,
  type SessionStore,
  type TranscriptFile,
  type VersionFiles,
  type VersionStore,
} from '../../core/model/host';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { ownValue, withoutKey } from '../../core/text/ownValue';
import { storing } from '../files/errorCode';
import { TAKE_METHODS, type TakeMethod } from '../files/takeFile';
import type { ForgottenFile } from '../forgetting/forgottenFile';
import type { ConfigFile } from './configFile';
import { Originals, type Renewal } from './originals';
import type { ProjectChanges } from './projectChanges';
import type { StoreLayout } from './storeLayout';
import { discardedSession, discardedVersions } from './trashNotes';

interface SessionFoldersParts {
  readonly layout: StoreLayout;
  readonly changes: ProjectChanges;
  readonly config: ConfigFile;
  readonly forgotten: ForgottenFile;
  readonly clock: Clock;
}

export interface SessionFoldersOptions {
  /** How transcripts are taken over, in the place of what the configuration says. */
  takeMethods?: readonly TakeMethod[];
}

/** Sessions on disk: `originals/<session>`, and what the trash has of them. */
export class SessionFolders implements SessionStore {
  readonly #originals: Originals;

  constructor(
    private readonly parts: SessionFoldersParts,
    { takeMethods }: SessionFoldersOptions,
  ) {
    const methods = async () => takeMethods ?? TAKE_METHODS[(await parts.config.read()).storage.originals];
    this.#originals = new Originals(methods, parts.forgotten);
  }

  async keep(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<KeptFile> {
    return this.parts.changes.whileOpen(projectId, (layout, open) => {
      const before = ownValue(open.manifest?.sessions, sessionId)?.kept;
      return this.#originals.keep(layout, { sessionId, source, before }, (file) => open.made(file), signal);
    });
  }

  async renew(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<Renewal> {
    const layout = this.parts.layout.project(projectId);
    return this.parts.changes.locked(layout, async (lock) => {
      const kept = ownValue(
        (await this.parts.changes.manifests.load(layout, lock))?.manifest.sessions,
        sessionId,
      )?.kept;
      return this.#originals.renew(layout, { sessionId, source, kept }, signal);
    });
  }

  async keepSubAgents(
    projectId: string,
    sessionId: string,
    sources: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    await this.parts.changes.whileOpen(projectId, (layout, open) =>
      this.#originals.keepSubAgents(layout, { sessionId, sources }, (file) => open.made(file), signal),
    );
  }

  async path(projectId: string, sessionId: string): Promise<string | undefined> {
    const layout = this.parts.layout.project(projectId);
    return storing(layout.originals, () => this.#originals.find(layout, sessionId));
  }

  async subAgents(projectId: string, sessionId: string): Promise<TranscriptFile[]> {
    const layout = this.parts.layout.project(projectId);
    return storing(layout.originals, () => this.#originals.subAgents(layout, sessionId));
  }

  async discard(projectId: string, sessionId: string): Promise<string> {
    let trash = '';
    await this.parts.changes.update(projectId, undefined, async (manifest) => {
      const { layout, change } = this.parts.changes.current(projectId);
      const entry = ownValue(manifest.sessions, sessionId);
      if (entry === undefined) throw new StoreError('not-found', { path: sessionId });
      trash = await storing(layout.trash, () => this.parts.changes.trash.discard(layout, { sessionId, entry }, change));
      const said = this.parts.layout.searchFile(projectId, `${sessionId}.said`);
      change.onSuccess(() => rm(said, { force: true }));
      return { ...manifest, sessions: withoutKey(manifest.sessions, sessionId) };
    });
    return trash;
  }

  async takeBack(projectId: string, trash: string): Promise<SessionManifestEntry> {
    let restored: SessionManifestEntry | undefined;
    await this.parts.changes.update(projectId, undefined, async (manifest) => {
      const { layout, change } = this.parts.changes.current(projectId);
      restored = await discardedSession(layout, trash, this.parts.clock.now());
      const { sessionId } = restored;
      if (Object.hasOwn(manifest.sessions, sessionId)) throw new StoreError('already-there', { path: sessionId });
      await storing(layout.trash, () => this.parts.changes.trash.takeBack(layout, trash, change));
      return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: restored } };
    });
    if (restored === undefined) throw new TypeError(`Nobody asked for ${trash}`);
    return restored;
  }
}

/** Versions on disk: `summaries/<session>/`. */
export class VersionFolders implements VersionStore {
  constructor(
    private readonly layout: StoreLayout,
    private readonly changes: ProjectChanges,
  ) {}

  async keep(projectId: string, version: VersionFiles, index: SessionVersions): Promise<void> {
    const { layout, change } = this.changes.current(projectId);
    await storing(layout.summaries, () => this.changes.versions.keep(layout, version, index, change));
  }

  async discard(projectId: string, records: readonly CompressionRecord[], index: SessionVersions): Promise<string> {
    const { layout, change } = this.changes.current(projectId);
    return storing(layout.trash, async () => {
      const name = await this.changes.trash.discard(
        layout,
        { sessionId: index.sessionId, records: [...records] },
        change,
      );
      await this.changes.versions.keepIndex(layout, index, change);
      return name;
    });
  }

  async discarded(projectId: string, trash: string): Promise<{ sessionId: string; records: CompressionRecord[] }> {
    const layout = this.layout.project(projectId);
    return storing(layout.trash, () => discardedVersions(layout, trash));
  }

  async takeBack(projectId: string, trash: string, index: SessionVersions): Promise<void> {
    const { layout, change } = this.changes.current(projectId);
    await storing(layout.trash, async () => {
      await this.changes.trash.takeBack(layout, trash, change);
      await this.changes.versions.keepIndex(layout, index, change);
    });
  }

  paths(projectId: string, sessionId: string, file: string): { md: string; jsonl: string } {
    const layout = this.layout.project(projectId);
    return { md: layout.version(sessionId, `${file}.md`), jsonl: layout.version(sessionId, `${file}.jsonl`) };
  }

  async read(projectId: string, sessionId: string, file: string, format: 'md' | 'jsonl'): Promise<string | undefined> {
    return this.changes.versions.read(this.layout.project(projectId), sessionId, `${file}.${format}`);
  }
}
