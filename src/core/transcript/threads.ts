import type { ChainTable } from './chainTable';
import type { Steps } from './steps';
import { findLivePath, type LeafHint, type LivePath } from './livePath';

/** A thread's nodes: those of the conversation as it stands, and the branches that were left. */
export interface ThreadNodes {
  readonly live: readonly number[];
  readonly abandoned: readonly BranchNodes[];
}

/** Nodes of a branch that was left by a rewind. */
export interface BranchNodes {
  /** The node after which the ways part; -1 when there is none. */
  readonly fork: number;
  readonly nodes: readonly number[];
}

/** The session's own thread and those of the sub-agents in the same file. */
export interface SplitThreads {
  readonly main: ThreadNodes;
  /** The main thread's path, for placing what stands between its messages. */
  readonly path: LivePath;
  readonly agents: readonly ThreadNodes[];
}

/** Splits a chain into threads. In an agent's own file every line is marked as a sub-agent's, and all are the main thread. */
export function* splitThreads(
  table: ChainTable,
  isAgentFile: boolean,
  hint: LeafHint | undefined,
): Steps<SplitThreads> {
  const main: number[] = [];
  const side: number[] = [];
  for (let node = 0; node < table.size; node++) {
    if (isAgentFile || !table.at(node).isSidechain) main.push(node);
    else side.push(node);
  }
  yield;
  const path = yield* findLivePath(table, main, hint);
  yield;
  const agents = side.length === 0 ? [] : splitTrees(yield* findLivePath(table, side, undefined));
  yield;
  return { main: threadOf(path, path.order), path, agents };
}

/** One thread per tree: every sub-agent begins with its own root. */
function splitTrees(path: LivePath): ThreadNodes[] {
  const roots = new Map<number, number>();
  const trees: number[][] = [];
  for (const node of path.order) {
    const tree = roots.get(path.parents[node] ?? -1) ?? trees.length;
    if (tree === trees.length) trees.push([]);
    roots.set(node, tree);
    trees[tree]?.push(node);
  }
  return trees.map((nodes) => threadOf(path, nodes));
}

function threadOf(path: LivePath, order: readonly number[]): ThreadNodes {
  const live: number[] = [];
  const branches: { readonly fork: number; readonly nodes: number[] }[] = [];
  const branchOf = new Map<number, number>();
  for (const node of order) {
    if (path.isLive[node] === 1) {
      live.push(node);
      continue;
    }
    const fork = path.parents[node] ?? -1;
    const branch = branchOf.get(fork) ?? branches.length;
    if (branch === branches.length) branches.push({ fork, nodes: [] });
    branchOf.set(node, branch);
    branches[branch]?.nodes.push(node);
  }
  return { live, abandoned: branches };
}
