import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

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

/** The first of these folders' files of that name that can be run. */
export async function findExecutable(command: string, folders: readonly string[]): Promise<string | undefined> {
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
