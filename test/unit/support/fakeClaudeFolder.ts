import {
  TranscriptUnreadableError,
  type ClaudeFolder,
  type ProjectFolder,
  type SessionFile,
} from '../../../src/core/transcript/claudeFolder';
import type { TranscriptFile } from '../../../src/core/model/host';

interface FakeFile {
  bytes: Uint8Array;
  mtimeMs: number;
}

const PROJECTS = '/claude/projects/';

/** Claude Code's folder in memory. Counts how often files are opened. */
export class FakeClaudeFolder implements ClaudeFolder {
  readonly dir = '/claude';
  readonly files = new Map<string, FakeFile>();
  /** The paths that were opened, in order. */
  readonly opened: string[] = [];
  /** Called before a file is opened: to make it vanish, or to end the work. */
  onOpen: ((path: string) => void) | undefined;
  readonly unreadable = new Set<string>();
  readonly problems = new Map<string, string>();
  readonly links = new Map<string, string>();
  readonly repositories: string[] = [];
  cleanupDays = 30;

  /** Writes a file; `name` is relative to the folder of projects, unless it is absolute. */
  write(name: string, content: { toString(): string } | Uint8Array, iso = '2026-01-15T12:00:00Z'): string {
    const path = name.startsWith('/') ? name : PROJECTS + name;
    const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(content.toString());
    this.files.set(path, { bytes, mtimeMs: Date.parse(iso) });
    return path;
  }

  delete(name: string): void {
    this.files.delete(name.startsWith('/') ? name : PROJECTS + name);
  }

  async projectIds(): Promise<string[]> {
    const ids = [...this.files.keys()].filter((path) => path.startsWith(PROJECTS)).map((path) => path.split('/')[3]!);
    return [...new Set([...ids, ...this.problems.keys()])];
  }

  async list(only?: readonly string[]): Promise<ProjectFolder[]> {
    const ids = (await this.projectIds()).filter((id) => only?.includes(id) ?? true);
    return ids.map((id) => this.#project(id));
  }

  async realPath(path: string): Promise<string> {
    return this.links.get(path) ?? path;
  }

  async mainFolder(path: string): Promise<string> {
    return path;
  }

  async repositoryOf(folder: string): Promise<string | undefined> {
    return this.repositories.find((root) => folder.startsWith(root));
  }

  async folderOf(): Promise<string | undefined> {
    return undefined;
  }

  async stat(path: string): Promise<TranscriptFile | undefined> {
    if (path.startsWith(PROJECTS) && this.problems.has(path.split('/')[3]!)) {
      throw new TranscriptUnreadableError('not-permitted', path);
    }
    const file = this.files.get(path);
    return file && { path, bytes: file.bytes.length, mtimeMs: file.mtimeMs };
  }

  async *read(
    path: string,
    range: { start?: number; end?: number } = {},
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    this.opened.push(path);
    this.onOpen?.(path);
    signal?.throwIfAborted();
    if (this.unreadable.has(path)) throw new TranscriptUnreadableError('not-permitted', path);
    const file = this.files.get(path);
    if (file === undefined) throw new TranscriptUnreadableError('vanished', path);
    const { start = 0, end = file.bytes.length } = range;
    for (let at = start; at < Math.min(end, file.bytes.length); at += 100) {
      yield file.bytes.slice(at, Math.min(at + 100, end));
    }
  }

  async cleanupPeriodDays(): Promise<number> {
    return this.cleanupDays;
  }

  #project(projectId: string): ProjectFolder {
    const problem = this.problems.get(projectId);
    const folder: ProjectFolder = { projectId, sessions: [], strayAgents: [] };
    if (problem !== undefined) return { ...folder, problem };
    const subAgents = new Map<string, TranscriptFile[]>();
    for (const [path, { bytes, mtimeMs }] of this.files) {
      const [name = '', ...inner] = path.startsWith(PROJECTS) ? path.split('/').slice(4) : [];
      if (path.split('/')[3] !== projectId) continue;
      const file = { path, bytes: bytes.length, mtimeMs };
      if (inner.length > 0) subAgents.set(name, [...(subAgents.get(name) ?? []), file]);
      else if (name.startsWith('agent-')) folder.strayAgents.push(file);
      else folder.sessions.push({ ...file, sessionId: name.replace('.jsonl', ''), subAgents: [] });
    }
    folder.sessions = folder.sessions.map((session): SessionFile => ({
      ...session,
      subAgents: subAgents.get(session.sessionId) ?? [],
    }));
    return folder;
  }
}
