import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { HookInput } from '../core/model/hookInput';
import { projectFolderName } from '../core/sessions/projectNames';
import { mainFolder, type FoundText } from '../node/claude/mainFolder';
import type { HookLayout } from '../node/hooks/hookLayout';

/** What of the environment says where things are. Nothing else of it is looked at. */
export interface HookEnvironment {
  readonly CLAUDE_PROJECT_DIR?: string | undefined;
}

/** Claude Code names its folders after absolute paths: `/home/…` begins with a separator, `C:\…` with a drive. */
const FOLDER = /^(?:-|[A-Za-z]--)/;

/** Where a session belongs. */
export interface HookPlace {
  readonly projectId: string;
  /** Set where it runs in another worktree of the project: Claude Code's name of that, and the project's folder. */
  readonly worktree?: { readonly name: string; readonly main: string } | undefined;
}

/**
 * The project that a session belongs to: Claude Code's folder for it, else the one of the directory that it was started in; for a worktree
 * that has no memory of its own that of its repository's main folder. A transcript may lie anywhere, where it was resumed from a file.
 */
export function projectOf(
  input: HookInput,
  { CLAUDE_PROJECT_DIR }: HookEnvironment,
  layout: HookLayout,
): HookPlace | undefined {
  const folder = path.dirname(input.transcript_path ?? '');
  const isOwn = path.basename(path.dirname(folder)) === 'projects' && FOLDER.test(path.basename(folder));
  const cwd = startFolder(input.cwd, CLAUDE_PROJECT_DIR);
  const name = isOwn ? path.basename(folder) : cwd && projectFolderName(cwd);
  if (name === undefined || !areTogether(layout) || existsSync(layout.project(name).manifest)) {
    return name === undefined ? undefined : { projectId: name };
  }
  const noted = textAt(layout.worktree(name));
  const main = typeof noted === 'string' ? noted : mainOf(cwd, name);
  return main === undefined ? { projectId: name } : { projectId: projectFolderName(main), worktree: { name, main } };
}

function startFolder(cwd: string | null | undefined, named: string | undefined): string | undefined {
  const given = named === undefined || named === '' ? cwd : named;
  return given === undefined || given === null || given === '' ? undefined : realPath(given);
}

/** Claude Code may have gone to another folder since: only that of its project counts. */
function mainOf(cwd: string | undefined, name: string): string | undefined {
  if (cwd === undefined || projectFolderName(cwd) !== name) return undefined;
  const steps = mainFolder(cwd);
  let step = steps.next();
  while (step.done !== true) step = steps.next(textAt(step.value));
  return step.value;
}

function areTogether({ config }: HookLayout): boolean {
  const text = textAt(config);
  return typeof text !== 'string' || !/"worktrees"\s*:\s*"apart"/.test(text);
}

function textAt(file: string): FoundText {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return null;
    return stats?.isFile() === true ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined; // what may not be read says nothing
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // it may be gone by the time that its session ends
  }
}
