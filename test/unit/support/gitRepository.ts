import { execFileSync } from 'node:child_process';

/** Runs git in a folder, as a person who has no settings of their own would. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Adds all that is there, ignored files too, and commits it. */
export function commitAll(folder: string, message = 'work'): void {
  git(folder, 'add', '-A', '-f');
  git(folder, 'commit', '-q', '--allow-empty', '-m', message);
}
