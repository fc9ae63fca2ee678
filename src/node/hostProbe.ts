import { statfs, access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HostProbe } from '../core/model/host';
import { homedir } from 'node:os';

/** Looks at the machine for `doctor`. Starts no process. */
export class NodeHostProbe implements HostProbe {
  constructor(private readonly env: NodeJS.ProcessEnv = process.env) {}

  async facts(dir: string): Promise<{ nodeVersion: string; freeBytes?: number; claudeCommand?: string }> {
    const freeBytes = await freeBytesAt(dir);
    const claudeCommand = await findCommand('claude', this.env);
    return {
      nodeVersion: process.versions.node,
      ...(freeBytes !== undefined && { freeBytes }),
      ...(claudeCommand !== undefined && { claudeCommand }),
    };
  }
}

/** Of the nearest folder that exists: the store may not have been made yet. */
async function freeBytesAt(dir: string): Promise<number | undefined> {
  for (let folder = path.resolve(dir); ; folder = path.dirname(folder)) {
    const disk = await statfs(folder).catch(() => undefined);
    if (disk !== undefined) return disk.bavail * disk.bsize;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Below the user's home: where `claude` is put by its installers. */
const CLAUDE_FOLDERS = ['.local/bin', '.claude/local', '.npm-global/bin', '.bun/bin'];

/** The user's `claude`: on PATH, else where its installers put it, because an editor that was not started from a terminal has a short PATH. */
export async function findClaude(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = env.HOME ?? homedir();
  const usual = CLAUDE_FOLDERS.map((folder) => path.join(home, folder));
  return (
    (await findCommand('claude', env)) ??
    (await findExecutable('claude', [...usual, '/opt/homebrew/bin', '/usr/local/bin']))
  );
}

/** The file of a command on PATH; undefined when there is none. Starts no process. */
export async function findCommand(command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return findExecutable(command, (env.PATH ?? '').split(path.delimiter));
}

/** Whether a folder is there: that of a session may be gone, or on another machine. */
export async function isFolder(file: string): Promise<boolean> {
  if (file === '') return false;
  return stat(file).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

/** The first of these folders' files of that name that can be run. */
async function findExecutable(command: string, folders: readonly string[]): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.join(folder, command + ending);
      if (folder !== '' && (await isExecutable(file))) return file;
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
