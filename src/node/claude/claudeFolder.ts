import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  TranscriptUnreadableError,
  type ClaudeFolder,
  type ProjectFolder,
  type SessionFile,
  type SkippedFile,
} from '../../core/transcript/claudeFolder';
import type { TranscriptFile } from '../../core/model/host';
import { errorText } from '../../core/text/keepitError';
import { isSafeSegment } from '../../core/model/fields';
import { projectFolderName } from '../../core/sessions/projectNames';
import { errorCode, isGone, unlessGone } from '../files/errorCode';
import { findWayOut, isWithin, type FoundLink } from '../files/links';
import type { ForgottenFile } from '../forgetting/forgottenFile';
import { readCleanupPeriodDays } from './claudePlace';
import { asUnreadable, bytesOf, FileExcerpts, statTranscript } from './transcriptFile';
import type { Worktrees } from './worktrees';
import { mapLimited } from '../../core/text/mapLimited';

/** How many directory entries are asked for at once: the thread pool behind them is small. */
const PARALLEL_STATS = 32;

const TRANSCRIPT = '.jsonl';
const AGENT_PREFIX = 'agent-';

/** Claude Code's folder on disk. Only reads. What is never to be remembered is not there, and what was erased is not read. */
export class DiskClaudeFolder implements ClaudeFolder {
  readonly dir: string;
  readonly projectsDir: string;

  constructor(
    dir: string,
    private readonly forgotten?: Pick<ForgottenFile, 'runsOf' | 'allowed'>,
    private readonly worktrees?: Worktrees,
  ) {
    this.dir = path.resolve(dir);
    this.projectsDir = path.join(this.dir, 'projects');
  }

  async list(only?: readonly string[], signal?: AbortSignal): Promise<ProjectFolder[]> {
    const names = only?.filter(isSafeSegment) ?? (await this.projectIds(true));
    const folded = await this.folded();
    const folders = await mapLimited(names, 4, async (name) => {
      signal?.throwIfAborted();
      const others = [...folded].filter(([, main]) => projectFolderName(main) === name);
      return joined(
        name,
        await Promise.all([name, ...others.map(([other]) => other)].map((one) => this.listProject(one))),
      );
    });
    return folders.filter((folder) => folder !== undefined);
  }

  async projectIds(isThorough = false): Promise<string[]> {
    const names = await this.folderNames();
    const folded = await this.folded(isThorough ? names : []);
    const ids = names.map((name) => {
      const main = folded.get(name);
      return main === undefined ? name : projectFolderName(main);
    });
    return [...new Set(ids)];
  }

  async mainFolder(folder: string): Promise<string> {
    return (await this.worktrees?.mainOf(folder)) ?? folder;
  }

  async repositoryOf(folder: string): Promise<string | undefined> {
    for (let root = folder; path.isAbsolute(root); root = path.dirname(root)) {
      if ((await stat(path.join(root, '.git')).catch(() => undefined)) !== undefined) return root;
      if (root === path.dirname(root)) break;
    }
    return undefined;
  }

  async folderOf(projectId: string): Promise<string | undefined> {
    return [...(await this.folded()).values()].find((main) => projectFolderName(main) === projectId);
  }

  private async folded(names: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
    return (await this.worktrees?.folded(this.projectsDir, names)) ?? new Map<string, string>();
  }

  /** Claude Code's names are of letters, digits and `-`: a folder that could not have one in the store is not of its making. */
  private async folderNames(): Promise<string[]> {
    try {
      const entries = await readdir(this.projectsDir, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
      return folders.map((entry) => entry.name).filter(isSafeSegment);
    } catch (error) {
      if (isGone(error)) return [];
      throw asUnreadable(this.projectsDir, error);
    }
  }

  async realPath(file: string): Promise<string> {
    const absolute = path.resolve(file);
    await this.refuseWayOut(absolute);
    return realpath(absolute).catch(() => absolute); // what is gone has no other name than the one that was given
  }

  async stat(file: string): Promise<TranscriptFile | undefined> {
    await this.refuseWayOut(file);
    const [found] = await this.allowed([{ path: file }]);
    return found && statTranscript(file);
  }

  private async refuseWayOut(file: string): Promise<void> {
    const isOwn = isWithin(this.projectsDir, file);
    if (isOwn && (await findWayOut(this.projectsDir, file)) !== undefined)
      throw new TranscriptUnreadableError('link', file);
  }

  async *read(
    file: string,
    range: { start?: number; end?: number } = {},
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    signal?.throwIfAborted();
    const erased = (await this.forgotten?.runsOf(file)) ?? [];
    yield* bytesOf(file, { ...range, erased }, signal);
  }

  /** Reads pieces of a transcript. */
  openExcerpts(file: string): FileExcerpts {
    return new FileExcerpts(file, this.forgotten);
  }

  async cleanupPeriodDays(): Promise<number> {
    return readCleanupPeriodDays(this.dir);
  }

  /** Undefined for what turns out not to be a folder, or is gone by now. */
  private async listProject(projectId: string): Promise<ProjectFolder | undefined> {
    const folder = path.join(this.projectsDir, projectId);
    try {
      const wayOut = await findWayOut(this.projectsDir, folder);
      if (wayOut !== undefined) return { projectId, sessions: [], strayAgents: [], problem: tellOf(wayOut) };
      const entries = await readdir(folder, { withFileTypes: true });
      return await this.withoutNever(await this.readProject(projectId, folder, entries));
    } catch (error) {
      if (isGone(error)) return undefined;
      return { projectId, sessions: [], strayAgents: [], problem: problemText(error) };
    }
  }

  private async withoutNever(project: ProjectFolder): Promise<ProjectFolder> {
    const [sessions, strayAgents] = [await this.allowed(project.sessions), await this.allowed(project.strayAgents)];
    return { ...project, sessions, strayAgents };
  }

  private async allowed<T extends { readonly path: string }>(files: readonly T[]): Promise<T[]> {
    return (await this.forgotten?.allowed(this.projectsDir, files)) ?? [...files];
  }

  private async readProject(projectId: string, folder: string, entries: Dirent[]): Promise<ProjectFolder> {
    const isTranscript = (entry: Dirent) => !entry.isDirectory() && entry.name.endsWith(TRANSCRIPT);
    const { files, skipped } = await this.statAll(folder, entries.filter(isTranscript));
    const agents = await this.subAgents(
      folder,
      entries.filter((entry) => !isTranscript(entry) && (entry.isDirectory() || entry.isSymbolicLink())),
    );
    const agentsBySession = new Map(agents.filter((one) => one.files.length > 0).map((one) => [one.name, one.files]));
    const sessions: SessionFile[] = [];
    const strayAgents: TranscriptFile[] = [];
    for (const { name: fileName, file } of files) {
      const name = path.basename(fileName, TRANSCRIPT);
      if (name.startsWith(AGENT_PREFIX)) {
        strayAgents.push(file);
      } else if (name !== '') {
        const subAgents = (agentsBySession.get(name) ?? []).map((agent) => agent.file);
        sessions.push({ ...file, sessionId: name, subAgents });
        agentsBySession.delete(name);
      }
    }
    // Agents whose session's own file was deleted: the records inside still name the session.
    for (const orphans of agentsBySession.values()) strayAgents.push(...orphans.map(({ file }) => file));
    const passedOver = [...skipped, ...agents.flatMap((one) => one.skipped)];
    return { projectId, sessions, strayAgents, ...(passedOver.length > 0 && { skipped: passedOver }) };
  }

  /** The files in the folders of sessions. */
  private async subAgents(folder: string, directories: Dirent[]): Promise<(Listed & { name: string })[]> {
    return mapLimited(directories, 8, async (directory) => {
      const { name } = directory;
      const agentFolder = path.join(folder, name, 'subagents');
      try {
        const entries = await readdir(agentFolder, { withFileTypes: true });
        const wayOut = await findWayOut(this.projectsDir, agentFolder);
        if (wayOut !== undefined) {
          return { name, files: [], skipped: [{ path: wayOut.link, problem: tellOf(wayOut) }] };
        }
        const agents = entries.filter(
          (entry) => !entry.isDirectory() && entry.name.startsWith(AGENT_PREFIX) && entry.name.endsWith(TRANSCRIPT),
        );
        return { name, ...(await this.statAll(agentFolder, agents)) };
      } catch (error) {
        // A session's folder without sub-agents is the usual case; one that may not be read hides only its agents.
        if (isGone(error) || errorCode(error) === 'EACCES') return { name, files: [], skipped: [] };
        throw error;
      }
    });
  }

  private async statAll(folder: string, entries: Dirent[]): Promise<Listed> {
    const listed: Listed = { files: [], skipped: [] };
    const found = await mapLimited(entries, PARALLEL_STATS, async (entry) => {
      const file = path.join(folder, entry.name);
      const { name } = entry;
      if (!entry.isSymbolicLink()) return { name, file: statTranscript(file) };
      const wayOut = await findWayOut(this.projectsDir, file);
      if (wayOut !== undefined) return { name, wayOut };
      // Another transcript of this folder: known by this name, and read where it lies.
      const real = await unlessGone(realpath(file)).catch(() => undefined);
      return { name, file: real === undefined ? undefined : statTranscript(real) };
    });
    for (const { name, file, wayOut } of found) {
      if (file !== undefined) listed.files.push({ name, file });
      if (wayOut !== undefined) listed.skipped.push({ path: wayOut.link, problem: tellOf(wayOut) });
    }
    return listed;
  }
}

/** The folder of a project with those of its worktrees; undefined where there is none. A session that several have is the one written last. */
function joined(projectId: string, folders: readonly (ProjectFolder | undefined)[]): ProjectFolder | undefined {
  const there = folders.filter((folder) => folder !== undefined);
  const [own] = there;
  if (own === undefined || there.length === 1) return own && { ...own, projectId };
  const sessions = there.flatMap((folder) => folder.sessions).sort((a, b) => a.mtimeMs - b.mtimeMs);
  const skipped = there.flatMap((folder) => folder.skipped ?? []);
  return {
    projectId,
    sessions: [...new Map(sessions.map((session) => [session.sessionId, session])).values()],
    strayAgents: there.flatMap(({ strayAgents }) => strayAgents),
    ...(skipped.length > 0 && { skipped }),
    ...(own.problem !== undefined && { problem: own.problem }),
  };
}

/** What of a folder may be read, by its names there, and what may not. */
interface Listed {
  readonly files: { readonly name: string; readonly file: TranscriptFile }[];
  readonly skipped: SkippedFile[];
}

function tellOf({ link, target }: FoundLink): string {
  return `${link} is a symbolic link that leads out of Claude's folder, to ${target}: it is not read.`;
}

function problemText(error: unknown): string {
  return errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM'
    ? 'This folder may not be read by this user.'
    : errorText(error);
}
