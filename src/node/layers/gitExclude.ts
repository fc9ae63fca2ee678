import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { refuseLinks, textWithin } from '../files/links';

const HEADING = '# Keepit: what it knows of this project';

/** Where git is told to pass over a folder, and in which words. */
interface GitExclude {
  /** The repository's own folder, below which nothing may be a symbolic link. */
  readonly gitDir: string;
  /** `.git/info/exclude` of the repository, also of one with several working trees. */
  readonly file: string;
  readonly line: string;
}

/** Undefined for a folder that is in no repository. */
export async function findGitExclude(folder: string): Promise<GitExclude | undefined> {
  const found = await findRepository(folder);
  if (found === undefined) return undefined;
  const below = path.relative(found.root, folder).split(path.sep).join('/');
  const { gitDir } = found;
  return { gitDir, file: path.join(gitDir, 'info', 'exclude'), line: `/${below}/` };
}

/** The working tree that a folder is in, and git's own folder of it. Undefined for a folder that is in none. */
export async function findRepository(folder: string): Promise<{ root: string; gitDir: string } | undefined> {
  for (let root = folder; ; root = path.dirname(root)) {
    const gitDir = await gitDirOf(root);
    if (gitDir !== undefined) return { root, gitDir };
    if (path.dirname(root) === root) return undefined;
  }
}

export async function isExcluded(exclude: GitExclude): Promise<boolean> {
  return ((await textOf(exclude)) ?? '').split(/\r?\n/).includes(exclude.line);
}

/** Adds the line, once. */
export async function addExclude(exclude: GitExclude): Promise<void> {
  if (await isExcluded(exclude)) return;
  const { gitDir, file, line } = exclude;
  const text = (await textOf(exclude)) ?? '';
  await ensurePrivateFolder(path.dirname(file), gitDir);
  await writeFileAtomic(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${HEADING}\n${line}\n`);
}

/** Takes out what `addExclude` put in; the file is then byte for byte what it was, but for a newline at its end. */
export async function removeExclude(exclude: GitExclude): Promise<void> {
  const text = await textOf(exclude);
  const { gitDir, file, line } = exclude;
  const added = `${HEADING}\n${line}\n`;
  if (text?.includes(added) !== true) return;
  await refuseLinks(gitDir, file);
  await writeFileAtomic(file, text.replace(added, ''));
}

async function textOf({ gitDir, file }: GitExclude): Promise<string | undefined> {
  return textWithin(gitDir, file);
}

/** The repository's own folder; a working tree or a submodule has a file that leads there. */
async function gitDirOf(root: string): Promise<string | undefined> {
  const dotGit = path.join(root, '.git');
  const stats = await unlessGone(stat(dotGit));
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return dotGit;
  const target = /^gitdir:\s*(.+)$/m.exec((await unlessGone(readFile(dotGit, 'utf8'))) ?? '')?.[1];
  if (target === undefined) return undefined;
  const own = path.resolve(root, target.trim());
  const common = await unlessGone(readFile(path.join(own, 'commondir'), 'utf8'));
  return common === undefined ? own : path.resolve(own, common.trim());
}
