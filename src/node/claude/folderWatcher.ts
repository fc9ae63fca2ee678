import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Log, TranscriptFile } from '../../core/model/host';
import type { ProjectFolder } from '../../core/transcript/claudeFolder';
import { errorText } from '../../core/text/keepitError';
import type { DiskClaudeFolder } from './claudeFolder';
import { Debouncer } from './debouncer';
import { PathWatch } from './pathWatch';
import { sumOf } from '../../core/text/ownValue';

export interface FolderWatcherOptions {
  quietMs?: number;
  /** Changes that never pause are told this often. */
  maxWaitMs?: number;
  /** How often what cannot be watched is listed. */
  pollMs?: number;
  /** Folders watched at most; the rest is polled. Far below what any system allows one user. */
  maxWatches?: number;
}

const DEFAULTS = { quietMs: 300, maxWaitMs: 2000, pollMs: 20_000, maxWatches: 1000 };

/** NFS, SMB, CIFS, SMB2, 9P (WSL's Windows drives), FUSE, vboxsf: changes made elsewhere raise no events there. */
const SILENT_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x786f4256]);

/**
 * Tells which projects have changed, with one watch per project folder and none per file. What the system cannot
 * watch is listed now and then instead, from directory entries alone.
 */
export class FolderWatcher {
  private readonly options: Required<FolderWatcherOptions>;
  private readonly listeners = new Set<(projectIds: readonly string[]) => void>();
  private readonly followers = new Set<FileFollower>();
  private readonly watches = new Map<string, PathWatch>();
  private readonly signatures = new Map<string, string>();
  private readonly debouncer: Debouncer<string>;
  private readonly rescan: Debouncer<'projects'>;
  private root: PathWatch | undefined;
  private poll: NodeJS.Timeout | undefined;
  private isPollingAll = false;
  private hasListed = false;
  private isDisposed = false;
  private starting: Promise<void> | undefined;

  constructor(
    private readonly folder: DiskClaudeFolder,
    private readonly log: Log,
    options: FolderWatcherOptions = {},
  ) {
    this.options = { ...DEFAULTS, ...options };
    this.debouncer = new Debouncer(this.options, (projectIds) => this.tell(projectIds));
    this.rescan = new Debouncer(this.options, () => void this.refresh());
  }

  /** Begins to watch; resolves when changes from now on will be told. */
  start(): Promise<void> {
    this.starting ??= this.begin();
    return this.starting;
  }

  /** Calls back with the ids of projects whose folders changed, new and removed ones included. Begins to watch if need be. */
  onDidChange(listener: (projectIds: readonly string[]) => void): { dispose(): void } {
    this.listeners.add(listener);
    void this.start();
    return { dispose: () => void this.listeners.delete(listener) };
  }

  private async begin(): Promise<void> {
    if (await this.isSilent()) {
      this.log.info(`${this.folder.projectsDir} is on a drive without change events and is polled instead`);
      this.isPollingAll = true;
    } else {
      this.watchRoot();
    }
    await this.refresh();
    if (this.isDisposed) return;
    this.poll = setInterval(() => void this.pollOnce(), this.options.pollMs);
    this.poll.unref();
  }

  /** Follows one file, for as long as it is open somewhere. */
  follow(file: string, onChanged: (file: TranscriptFile | undefined) => void): { dispose(): void } {
    const stat = (target: string) => this.folder.stat(target);
    const follower = new FileFollower(file, { stat, onChanged, log: this.log });
    this.followers.add(follower);
    return {
      dispose: () => {
        follower.dispose();
        this.followers.delete(follower);
      },
    };
  }

  dispose(): void {
    this.isDisposed = true;
    clearInterval(this.poll);
    this.debouncer.dispose();
    this.rescan.dispose();
    this.root?.dispose();
    for (const watch of this.watches.values()) watch.dispose();
    for (const follower of this.followers) follower.dispose();
    this.watches.clear();
    this.followers.clear();
    this.listeners.clear();
  }

  /** The folder of projects; until Claude Code has made it, polling finds out. */
  private watchRoot(): void {
    this.root = new PathWatch(this.folder.projectsDir, {
      onEvent: () => this.rescan.add('projects'),
      onEnd: (reason) => {
        this.log.debug(`${this.folder.projectsDir} is not watched: ${reason}`);
        this.root = undefined;
      },
    });
  }

  /** A folder that was deleted takes the watch on it along: the next poll begins anew. */
  private unwatchRoot(): void {
    this.root?.dispose();
    this.root = undefined;
  }

  /** Brings the watches in line with the projects that there are, and tells those that came or went. */
  private async refresh(): Promise<void> {
    const folders = await this.listQuietly();
    if (folders === undefined || this.isDisposed) return;
    const isFirst = !this.hasListed;
    this.hasListed = true;
    if (folders.length === 0) this.unwatchRoot();
    const present = new Set(folders.map(({ projectId }) => projectId));
    for (const projectId of this.signatures.keys()) {
      if (present.has(projectId)) continue;
      this.forget(projectId);
      this.debouncer.add(projectId);
    }
    for (const folder of folders) {
      const isNew = !this.signatures.has(folder.projectId);
      this.signatures.set(folder.projectId, signatureOf(folder));
      if (!isNew) continue;
      this.watchProject(folder.projectId);
      if (!isFirst) this.debouncer.add(folder.projectId);
    }
  }

  private watchProject(projectId: string): void {
    if (this.isPollingAll || this.watches.size >= this.options.maxWatches) return;
    const watch = new PathWatch(path.join(this.folder.projectsDir, projectId), {
      onEvent: () => this.debouncer.add(projectId),
      onEnd: (reason) => {
        this.log.debug(`project ${projectId} is polled from now on: ${reason}`);
        this.watches.delete(projectId);
        this.debouncer.add(projectId);
      },
    });
    this.watches.set(projectId, watch);
  }

  private forget(projectId: string): void {
    this.watches.get(projectId)?.dispose();
    this.watches.delete(projectId);
    this.signatures.delete(projectId);
  }

  /** Lists what has no watch of its own. */
  private async pollOnce(): Promise<void> {
    if (this.root === undefined && !this.isPollingAll) {
      this.watchRoot();
      await this.refresh();
      return;
    }
    const unwatched = [...this.signatures.keys()].filter((projectId) => !this.watches.has(projectId));
    if (unwatched.length === 0 && !this.isPollingAll) return;
    const before = new Map(this.signatures);
    if (this.isPollingAll) await this.refresh();
    const folders = this.isPollingAll ? undefined : await this.listQuietly(unwatched);
    for (const folder of folders ?? []) this.signatures.set(folder.projectId, signatureOf(folder));
    for (const [projectId, signature] of this.signatures) {
      const old = before.get(projectId);
      if (old !== undefined && old !== signature && !this.watches.has(projectId)) this.debouncer.add(projectId);
    }
  }

  private async listQuietly(only?: readonly string[]): Promise<ProjectFolder[] | undefined> {
    try {
      return await this.folder.list(only);
    } catch (error) {
      this.log.warn(`${this.folder.projectsDir} cannot be listed: ${errorText(error)}`);
      return undefined;
    }
  }

  private async isSilent(): Promise<boolean> {
    if (process.platform !== 'linux') return false;
    try {
      const { type } = await statfs(this.folder.projectsDir);
      return SILENT_FILE_SYSTEMS.has(type >>> 0);
    } catch (error) {
      this.log.debug(`${this.folder.projectsDir} is of an unknown file system: ${errorText(error)}`);
      return false;
    }
  }

  private tell(projectIds: readonly string[]): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(projectIds);
      } catch (error) {
        this.log.error('A listener to changed projects failed', error);
      }
    }
  }
}

/** Changes whenever a session or sub-agent file comes, goes, grows or is written anew. */
function signatureOf({ sessions, strayAgents, problem }: ProjectFolder): string {
  const files = [...sessions, ...sessions.flatMap(({ subAgents }) => subAgents), ...strayAgents];
  const bytes = sumOf(files, (file) => file.bytes);
  const newest = files.reduce((latest, file) => Math.max(latest, file.mtimeMs), 0);
  return `${files.length} ${bytes} ${newest} ${problem ?? ''}`;
}

const TIMES = { quietMs: 100, maxWaitMs: 500 };
/** Where the system gives no events: often enough to read along, and one directory entry each time. */
const POLL_MS = 2000;

interface Follow {
  stat(file: string): Promise<TranscriptFile | undefined>;
  /** Called after each change with the file's entry, or with undefined once when the file is gone. */
  onChanged(file: TranscriptFile | undefined): void;
  log: Log;
}

/** Follows one file while it is open somewhere: growth, replacement and disappearance. */
class FileFollower {
  private readonly debouncer: Debouncer<'changed'>;
  private readonly watch: PathWatch;
  private poll: NodeJS.Timeout | undefined;
  /** As it was told last. At first nothing is known: what the file was when somebody read it cannot be found out any more. */
  private last: TranscriptFile | undefined | 'unknown' = 'unknown';
  private isDisposed = false;

  constructor(
    private readonly file: string,
    private readonly options: Follow,
  ) {
    this.debouncer = new Debouncer(TIMES, () => void this.look());
    // The folder rather than the file: a file that is replaced takes the watch on it to the grave.
    this.watch = new PathWatch(path.dirname(file), {
      onEvent: (name) => {
        if (name === undefined || name === path.basename(file)) this.debouncer.add('changed');
      },
      onEnd: (reason) => this.startPolling(reason),
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch.dispose();
    this.debouncer.dispose();
    clearInterval(this.poll);
  }

  private startPolling(reason: string): void {
    if (this.isDisposed) return;
    this.options.log.info(`${this.file} cannot be watched and is polled instead: ${reason}`);
    this.poll = setInterval(() => void this.look(), POLL_MS);
    this.poll.unref();
  }

  private async look(): Promise<void> {
    const before = this.last;
    const file = await this.statQuietly();
    if (this.isDisposed || file === 'unknown') return;
    if (before !== 'unknown' && file?.bytes === before?.bytes && file?.mtimeMs === before?.mtimeMs) return;
    this.last = file;
    this.options.onChanged(file);
  }

  private async statQuietly(): Promise<FileFollower['last']> {
    try {
      return await this.options.stat(this.file);
    } catch (error) {
      this.options.log.warn(`${this.file} cannot be looked at: ${errorText(error)}`);
      return this.last;
    }
  }
}
