import type { ProjectCommit } from '../../core/knowledge/notes/projectProbe';
import { runGit } from '../runGit';

const COMMITS = 200;
const FIELDS = '%cs%x00%s';

/** What git says of a folder: the latest commits that touched it; or why it could not be asked. */
export type GitAnswer = { readonly commits: ProjectCommit[] } | { readonly problem: string };

/** Asks git for the history of a folder. Never fails: a computer without git, or a folder without a repository, is an answer. */
export async function readGitLog(folder: string, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<GitAnswer> {
  const args = ['log', `-${COMMITS}`, '--no-color', `--format=${FIELDS}`, '--', '.'];
  const answer = await runGit({ folder, args, env }, signal);
  return 'problem' in answer ? answer : { commits: answer.stdout.split('\n').flatMap(commitOf) };
}

function commitOf(line: string): ProjectCommit[] {
  const [date, subject] = line.split('\0');
  return date === undefined || subject === undefined ? [] : [{ date, subject }];
}
