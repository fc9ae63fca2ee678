import { findCommand } from './hostProbe';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** A repository that somebody made up starts no program, and nothing is fetched. */
const SAFE = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'protocol.allow=never'];
/** What a hook of git's has set is about another repository. */
const OF_ANOTHER = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|PREFIX|.*_PATHSPECS)$/;

interface GitQuestion {
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** What it reads from stdin. */
  readonly input?: string;
}

/** What git puts out; or why it could not be asked. */
type GitOutput =
  | { readonly stdout: string }
  | {
      readonly problem: string;
      /** There is no git, or no repository. */
      readonly isMissing: boolean;
    };

/** Asks git about a folder. Never fails, but for an abort: a computer without git, or a folder without a repository, is an answer. */
export async function runGit({ folder, args, env, input }: GitQuestion, signal?: AbortSignal): Promise<GitOutput> {
  const git = await findCommand('git', env);
  if (git === undefined) return { problem: 'there is no command git', isMissing: true };
  const { execFile } = await import('node:child_process'); // loading it takes longer than most commands do
  const own = Object.entries(env).filter(([name]) => !OF_ANOTHER.test(name));
  const options = {
    env: { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' },
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_BYTES,
    signal,
  };
  return new Promise((resolve, reject) => {
    const child = execFile(git, [...SAFE, '-C', folder, ...args], options, (error, stdout, stderr) => {
      if (signal?.aborted === true) reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      else if (error !== null) resolve(failed(stderr.trim().split('\n')[0] ?? error.message));
      else resolve({ stdout });
    });
    child.stdin?.on('error', () => undefined); // it ended without reading: its exit code says so
    child.stdin?.end(input ?? '');
  });
}

function failed(problem: string): GitOutput {
  return { problem, isMissing: /not a git repository/i.test(problem) };
}
