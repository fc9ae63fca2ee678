import path from 'node:path';
import { createHash } from 'node:crypto';
import { runGit } from '../runGit';
import { findRepository } from './gitExclude';

/** Where the content of a file comes from. */
export interface GitSight {
  /** It came with a clone, a pull, a checkout, or what else git does; or that cannot be told. */
  readonly isFromGit: boolean;
  /** Git has this very content. */
  readonly isInGit: boolean;
}

const LOCAL: GitSight = { isFromGit: false, isInGit: false };
const UNTOLD: GitSight = { isFromGit: true, isInGit: false };
const ENTRY = /^\d+ ([0-9a-f]+) (\d)\t/;

/**
 * Whether git brought a file's content here, or a person at this machine wrote it. It is the person's when git has no such content, and
 * has the file under its name not at all, or with a content that `isKnown` says is our own. Contents are compared as objects, which no setting of
 * a repository (line ends, encodings, filters) can make look edited.
 */
export async function sightOf(
  file: string,
  ids: BlobIds,
  { isKnown, env }: { isKnown: (blob: string) => boolean; env: NodeJS.ProcessEnv },
): Promise<GitSight> {
  const repository = await findRepository(path.dirname(file));
  if (repository === undefined) return LOCAL;
  const { root: folder } = repository;
  // In any letter case: some file systems take names for the same that git does not.
  const name = `:(icase,literal)${path.relative(folder, file).split(path.sep).join('/')}`;
  const listed = await runGit({ folder, args: ['ls-files', '-s', '-z', '--', name], env });
  if ('problem' in listed) return listed.isMissing ? LOCAL : UNTOLD;
  const entries = listed.stdout.split('\0').flatMap((line) => {
    const [, blob, stage] = ENTRY.exec(line) ?? [];
    return blob === undefined ? [] : [{ blob, isMerged: stage === '0' }];
  });
  const input = `${ids.sha1}\n${ids.sha256}\n`;
  const asked = await runGit({ folder, args: ['cat-file', '--batch-check'], env, input });
  if ('problem' in asked) return UNTOLD;
  const isInGit = / blob \d+$/m.test(asked.stdout);
  const isNew = entries.some(({ blob, isMerged }) => !isMerged || !isKnown(blob));
  return { isFromGit: isInGit || isNew, isInGit };
}

/** What git calls a content, in repositories of both kinds. The longer one is also what we know a content by. */
export interface BlobIds {
  readonly sha1: string;
  readonly sha256: string;
}

export function blobIdsOf(text: string): BlobIds {
  const bytes = Buffer.from(text, 'utf8');
  const idBy = (algorithm: string): string =>
    createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return { sha1: idBy('sha1'), sha256: idBy('sha256') };
}
