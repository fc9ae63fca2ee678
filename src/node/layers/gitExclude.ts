import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { discardKilled, writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
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
  return isExcludedBy(await textOf(exclude), exclude);
}

/** Adds the line, once. */
export async function addExclude(exclude: GitExclude): Promise<void> {
  const text = await settledText(exclude);
  if (isExcludedBy(text, exclude)) return;
  const { gitDir, file, line } = exclude;
  await ensurePrivateFolder(path.dirname(file), gitDir);
  await writeFileAtomic(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${HEADING}\n${line}\n`);
}

/** Takes out what `addExclude` put in; the file is then byte for byte what it was, but for a newline at its end. */
export async function removeExclude(exclude: GitExclude): Promise<void> {
  const text = await settledText(exclude);
  const { file, line } = exclude;
  const added = `${HEADING}\n${line}\n`;
  if (text.includes(added)) await writeFileAtomic(file, text.replace(added, ''));
}

function isExcludedBy(text: string, { line }: GitExclude): boolean {
  return text.split(/\r?\n/).includes(line);
}

async function textOf({ gitDir, file }: GitExclude): Promise<string> {
  return (await textWithin(gitDir, file)) ?? '';
}

/** What the file says, without what somebody left beside it who was killed while it was written. */
async function settledText(exclude: GitExclude): Promise<string> {
  await refuseLinks(exclude.gitDir, exclude.file);
  await discardKilled(exclude.file);
  return textOf(exclude);
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
