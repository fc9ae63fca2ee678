import { NO_NODE, NodeKind, type ChainTable } from './chainTable';

/** A thread's nodes: those of the conversation as it stands, and the branches that were left. */
interface ThreadNodes {
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
export function splitThreads(table: ChainTable, isAgentFile: boolean, hint: LeafHint | undefined): SplitThreads {
  const main: number[] = [];
  const side: number[] = [];
  for (let node = 0; node < table.size; node++) {
    (isAgentFile || !table.at(node).isSidechain ? main : side).push(node);
  }
  const path = findLivePath(table, main, hint);
  const agents = side.length === 0 ? [] : splitTrees(findLivePath(table, side, undefined));
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

/** Which nodes make up a thread, and which of them were left behind by a rewind. */
interface LivePath {
  /** All nodes of the thread, parents first, else in file order. */
  readonly order: readonly number[];
  /** By node: whether it is part of the conversation as it stands. */
  readonly isLive: Uint8Array;
  /** By node: the parent inside the thread, cycles cut; -1 for the first of a tree. */
  readonly parents: Int32Array;
}

/** Where the conversation is said to end, and how many nodes were there when it was said (`last-prompt`). */
export interface LeafHint {
  readonly leaf: number;
  readonly knownNodes: number;
}

/**
 * Finds the live conversation among `members`.
 *
 * A transcript is a forest. In every tree the path from its leaf to its root is live; trees that hang together with no
 * other (a new root after a lost line, history from before) are all kept. The leaf is the last node that says something,
 * or the one that `last-prompt` names, unless something was said after that. Parallel tool calls are siblings, of which
 * only one can be on the path: the other lines of an API message on the path, and the results that hang on live
 * lines, belong too, with what the human said beside them. A request that was stopped and sent again is left behind.
 */
function findLivePath(table: ChainTable, members: readonly number[], hint: LeafHint | undefined): LivePath {
  const parents = new Int32Array(table.size).fill(NO_NODE);
  const isMember = new Uint8Array(table.size);
  for (const node of members) isMember[node] = 1;
  for (const node of members) {
    const parent = table.at(node).parent;
    if (parent >= 0 && isMember[parent] === 1) parents[node] = parent;
  }
  const order = parentsFirst(members, parents);
  const isLive = new Uint8Array(table.size);
  for (const leaf of leavesOf(table, order, parents, hint)) {
    for (let node = leaf; node >= 0 && isLive[node] === 0; node = parents[node] ?? NO_NODE) isLive[node] = 1;
  }
  addSiblings(table, order, { parents, isLive });
  leaveResent(table, order, isLive);
  return { order, isLive, parents };
}

/** Whether a node says something or carries a result: only such a node can be a leaf. */
function isSaying(table: ChainTable, node: number): boolean {
  const kind = table.at(node).kind;
  return kind !== NodeKind.link && kind !== NodeKind.note;
}

function speaks(table: ChainTable, node: number): boolean {
  return isSaying(table, node) && !isAnswer(table, node);
}

/** Whether a node belongs to the path because what it hangs on does. */
function isAnswer(table: ChainTable, node: number): boolean {
  return table.at(node).kind === NodeKind.toolResult || isBeside(table, node);
}

/** Whether a human's words stand beside the path: with a result, or typed while the assistant worked. */
function isBeside(table: ChainTable, node: number): boolean {
  return table.at(node).kind === NodeKind.human && table.at(node).isSaid;
}

/** Members so that a parent comes before its children; cuts cycles in `parents` where it meets them. */
function parentsFirst(members: readonly number[], parents: Int32Array): number[] {
  const placed = new Uint8Array(parents.length);
  const order: number[] = [];
  const stack: number[] = [];
  for (const member of members) {
    let node = member;
    while (node >= 0 && placed[node] === 0) {
      placed[node] = 1;
      stack.push(node);
      node = parents[node] ?? NO_NODE;
    }
    const top = stack[stack.length - 1];
    // A walk that ends on a node of this very walk went in a circle.
    if (top !== undefined && node >= 0 && stack.includes(node)) parents[top] = NO_NODE;
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) order.push(next);
  }
  return order;
}

/** One leaf per tree: of its tips, the one that was written last. */
function leavesOf(
  table: ChainTable,
  order: readonly number[],
  parents: Int32Array,
  hint: LeafHint | undefined,
): Iterable<number> {
  const roots = rootsOf(order, parents);
  const leaves = new Map<number, number>();
  const leadsOn = leadsTo(order, parents, (node) => isSaying(table, node));
  let last = NO_NODE;
  for (const node of order) {
    const root = roots[node] ?? node;
    // A tree in which nobody says anything keeps what hangs on its root.
    if (root === node) leaves.set(root, root);
    if (!isSaying(table, node)) continue;
    last = Math.max(last, node);
    const known = leaves.get(root) ?? root;
    if (leadsOn[node] === 0 && (node > known || leadsOn[known] === 1)) leaves.set(root, node);
  }
  const isCurrent = hint !== undefined && last < hint.knownNodes;
  const root = isCurrent ? (roots[hint.leaf] ?? NO_NODE) : NO_NODE;
  if (isCurrent && root >= 0) leaves.set(root, hint.leaf);
  return leaves.values();
}

/** By node: the first node of its tree. */
function rootsOf(order: readonly number[], parents: Int32Array): Int32Array {
  const roots = new Int32Array(parents.length).fill(NO_NODE);
  for (const node of order) {
    const parent = parents[node] ?? NO_NODE;
    roots[node] = parent < 0 ? node : (roots[parent] ?? node);
  }
  return roots;
}

/** Marks what belongs to the path without being on it. */
function addSiblings(
  table: ChainTable,
  order: readonly number[],
  path: { readonly parents: Int32Array; readonly isLive: Uint8Array },
): void {
  const { parents, isLive } = path;
  const liveGroups = new Uint8Array(table.groupCount);
  for (const node of order) {
    const group = table.at(node).group;
    if (group >= 0 && isLive[node] === 1) liveGroups[group] = 1;
  }
  const leadsOn = leadsTo(order, parents, (node) => speaks(table, node));
  for (const node of order) {
    if (isLive[node] === 1) continue;
    const kind = table.at(node).kind;
    if (kind === NodeKind.assistant) {
      if (liveGroups[table.at(node).group] === 1) isLive[node] = 1;
      continue;
    }
    const parent = parents[node] ?? NO_NODE;
    if (parent < 0 || isLive[parent] === 0) continue;
    // What leads to other words is the beginning of a branch that was left, unless it is the answer to a live call.
    const hangsOn = kind === NodeKind.link || kind === NodeKind.note;
    if (isAnswer(table, node) || (hangsOn && leadsOn[node] === 0)) isLive[node] = 1;
  }
}

/** Leaves out a request that was stopped before anything was answered, and then sent again: the words that were sent last count. */
function leaveResent(table: ChainTable, order: readonly number[], isLive: Uint8Array): void {
  let asked = NO_NODE;
  for (const node of order) {
    if (isLive[node] === 0) continue;
    const kind = table.at(node).kind;
    if (kind === NodeKind.assistant && (table.at(node).isSaid || table.at(node).tools > 0)) asked = NO_NODE;
    if (kind !== NodeKind.human || isBeside(table, node)) continue;
    if (asked >= 0 && table.at(node).isResent && asked === askedBefore(table, node)) isLive[asked] = 0;
    asked = node;
  }
}

/** The human's words before a node, in file order. */
function askedBefore(table: ChainTable, node: number): number {
  let at = node - 1;
  const isSidechain = table.at(node).isSidechain;
  while (at >= 0 && !(isPrompt(table, at) && table.at(at).isSidechain === isSidechain)) at--;
  return at;
}

function isPrompt(table: ChainTable, node: number): boolean {
  return table.at(node).kind === NodeKind.human && !isBeside(table, node);
}

/** By node: whether a node that matches is below it. */
function leadsTo(order: readonly number[], parents: Int32Array, matches: (node: number) => boolean): Uint8Array {
  const leadsOn = new Uint8Array(parents.length);
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i] ?? NO_NODE;
    const parent = parents[node] ?? NO_NODE;
    if (parent >= 0 && (leadsOn[node] === 1 || matches(node))) leadsOn[parent] = 1;
  }
  return leadsOn;
}
