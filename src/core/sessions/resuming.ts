import type { ClaudeFolder } from '../transcript/claudeFolder';
import { readBeginning } from './agentFiles';
import { projectFolderName } from './projectNames';
import type { SessionRef } from './results';
import type { SessionIndex } from './sessionIndex';

/** A session, with all that Claude Code needs to go on with it. */
export interface ResumableSession extends SessionRef {
  /** Its transcript. */
  readonly file: string;
  /** Claude Code has no such file of its own: this is the kept one, or one from elsewhere. It has to stay as it is. */
  readonly isCopy: boolean;
  /** The folder that it began in; '' when it does not say. */
  readonly folder: string;
}

/** Finds sessions to go on with. */
export function resumingOf({ sources, claude }: { sources: SessionIndex; claude: ClaudeFolder }) {
  return {
    /** Throws `SessionLookupError` when there is no such session. */
    resumable: async (ref: SessionRef, signal?: AbortSignal): Promise<ResumableSession> => {
      const { file, isKept, isInFolder } = await sources.locate(ref, signal);
      const folder = (await readBeginning(claude, file.path, signal))?.firstCwd ?? '';
      const { projectId, sessionId } = ref;
      return { projectId, sessionId, file: file.path, isCopy: isKept || !isInFolder, folder };
    },
  };
}

/**
 * What `claude` is told. It finds a session by its id only from the folder that it belongs to; its file it takes from anywhere, and goes
 * on writing into that very file unless it forks.
 */
export function resumeArguments(
  { sessionId, file, isCopy, folder }: ResumableSession,
  { isFork, isFolderThere }: { isFork: boolean; isFolderThere: boolean },
): string[] {
  const isById = !isCopy && isFolderThere && projectFolderName(folder) === file.split(/[\\/]/).at(-2);
  return ['--resume', isById ? sessionId : file, ...(isFork || isCopy ? ['--fork-session'] : [])];
}
