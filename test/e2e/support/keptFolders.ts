import { cp, mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';

/** What stands in a folder: the paths below it, and which of them are folders themselves. */
async function contentsOf(folder: string): Promise<Map<string, { isFolder: boolean }>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []); // there may be none
  return new Map(
    entries.map((entry) => [
      path.relative(folder, path.join(entry.parentPath, entry.name)),
      { isFolder: entry.isDirectory() },
    ]),
  );
}

async function isSame(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(a), stat(b)]);
  if (Math.round(one.mtimeMs) !== Math.round(other.mtimeMs) || one.size !== other.size) return false;
  return (await readFile(a)).equals(await readFile(b));
}

/** A file, as it was and as old as it was. */
async function put(from: string, to: string): Promise<void> {
  await cp(from, to);
  const { atime, mtime } = await stat(from);
  await utimes(to, atime, mtime);
}

async function restore(from: string, to: string): Promise<void> {
  const [wanted, present] = [await contentsOf(from), await contentsOf(to)];
  for (const name of present.keys())
    if (!wanted.has(name)) await rm(path.join(to, name), { recursive: true, force: true });
  for (const [name, { isFolder }] of wanted) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (isFolder) await mkdir(target, { recursive: true });
    else if (!present.has(name) || !(await isSame(source, target))) await put(source, target);
  }
}

/** Copies of folders, so that they can become again what they were. */
export class KeptFolders {
  private constructor(
    private readonly folders: readonly string[],
    private readonly copies: string,
  ) {}

  /** @param copies a folder for them, which nothing else uses */
  static async of(folders: readonly string[], copies: string): Promise<KeptFolders> {
    const kept = new KeptFolders(folders, copies);
    for (const [at, folder] of folders.entries()) {
      await mkdir(kept.copyAt(at), { recursive: true });
      await restore(folder, kept.copyAt(at));
    }
    return kept;
  }

  /** Changes what is not as it was, as another program would: whoever looks at the folders is told of that, and of nothing else. */
  async restore(): Promise<void> {
    for (const [at, folder] of this.folders.entries()) await restore(this.copyAt(at), folder);
  }

  private copyAt(at: number): string {
    return path.join(this.copies, String(at));
  }
}
