import path from 'node:path';

/** What lies at a path: the text of a file, `null` for a folder, undefined for nothing that can be read. */
export type FoundText = string | null | undefined;

/**
 * Where a folder lies in the main worktree of its repository; undefined for one that is in no other worktree. Yields each path that it has
 * to look at, so that hooks can read at once and everybody else without blocking. What a worktree says counts only where the repository
 * names it too: else a folder that somebody made up would be given another project's memory.
 */
export function* mainFolder(folder: string): Generator<string, string | undefined, FoundText> {
  for (let root = folder; ; root = path.dirname(root)) {
    const link = path.join(root, '.git');
    const text = yield link;
    if (typeof text === 'string' && text.startsWith('gitdir:')) {
      const own = path.resolve(root, text.slice('gitdir:'.length).trim());
      if (path.basename(path.dirname(own)) !== 'worktrees') return undefined; // a submodule
      const back = yield path.join(own, 'gitdir');
      if (typeof back !== 'string' || path.resolve(own, back.trim()) !== link) return undefined;
      const repository = path.dirname(path.dirname(own));
      const isInside = path.basename(repository).startsWith('.'); // `.git`, or `.bare` beside the worktrees
      return path.join(isInside ? path.dirname(repository) : repository, path.relative(root, folder));
    }
    if (text !== undefined || root === path.dirname(root)) return undefined;
  }
}
