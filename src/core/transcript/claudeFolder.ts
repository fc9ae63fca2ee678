import type { TranscriptFile } from '../model/host';
import { KeepitError, type ErrorText } from '../text/keepitError';

/** A session's transcript and the files of its sub-agents that lie in its own folder. */
export interface SessionFile extends TranscriptFile {
  sessionId: string;
  /** `<session>/subagents/agent-*.jsonl`. */
  subAgents: TranscriptFile[];
}

/** Something that is not read, though it lies where transcripts do. */
export interface SkippedFile {
  path: string;
  /** Why, in one sentence that names it. */
  problem: string;
}

/** One of Claude Code's project folders with those of its other worktrees, read from directory entries alone. */
export interface ProjectFolder {
  projectId: string;
  sessions: SessionFile[];
  /** `agent-<hex>.jsonl` beside the sessions: whose they are is written inside. */
  strayAgents: TranscriptFile[];
  /** Symbolic links that lead out of Claude Code's folder. Absent where there are none. */
  skipped?: SkippedFile[];
  /** Why the folder could not be listed; sessions are then empty. */
  problem?: string;
}

/** Claude Code's folder, for reading. */
export interface ClaudeFolder {
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly dir: string;
  /** Called by every discovery. Opens no transcript. A missing folder is an empty list; `only` narrows to some project ids. */
  list(only?: readonly string[], signal?: AbortSignal): Promise<ProjectFolder[]>;
  /** The ids of the projects. A missing folder is an empty list. */
  projectIds(): Promise<string[]>;
  /** The folder whose project a folder belongs to: for one in a worktree that of the repository's main one, else itself. */
  mainFolder(path: string): Promise<string>;
  /** The root of the repository that a folder lies in; undefined for one in none. */
  repositoryOf(folder: string): Promise<string | undefined>;
  /** The folder of a project, as far as its worktrees tell. */
  folderOf(projectId: string): Promise<string | undefined>;
  /** The path that a file or folder really has: absolute, symbolic links resolved as far as it exists. */
  realPath(path: string): Promise<string>;
  /** The size and date now; undefined when the file is gone. */
  stat(path: string): Promise<TranscriptFile | undefined>;
  /** Chunks of at most 1 MB from `start` to `end` (exclusive; default: the end of the file now). The buffer of a chunk is reused: copy what is kept. */
  read(path: string, range?: { start?: number; end?: number }, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** `cleanupPeriodDays` of Claude Code's settings, 30 when unset. Read before each discovery. */
  cleanupPeriodDays(): Promise<number>;
}

export type TranscriptUnreadableReason = 'vanished' | 'not-permitted' | 'link' | 'io';

const transcriptTexts: Record<TranscriptUnreadableReason, (path: string) => ErrorText> = {
  vanished: (path) => ({
    message: `${path} is no longer there.`,
    hint: 'Claude Code deletes transcripts after a while; add sessions to memory to keep them.',
  }),
  'not-permitted': (path) => ({
    message: `${path} may not be read by this user.`,
    hint: 'Give yourself read access to the file.',
  }),
  link: (path) => ({
    message: `${path} is a symbolic link that leads out of its folder, and is not read.`,
    hint: 'Put the file itself there; only Claude Code’s folder and its `projects` may be links.',
  }),
  io: (path) => ({
    message: `${path} could not be read.`,
    hint: 'Check the disk or network drive that holds the file.',
  }),
};

/** A transcript that cannot be opened or read, for reasons outside the file's content: damage inside never throws. */
export class TranscriptUnreadableError extends KeepitError {
  constructor(
    readonly reason: TranscriptUnreadableReason,
    readonly path: string,
    options?: { cause?: unknown },
  ) {
    super(`transcript-${reason}`, transcriptTexts[reason](path), options);
  }
}
