import path from 'node:path';
import { runGit } from '../runGit';

/** What git calls a folder's `origin`, and where in the repository it is; undefined where there is none. */
export async function repositoryOf(
  folder: string,
): Promise<{ root: string; remote: string; below: string } | undefined> {
  if (folder === '' || !path.isAbsolute(folder)) return undefined;
  const ask = async (...args: string[]): Promise<string> => {
    const answer = await runGit({ folder, args, env: process.env });
    return 'stdout' in answer ? answer.stdout.trim() : '';
  };
  const remote = (await ask('remote', 'get-url', 'origin')).replace(/^(\w+:\/\/)[^@/]*@/, '$1'); // it may hold a password
  if (remote === '') return undefined;
  const root = path.resolve(await ask('rev-parse', '--show-toplevel'));
  return { root, remote, below: (await ask('rev-parse', '--show-prefix')).replace(/\/$/, '') };
}
