import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { HookInput } from '../core/model/hookInput';
import { projectFolderName } from '../core/sessions/projectNames';

/** What of the environment says where things are. Nothing else of it is looked at. */
export interface HookEnvironment {
  readonly CLAUDE_PROJECT_DIR?: string | undefined;
}

/** Claude Code names its folders after absolute paths: `/home/…` begins with a separator, `C:\…` with a drive. */
const FOLDER = /^(?:-|[A-Za-z]--)/;

/**
 * The project that a session belongs to: Claude Code's folder for it, else the one of the directory that it was started in. A transcript may
 * lie anywhere, where it was resumed from a file.
 */
export function projectOf(input: HookInput, { CLAUDE_PROJECT_DIR }: HookEnvironment): string | undefined {
  const folder = path.dirname(input.transcript_path ?? '');
  const name = path.basename(folder);
  if (path.basename(path.dirname(folder)) === 'projects' && FOLDER.test(name)) return name;
  const cwd = CLAUDE_PROJECT_DIR === undefined || CLAUDE_PROJECT_DIR === '' ? input.cwd : CLAUDE_PROJECT_DIR;
  return cwd === undefined || cwd === null || cwd === '' ? undefined : projectFolderName(realPath(cwd));
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // it may be gone by the time that its session ends
  }
}
