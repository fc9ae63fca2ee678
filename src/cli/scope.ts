import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { projectFolderName, projectsMeant } from '../core/sessions/projectNames';
import type { SessionRef } from '../core/sessions/results';
import { SessionLookupError } from '../core/sessions/sessionLookupError';
import type { MemoryService } from '../core/memory';
import { LayersError } from '../core/knowledge/layerStore';
import { CliFailure } from './cliErrors';

interface ScopeOptions {
  /** `--project`, as it was written. */
  project: string | undefined;
  allProjects: boolean;
  cwd: string;
  /** Where paths are no names of sessions and projects. */
  idsOnly?: boolean;
  /** The session of Claude Code that this was called in, if any. */
  currentSession?: string | undefined;
}

const CURRENT = 'current';

type Lookup = { readonly sessions: Pick<MemoryService['sessions'], 'discover' | 'resolve' | 'resolveProject'> };

/** Which projects and sessions a command line speaks of. */
export class Scope {
  private readonly memory: Lookup;
  private readonly options: ScopeOptions;

  constructor(memory: Lookup, options: ScopeOptions) {
    this.memory = memory;
    this.options = options;
  }

  /** The project that was named, else the current folder's, else the calling session's; undefined means all projects. */
  async projectId(): Promise<string | undefined> {
    const { project, allProjects, cwd } = this.options;
    if (project !== undefined || allProjects) return this.askedProject();
    return (await this.memory.sessions.resolveProject(cwd)) ?? this.currentProject();
  }

  /** What was named as the project, as it was written. */
  get asked(): string | undefined {
    return this.options.project;
  }

  /** The project that was named; undefined where none was. */
  async askedProject(): Promise<string | undefined> {
    return this.asked === undefined ? undefined : this.namedProject(this.asked);
  }

  /** The one project that a command works on. Throws `LayersError` where there is none. */
  async onlyProject(): Promise<string> {
    const projectId = await this.projectId();
    if (projectId === undefined) throw new LayersError('no-project', '');
    return projectId;
  }

  /** The project of the current folder, also while there is no session of it yet, with that folder. */
  async projectHere(): Promise<{ projectId: string; folder: string }> {
    const known = await this.projectId();
    const folder = await realpath(this.folder()).catch(() => ''); // the name of a project need be none of a folder
    return { projectId: known ?? projectFolderName(folder), folder };
  }

  /** As `projectId`, in the form in which the facade narrows a discovery. */
  async projectIds(): Promise<{ projectIds?: readonly string[] }> {
    const projectId = await this.projectId();
    return projectId === undefined ? {} : { projectIds: [projectId] };
  }

  /**
   * The session that a word means. A session outside the current folder's project is found too, unless `--project`
   * narrows: an id means the same session wherever it is typed. `current` is the session that Claude Code calls this in.
   */
  async session(word: string, signal: AbortSignal): Promise<SessionRef> {
    if (this.options.idsOnly === true && !/^[\w-]+$/.test(word)) throw new SessionLookupError('not-found', word);
    const ref = isPath(word) ? path.resolve(this.options.cwd, word) : this.sessionId(word);
    const projectId = await this.projectId();
    if (projectId === undefined) return this.memory.sessions.resolve(ref, {}, signal);
    try {
      return await this.memory.sessions.resolve(ref, { projectId }, signal);
    } catch (error) {
      const isElsewhere = error instanceof SessionLookupError && error.reason === 'not-found';
      if (!isElsewhere || this.options.project !== undefined) throw error;
      return this.memory.sessions.resolve(ref, {}, signal);
    }
  }

  /** The folder that was named, or the current one, absolute. */
  folder(): string {
    return path.resolve(this.options.cwd, this.options.project ?? '.');
  }

  /** The folder that a word means, absolute; undefined when there is none. */
  async folderNamed(word: string, { mayBeGone = false } = {}): Promise<string | undefined> {
    if (this.options.idsOnly === true) return undefined;
    const folder = await realpath(path.resolve(this.options.cwd, word)).catch(() => undefined);
    // A word that is no whole path may be a session's id as well.
    if (folder === undefined) return mayBeGone && path.isAbsolute(word) ? path.resolve(word) : undefined;
    return (await stat(folder)).isDirectory() ? folder : undefined;
  }

  private sessionId(word: string): string {
    if (word !== CURRENT) return word;
    const { currentSession = '' } = this.options;
    if (currentSession === '') throw new CliFailure('no-current-session', word);
    return currentSession;
  }

  /** A session may have gone to a folder that is no project of its own. */
  private async currentProject(): Promise<string | undefined> {
    const { currentSession = '' } = this.options;
    if (currentSession === '') return undefined;
    try {
      return (await this.memory.sessions.resolve(currentSession)).projectId;
    } catch (error) {
      if (error instanceof SessionLookupError) return undefined; // it has said nothing yet
      throw error;
    }
  }

  /** A project's folder, id or name. */
  async namedProject(word: string): Promise<string> {
    const { cwd, idsOnly } = this.options;
    if (idsOnly === true && word.includes('/')) throw new CliFailure('project-not-found', word);
    const words = idsOnly === true ? [word] : [word, path.resolve(cwd, word)];
    const [only, ...others] = await projectsMeant(words, this.memory.sessions);
    if (only === undefined) throw new CliFailure('project-not-found', word);
    if (others.length > 0) throw new CliFailure('project-ambiguous', word);
    return only.projectId;
  }
}

function isPath(word: string): boolean {
  return word.endsWith('.jsonl') || word.includes('/') || word.includes(path.sep);
}
