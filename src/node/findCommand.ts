import { access, constants } from 'node:fs/promises';
import path from 'node:path';

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
