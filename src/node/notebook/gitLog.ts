import { execFile } from 'node:child_process';
import type { ProjectCommit } from '../../core/notebook/projectProbe';
import { findCommand } from '../findCommand';

const COMMITS = 200;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const FIELDS = '%cs%x00%s';

/** What git says of a folder: the latest commits that touched it; or why it could not be asked. */
export type GitAnswer = { readonly commits: ProjectCommit[] } | { readonly problem: string };

/** Asks git for the history of a folder. Never fails: a computer without git, or a folder without a repository, is an answer. */
export async function readGitLog(folder: string, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<GitAnswer> {
  const git = await findCommand('git', env);
  if (git === undefined) return { problem: 'there is no command git' };
  const args = [
    '--no-optional-locks',
    '-C',
    folder,
    'log',
    `-${COMMITS}`,
    '--no-color',
    `--format=${FIELDS}`,
    '--',
    '.',
  ];
  return new Promise((resolve, reject) => {
    execFile(git, args, { env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, signal }, (error, stdout, stderr) => {
      if (signal?.aborted === true) reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      else if (error !== null) resolve({ problem: stderr.trim().split('\n')[0] ?? error.message });
      else resolve({ commits: stdout.split('\n').flatMap(commitOf) });
    });
  });
}

function commitOf(line: string): ProjectCommit[] {
  const [date, subject] = line.split('\0');
  return date === undefined || subject === undefined ? [] : [{ date, subject }];
}
