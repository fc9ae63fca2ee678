import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isSafeSegment } from '../../core/model/fields';
import { StoreError } from '../../core/model/host';
import { unlessGone } from '../files/errorCode';

/** `CLAUDE_MEMORY_DIR`, else `~/.claude-memory`. */
export function defaultMemoryDir(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env.CLAUDE_MEMORY_DIR;
  return configured !== undefined && configured !== ''
    ? path.resolve(configured)
    : path.join(homedir(), '.claude-memory');
}

const TRANSCRIPT = '.jsonl';
export const MANIFEST = 'manifest.json';
const PROJECTS = 'projects';

/**
 * Where everything in the store lies (DESIGN, "Stores"). Every name that comes from outside passes through here, and one
 * that is not a plain name throws `StoreError`.
 */
export class StoreLayout {
  readonly dir: string;
  readonly config: string;
  readonly configLock: string;
  readonly projects: string;
  readonly cache: string;
  /** Which projects are worktrees of which. */
  readonly worktrees: string;

  constructor(dir: string) {
    this.dir = path.resolve(dir);
    this.config = path.join(this.dir, 'config.json');
    this.configLock = path.join(this.dir, '.config.lock');
    this.projects = path.join(this.dir, PROJECTS);
    this.cache = path.join(this.dir, 'cache');
    this.worktrees = path.join(this.dir, 'worktrees');
  }

  project(projectId: string): ProjectLayout {
    return new ProjectLayout(this.dir, projectId);
  }

  /** Names the main folder of a worktree. */
  worktree(name: string): string {
    return path.join(this.worktrees, plainName(name));
  }

  /** The projects that have a manifest. */
  async projectIds(): Promise<string[]> {
    const names = ((await unlessGone(readdir(this.projects))) ?? []).filter(isSafeSegment);
    const manifests = await Promise.all(names.map((name) => unlessGone(stat(this.project(name).manifest))));
    return names.filter((_, index) => manifests[index]?.isFile() === true).sort();
  }

  /** Which format the cache has. */
  get cacheFormat(): string {
    return path.join(this.cache, 'format');
  }

  /** The folders of all that is remembered of transcripts; `scans` is of older versions. */
  get rememberedFolders(): string[] {
    return ['digests', 'scans', 'said'].map((name) => path.join(this.cache, name));
  }

  /** What is remembered of a project's transcripts. */
  digests(projectId: string): string {
    return path.join(this.cache, 'digests', `${plainName(projectId)}.ndjson`);
  }

  /** All that searches of a project go by. */
  said(projectId: string): string {
    return path.join(this.cache, 'said', plainName(projectId));
  }

  searchFile(projectId: string, name: string): string {
    return path.join(this.said(projectId), plainName(name));
  }
}

/** The folder of one project. */
export class ProjectLayout {
  readonly dir: string;
  readonly manifest: string;
  readonly lock: string;
  readonly originals: string;
  readonly summaries: string;
  readonly composed: string;
  readonly trash: string;

  constructor(
    /** The store's folder, below which nothing may be a symbolic link. */
    readonly root: string,
    readonly projectId: string,
  ) {
    const dir = path.join(root, PROJECTS, plainName(projectId));
    this.dir = dir;
    this.manifest = path.join(dir, MANIFEST);
    this.lock = path.join(dir, '.lock');
    this.originals = path.join(dir, 'originals');
    this.summaries = path.join(dir, 'summaries');
    this.composed = path.join(dir, 'composed');
    this.trash = path.join(dir, 'trash');
  }

  original(sessionId: string): string {
    return path.join(this.originals, `${plainName(sessionId)}${TRANSCRIPT}`);
  }

  /** The transcripts of a session's sub-agents, laid out as Claude Code's newer versions do. */
  subAgents(sessionId: string): string {
    return path.join(this.originals, plainName(sessionId), 'subagents');
  }

  subAgent(sessionId: string, fileName: string): string {
    return path.join(this.subAgents(sessionId), plainName(fileName));
  }

  versions(sessionId: string): string {
    return path.join(this.summaries, plainName(sessionId), 'versions.json');
  }

  /** A file beside a session's `versions.json`. */
  version(sessionId: string, fileName: string): string {
    return path.join(this.summaries, plainName(sessionId), plainName(fileName));
  }

  composition(name: string): string {
    return this.compositionFile(name, 'composition.json');
  }

  /** A file of a composition. */
  compositionFile(name: string, fileName: string): string {
    return path.join(this.composed, plainName(name), plainName(fileName));
  }

  /** Which files in the project's own folder this memory wrote. */
  get provenance(): string {
    return path.join(this.dir, 'written.log');
  }

  /** What it last wrote there. */
  get written(): string {
    return path.join(this.dir, 'written');
  }

  /** What waits for the next session of the project. */
  get armed(): string {
    return path.join(this.dir, 'armed.json');
  }

  /** The same, once a session has taken it. */
  taken(sessionId: string): string {
    return path.join(this.dir, plainName(`armed-${sessionId}.json`));
  }

  trashed(name: string): string {
    return path.join(this.trash, plainName(name));
  }

  /** All folders that a change of the project may touch. */
  get folders(): string[] {
    return [this.dir, this.originals, this.summaries, this.composed, this.trash];
  }

  /** The folders in which files are written; a session's only once it has one, and none that is a link. */
  async foldersOfFiles(): Promise<string[]> {
    const own = async (folder: string): Promise<string[]> => {
      const entries = (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [];
      const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      return names.filter(isSafeSegment).map((name) => path.join(folder, name));
    };
    return [this.dir, this.originals, ...(await own(this.summaries)), ...(await own(this.composed))];
  }

  /** Whether something in `originals` belongs to this session: its transcript, older contents of it, its sub-agents. */
  ownsOriginal(sessionId: string, name: string): boolean {
    const own = `${plainName(sessionId)}${TRANSCRIPT}`;
    return name === own || name === sessionId || name.startsWith(`${own}.older-`);
  }

  /** As manifests name files: relative, with `/` on every system. */
  relative(file: string): string {
    return path.relative(this.dir, file).split(path.sep).join('/');
  }
}

/** The session that a file in `originals` belongs to; undefined for files of other kinds. */
export function sessionOfOriginal(fileName: string): string | undefined {
  const sessionId = fileName.endsWith(TRANSCRIPT) ? fileName.slice(0, -TRANSCRIPT.length) : '';
  return isSafeSegment(sessionId) ? sessionId : undefined;
}

/** An ISO time as part of a file name, which Windows does not allow to hold colons. */
export function fileTime(now: Date): string {
  return now.toISOString().replace(/[:.]/g, '-');
}

/** Names for what a file held before, such as `manifest.json.corrupt-2026-01-20T10-00-00-000Z`. */
export function asideName(file: string, why: 'corrupt' | `backup-${string}`, now: Date): (n: number) => string {
  return (n) => `${file}.${why}-${fileTime(now)}${n === 1 ? '' : `-${n}`}`;
}

/** A name that comes from outside, as one segment of a path. Throws `StoreError` for one that could leave its folder. */
export function plainName(name: string): string {
  if (isSafeSegment(name)) return name;
  throw new StoreError('unsafe-name', { path: name });
}
