import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Remembered } from '../core/claude/remembering';
import type { CommandContext } from './context';
import type { Page } from './page';

/** A project that is not remembered yet, and where it would be written to. */
export interface ProjectToRemember {
  readonly projectId: string;
  readonly folder: string;
  readonly dir: string;
}

/** That of the current folder: one that there are sessions of, or a repository. */
export async function projectToRemember({ scope, memory }: CommandContext): Promise<ProjectToRemember | undefined> {
  const { projectId, folder } = await scope.projectHere();
  const isProject = (await scope.projectId()) !== undefined || existsSync(path.join(folder, '.git'));
  if (!isProject || folder === homedir()) return undefined;
  const { isEnabled, problem, dir } = await memory.layers.status(projectId, { folder });
  return isEnabled || problem !== undefined ? undefined : { projectId, folder, dir };
}

/** What was taken in when a project began to be remembered. */
export function rememberedText({ registered, built }: Remembered, { plural }: Page): string {
  const known = `${plural(registered, 'session')} taken in, ${plural(built.exchanges, 'request')} known.`;
  const failed = built.failed.length;
  const unread = failed === 0 ? '' : ` ${plural(failed, 'session')} could not be read.`;
  return `${known} New ones are taken in by themselves.${unread}`;
}
