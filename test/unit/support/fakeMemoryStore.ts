import type { CompressionRecord, SessionVersions } from '../../../src/core/model/compression';
import { defaultConfig, type Config } from '../../../src/core/model/config';
import { createManifest } from '../../../src/core/model/manifest';
import type { NewProject, ProjectManifest, SessionManifestEntry } from '../../../src/core/model/manifest';
import {
  type TranscriptFile,
  type KeptFile,
  type MemoryStore,
  type SessionStore,
  type StoreFinding,
  type TrashItem,
  type VersionFiles,
  type VersionStore,
  StoreError,
} from '../../../src/core/model/host';
import type { FakeClaudeFolder } from './fakeClaudeFolder';
import { FakeCompositionStore } from './fakeCompositionStore';

const NOW = '2026-01-20T10:00:00.000Z';

/** The store in memory. Kept originals are files of the fake folder below `/store`. */
export class FakeMemoryStore implements MemoryStore {
  readonly dir = '/store';
  readonly manifests = new Map<string, ProjectManifest>();
  readonly compositions = new FakeCompositionStore();
  readonly versions = new FakeVersionStore();
  readonly sessions: FakeSessionStore;
  readonly findings: StoreFinding[] = [];
  /** Projects whose manifest a newer Keepit has written. */
  readonly newer = new Set<string>();
  /** Called before a manifest is written: to fail as a full disk does. */
  onWrite: ((manifest: ProjectManifest) => void) | undefined;
  writes = 0;
  #lock: Promise<unknown> = Promise.resolve();
  #config = defaultConfig(NOW);

  constructor(private readonly files: FakeClaudeFolder) {
    this.sessions = new FakeSessionStore(this.manifests, files);
  }

  async readConfig(): Promise<Config> {
    return this.#config;
  }

  async updateConfig(change: (config: Config) => Config): Promise<Config> {
    return (this.#config = change(this.#config));
  }

  async listProjects(): Promise<string[]> {
    return [...this.manifests.keys()];
  }

  async readManifest(projectId: string): Promise<ProjectManifest | undefined> {
    if (this.newer.has(projectId)) throw new StoreError('newer-version', { path: `/store/${projectId}` });
    return this.manifests.get(projectId);
  }

  async updateManifest(
    create: NewProject,
    change: (manifest: ProjectManifest) => ProjectManifest | Promise<ProjectManifest>,
  ): Promise<ProjectManifest> {
    const turn = this.#lock.then(() => this.#update(create, change));
    this.#lock = turn.catch(() => undefined);
    return turn;
  }

  async #update(
    create: NewProject,
    change: (manifest: ProjectManifest) => ProjectManifest | Promise<ProjectManifest>,
  ): Promise<ProjectManifest> {
    const before = (await this.readManifest(create.projectId)) ?? createManifest(create, NOW);
    const after = await change(before);
    this.onWrite?.(after);
    this.writes++;
    this.manifests.set(create.projectId, after);
    return after;
  }

  async check({ repair }: { repair: boolean }): Promise<StoreFinding[]> {
    const damaged: StoreFinding[] = [];
    for (const [projectId, { sessions }] of this.manifests) {
      for (const { sessionId, kept } of Object.values(sessions)) {
        const path = `/store/${projectId}/originals/${sessionId}.jsonl`;
        const bytes = this.files.files.get(path)?.bytes.length ?? 0;
        if (kept === undefined || bytes >= kept.bytes) continue;
        const problem = `It has ${bytes} bytes.`;
        damaged.push({ kind: 'original', projectId, path, problem, isRepairable: false, isRepaired: false });
      }
    }
    return [...damaged, ...this.findings].map((finding) => ({
      ...finding,
      isRepaired: repair && finding.isRepairable,
    }));
  }

  async trashed(): Promise<TrashItem[]> {
    return [];
  }

  async emptyTrash(): Promise<TrashItem[]> {
    return [];
  }

  async measure(): Promise<{ bytes: number; linkedBytes: number }> {
    return { bytes: 1000, linkedBytes: 500 };
  }
}

/** Kept transcripts are files of the fake folder. */
class FakeSessionStore implements SessionStore {
  /** Sessions whose originals cannot be kept. */
  readonly unkept = new Set<string>();
  readonly #trash = new Map<string, SessionManifestEntry>();

  constructor(
    private readonly manifests: Map<string, ProjectManifest>,
    private readonly claude: FakeClaudeFolder,
  ) {}

  async keep(projectId: string, sessionId: string, source: string): Promise<KeptFile> {
    if (this.unkept.has(sessionId)) throw new StoreError('io', { path: source });
    const file = `originals/${sessionId}.jsonl`;
    const path = `/store/${projectId}/${file}`;
    const content = this.claude.files.get(source) ?? this.claude.files.get(path);
    if (content === undefined) throw new StoreError('io', { path: source });
    this.claude.files.set(path, { ...content });
    return { file, method: 'copy', bytes: content.bytes.length };
  }

  async renew(): Promise<'renewed' | { differsFrom: number }> {
    return Promise.resolve({ differsFrom: 0 });
  }

  async keepSubAgents(projectId: string, sessionId: string, sources: readonly string[]): Promise<void> {
    for (const source of sources) {
      const content = this.claude.files.get(source);
      const name = source.slice(source.lastIndexOf('/') + 1);
      if (content) this.claude.files.set(`/store/${projectId}/originals/${sessionId}/${name}`, { ...content });
    }
  }

  async path(projectId: string, sessionId: string): Promise<string | undefined> {
    const path = `/store/${projectId}/originals/${sessionId}.jsonl`;
    return this.claude.files.has(path) ? path : undefined;
  }

  async subAgents(projectId: string, sessionId: string): Promise<TranscriptFile[]> {
    const folder = `/store/${projectId}/originals/${sessionId}/`;
    const paths = [...this.claude.files.keys()].filter((path) => path.startsWith(folder));
    const files = await Promise.all(paths.map((path) => this.claude.stat(path)));
    return files.filter((file) => file !== undefined);
  }

  async discard(projectId: string, sessionId: string): Promise<string> {
    const manifest = this.manifests.get(projectId);
    const { [sessionId]: entry, ...sessions } = manifest?.sessions ?? {};
    if (manifest === undefined || entry === undefined) throw new StoreError('not-found', { path: sessionId });
    this.manifests.set(projectId, { ...manifest, sessions });
    this.#trash.set(`${sessionId}.1`, entry);
    return `${sessionId}.1`;
  }

  async takeBack(projectId: string, trash: string): Promise<SessionManifestEntry> {
    const manifest = this.manifests.get(projectId);
    const entry = this.#trash.get(trash);
    if (manifest === undefined || entry === undefined) throw new StoreError('not-found', { path: trash });
    this.manifests.set(projectId, { ...manifest, sessions: { ...manifest.sessions, [entry.sessionId]: entry } });
    return entry;
  }
}

class FakeVersionStore implements VersionStore {
  /** The texts, by their paths. */
  readonly files = new Map<string, string>();
  readonly #discarded = new Map<string, { sessionId: string; records: CompressionRecord[] }>();

  async keep(projectId: string, version: VersionFiles, { sessionId }: SessionVersions): Promise<void> {
    const { md, jsonl } = this.paths(projectId, sessionId, version.file);
    this.files.set(md, version.texts.md).set(jsonl, version.texts.jsonl);
  }

  async discard(
    _projectId: string,
    records: readonly CompressionRecord[],
    { sessionId }: SessionVersions,
  ): Promise<string> {
    const trash = `versions.${this.#discarded.size}`;
    this.#discarded.set(trash, { sessionId, records: [...records] });
    return trash;
  }

  async discarded(_projectId: string, trash: string): Promise<{ sessionId: string; records: CompressionRecord[] }> {
    const discarded = this.#discarded.get(trash);
    if (discarded === undefined) throw new StoreError('not-found', { path: trash });
    return discarded;
  }

  async takeBack(_projectId: string, trash: string): Promise<void> {
    this.#discarded.delete(trash);
  }

  paths(projectId: string, sessionId: string, file: string): { md: string; jsonl: string } {
    const path = `/store/${projectId}/summaries/${sessionId}/${file}`;
    return { md: `${path}.md`, jsonl: `${path}.jsonl` };
  }

  async read(projectId: string, sessionId: string, file: string, format: 'md' | 'jsonl'): Promise<string | undefined> {
    return this.files.get(this.paths(projectId, sessionId, file)[format]);
  }
}
