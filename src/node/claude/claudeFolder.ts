import type { Dirent } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ClaudeFolder, ProjectFolder, SessionFile, TranscriptFile } from '../../core/ports';
import { errorText } from '../../core/errors';
import { isSafeSegment } from '../../core/model/ids';
import { errorCode, isGone } from '../files/errorCode';
import { asUnreadable } from './asUnreadable';
import { readCleanupPeriodDays } from './claudeSettings';
import { mapLimited } from '../../core/registry/mapLimited';

/** The size of one read, and of the buffer that all reads of a file share. What is done with a chunk takes some milliseconds. */
export const CHUNK_BYTES = 256 * 1024;

/** How many directory entries are asked for at once: the thread pool behind them is small. */
const PARALLEL_STATS = 32;

const TRANSCRIPT = '.jsonl';
const AGENT_PREFIX = 'agent-';

/** Claude Code's folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function defaultClaudeDir(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env.CLAUDE_CONFIG_DIR;
  return configured !== undefined && configured !== '' ? path.resolve(configured) : path.join(homedir(), '.claude');
}

/** Claude Code's folder on disk. Only reads. */
export class DiskClaudeFolder implements ClaudeFolder {
  readonly dir: string;
  readonly projectsDir: string;

  constructor(dir: string) {
    this.dir = path.resolve(dir);
    this.projectsDir = path.join(this.dir, 'projects');
  }

  async list(only?: readonly string[], signal?: AbortSignal): Promise<ProjectFolder[]> {
    const names = only?.filter(isSafeSegment) ?? (await this.projectIds());
    const folders = await mapLimited(names, 4, async (name) => {
      signal?.throwIfAborted();
      return this.listProject(name);
    });
    return folders.filter((folder) => folder !== undefined);
  }

  /** Claude Code's names are of letters, digits and `-`: a folder that could not have one in the store is not of its making. */
  async projectIds(): Promise<string[]> {
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
    return realpath(absolute).catch(() => absolute); // what is gone has no other name than the one that was given
  }

  async stat(file: string): Promise<TranscriptFile | undefined> {
    return statTranscript(file);
  }

  async *read(
    file: string,
    range: { start?: number; end?: number } = {},
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    signal?.throwIfAborted();
    const handle = await open(file, 'r').catch((error: unknown) => {
      throw asUnreadable(file, error);
    });
    try {
      const { size } = await handle.stat().catch((error: unknown) => {
        throw asUnreadable(file, error);
      });
      const end = Math.min(range.end ?? size, size);
      let position = range.start ?? 0;
      const buffer = new Uint8Array(Math.max(1, Math.min(CHUNK_BYTES, end - position)));
      while (position < end) {
        const wanted = Math.min(buffer.length, end - position);
        const { bytesRead } = await handle.read(buffer, 0, wanted, position).catch((error: unknown) => {
          throw asUnreadable(file, error);
        });
        signal?.throwIfAborted();
        if (bytesRead === 0) return; // the file was cut while it was read
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async cleanupPeriodDays(): Promise<number> {
    return readCleanupPeriodDays(this.dir);
  }

  /** Undefined for what turns out not to be a folder, or is gone by now. */
  private async listProject(projectId: string): Promise<ProjectFolder | undefined> {
    const folder = path.join(this.projectsDir, projectId);
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      return await this.readProject(projectId, folder, entries);
    } catch (error) {
      if (isGone(error)) return undefined;
      return { projectId, sessions: [], strayAgents: [], problem: problemText(error) };
    }
  }

  private async readProject(projectId: string, folder: string, entries: Dirent[]): Promise<ProjectFolder> {
    const files = await statAll(
      folder,
      entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(TRANSCRIPT)),
    );
    const agentsBySession = await this.subAgents(
      folder,
      entries.filter((entry) => entry.isDirectory()),
    );
    const sessions: SessionFile[] = [];
    const strayAgents: TranscriptFile[] = [];
    for (const file of files) {
      const name = path.basename(file.path, TRANSCRIPT);
      if (name.startsWith(AGENT_PREFIX)) {
        strayAgents.push(file);
      } else if (name !== '') {
        sessions.push({ ...file, sessionId: name, subAgents: agentsBySession.get(name) ?? [] });
        agentsBySession.delete(name);
      }
    }
    // Agents whose session's own file was deleted: the records inside still name the session.
    for (const orphans of agentsBySession.values()) strayAgents.push(...orphans);
    return { projectId, sessions, strayAgents };
  }

  private async subAgents(folder: string, directories: Dirent[]): Promise<Map<string, TranscriptFile[]>> {
    const found = await mapLimited(directories, 8, async ({ name }) => {
      const agentFolder = path.join(folder, name, 'subagents');
      const entries = await readdir(agentFolder, { withFileTypes: true }).catch((error: unknown) => {
        // A session's folder without sub-agents is the usual case; one that may not be read hides only its agents.
        if (isGone(error) || errorCode(error) === 'EACCES') return [];
        throw error;
      });
      const agents = entries.filter(
        (entry) => !entry.isDirectory() && entry.name.startsWith(AGENT_PREFIX) && entry.name.endsWith(TRANSCRIPT),
      );
      return { name, files: await statAll(agentFolder, agents) };
    });
    return new Map(found.filter(({ files }) => files.length > 0).map(({ name, files }) => [name, files]));
  }
}

async function statAll(folder: string, entries: Dirent[]): Promise<TranscriptFile[]> {
  const files = await mapLimited(entries, PARALLEL_STATS, (entry) => statTranscript(path.join(folder, entry.name)));
  return files.filter((file) => file !== undefined);
}

/** Undefined for what is gone, or is no regular file: opening a pipe would wait for ever. */
async function statTranscript(file: string): Promise<TranscriptFile | undefined> {
  try {
    const entry = await stat(file);
    return entry.isFile() ? { path: file, bytes: entry.size, mtimeMs: entry.mtimeMs } : undefined;
  } catch (error) {
    if (isGone(error) || errorCode(error) === 'ELOOP') return undefined;
    throw asUnreadable(file, error);
  }
}

function problemText(error: unknown): string {
  return errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM'
    ? 'This folder may not be read by this user.'
    : errorText(error);
}
