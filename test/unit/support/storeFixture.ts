import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SessionManifestEntry } from '../../../src/core/model/manifest';
import { FileMemoryStore, type FileMemoryStoreOptions } from '../../../src/node/store/fileMemoryStore';
import { ManualClock } from './manualClock';
import { RecordingLog } from './recordingLog';
import { newProject, NOW, someEntry } from './storedDocuments';
import { useTempFolder } from './tempFolder';

const { projectId } = newProject;

/** A store and a folder of transcripts, in a temporary folder of every test's own. */
export class StoreFixture {
  readonly #folder: { readonly path: string };
  readonly log = new RecordingLog();
  readonly clock = new ManualClock(NOW);

  constructor(folder: { readonly path: string }) {
    this.#folder = folder;
  }

  /** The folder around everything. */
  get root(): string {
    return this.#folder.path;
  }

  get dir(): string {
    return path.join(this.#folder.path, 'store');
  }

  /** Another store object on the same folder, as another window or process would have. */
  open(more: Partial<FileMemoryStoreOptions> = {}): FileMemoryStore {
    return new FileMemoryStore({ dir: this.dir, clock: this.clock, log: this.log, ...more });
  }

  /** A path in the project's folder. */
  inProject(...names: string[]): string {
    return path.join(this.dir, 'projects', projectId, ...names);
  }

  async namesIn(...names: string[]): Promise<string[]> {
    return (await readdir(this.inProject(...names))).sort();
  }

  async manifestText(): Promise<string> {
    return readFile(this.inProject('manifest.json'), 'utf8');
  }

  async writeManifest(content: string | Uint8Array): Promise<void> {
    await this.write(this.inProject('manifest.json'), content);
  }

  async write(file: string, content: string | Uint8Array): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** A transcript as Claude Code would have left it. */
  async transcript(sessionId: string, content = `{"sessionId":"${sessionId}"}\n`): Promise<string> {
    const file = path.join(this.root, 'claude', `${sessionId}.jsonl`);
    await this.write(file, content);
    return file;
  }

  /** Registers a session with a kept original. */
  async register(store: FileMemoryStore, sessionId: string): Promise<SessionManifestEntry> {
    const source = await this.transcript(sessionId);
    const entry = someEntry(sessionId, { originalFile: source, compressions: [] });
    const manifest = await store.updateManifest(newProject, async (before) => {
      const kept = await store.sessions.keep(projectId, sessionId, source);
      const whole = { ...entry, kept: { ...kept, syncedBytes: kept.bytes, syncedLines: 1 } };
      return { ...before, sessions: { ...before.sessions, [sessionId]: whole } };
    });
    return manifest.sessions[sessionId] ?? entry;
  }
}

/** A new fixture for every test of the enclosing `describe`. */
export function useStore(): StoreFixture {
  return new StoreFixture(useTempFolder());
}
