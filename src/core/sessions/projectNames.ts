import type { ResumableSession } from './results';
import type { SessionMeta } from '../transcript/sessionStats';
import { countUp } from '../text/ownValue';

const MAX_FOLDER_NAME = 200;

/**
 * The name that Claude Code gives the folder of a working directory. It cannot be inverted: `a.b` and `a_b` share one.
 * `cwd` must be absolute, with symbolic links resolved.
 */
export function projectFolderName(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  if (name.length <= MAX_FOLDER_NAME) return name;
  let hash = 0;
  for (let index = 0; index < cwd.length; index++) hash = (Math.imul(hash, 31) + cwd.charCodeAt(index)) | 0;
  return `${name.slice(0, MAX_FOLDER_NAME)}-${Math.abs(hash).toString(36)}`;
}

/** What a project is called, and where it lies. */
interface ProjectNames {
  /** The working directory as the records say it; '' when no record does. */
  originalPath: string;
  displayName: string;
}

/**
 * Names a project by the working directory that its records name most often. Directories that belong to the folder go
 * before those that sessions merely changed into, and the folder that its worktrees tell of before theirs.
 */
export function projectNames(
  projectId: string,
  sessions: Iterable<{ meta: SessionMeta }>,
  folder?: string,
): ProjectNames {
  const lines = new Map<string, number>();
  for (const { meta } of sessions) {
    for (const [cwd, count] of Object.entries(meta.cwds)) countUp(lines, cwd, count);
  }
  const ranked = [...lines].sort(([pathA, a], [pathB, b]) => b - a || (pathA < pathB ? -1 : 1)).map(([cwd]) => cwd);
  const originalPath = ranked.find((cwd) => projectFolderName(cwd) === projectId) ?? folder ?? ranked[0] ?? '';
  return { originalPath, displayName: lastSegment(originalPath) || projectId };
}

interface Projects {
  resolveProject(pathOrId: string): Promise<string | undefined>;
  discover(
    request: object,
    signal?: AbortSignal,
  ): Promise<{ readonly projects: readonly (ProjectNames & { readonly projectId: string })[] }>;
}

/** The projects that words for one may mean: its folder or its id, in any of them, else the name that it is shown under. */
export async function projectsMeant(
  words: readonly string[],
  known: Projects,
  signal?: AbortSignal,
): Promise<{ projectId: string; originalPath?: string }[]> {
  for (const word of words) {
    const projectId = await known.resolveProject(word);
    if (projectId !== undefined) return [{ projectId }];
  }
  const { projects } = await known.discover({}, signal);
  return projects.filter(({ displayName }) => displayName.toLowerCase() === words[0]?.toLowerCase());
}

/** The directory in which a session ran for most of its lines; '' when no record says. */
export function commonCwd({ cwds }: SessionMeta): string {
  let common = '';
  let most = 0;
  for (const [cwd, count] of Object.entries(cwds)) {
    if (count <= most) continue;
    most = count;
    common = cwd;
  }
  return common;
}

function lastSegment(path: string): string {
  return path.split(/[/\\]/).findLast((segment) => segment !== '') ?? '';
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
