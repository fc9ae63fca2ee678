import { pushTo } from '../text/ownValue';
import type { Entry } from './entry';

/** What a node says, as far as the shape of the conversation depends on it. A `link` says nothing. */
export type NodeKind = Extract<Entry['kind'], 'human' | 'assistant' | 'toolResult' | 'boundary' | 'note'> | 'link';

/** A record of the chain. What decides which messages there are can change while later records are read. */
export interface ChainNode {
  /** In the order of the file. */
  readonly place: number;
  kind: NodeKind;
  readonly isSidechain: boolean;
  /**
   * An assistant line with text, or a human's words beside the path: with the result of a tool call, or typed while the assistant
   * worked.
   */
  isSaid: boolean;
  /** A human's words that say again, or to the end, what the human's words before them said: nothing was answered in between. */
  isResent: boolean;
  readonly tools: number;
  tokens: number;
  readonly resultTokens: number;
  /** The API message of an assistant line. */
  readonly message: string | undefined;
  parent: ChainNode | undefined;
  /** Kept where somebody asks for what was said; not of a link. */
  entry: Entry | undefined;
  /** Weights of what looks like a keepit marker. */
  markers: string[];
  /** Part of its thread as that stands: see `splitThreads`. */
  isLive: boolean;
}

/** The tree of a transcript. The conversation and its figures are both computed from it by the same code, which is why they agree. */
export class ChainTable {
  readonly nodes: ChainNode[] = [];
  private readonly byUuid = new Map<string, ChainNode>();
  /** Children whose parent has not come yet (it may stand later in the file), by the parent's uuid. */
  private readonly waiting = new Map<string, ChainNode[]>();
  /** By what tells a record from every other, whatever its uuid. */
  private readonly byContent = new Map<string, ChainNode>();

  find(uuid: string): ChainNode | undefined {
    return this.byUuid.get(uuid);
  }

  /** The records with which the conversation rested for a while, or ends: by one of them a title in another file names the session. */
  leaves(): string[] {
    const isContinued = new Set<ChainNode | undefined>();
    for (const { kind, parent } of this.nodes)
      if (kind === 'assistant' || kind === 'toolResult') isContinued.add(parent);
    return [...this.byUuid].flatMap(([uuid, node]) => (isSaying(node) && !isContinued.has(node) ? uuid : []));
  }

  /** Appends a node. The uuid must be new. */
  add(node: ChainNode, uuid: string, parent: string | undefined): void {
    this.nodes.push(node);
    if (parent !== undefined) {
      node.parent = this.byUuid.get(parent);
      if (node.parent === undefined) pushTo(this.waiting, parent, node);
    }
    this.name(node, uuid);
  }

  /**
   * Whether the record was written before under another uuid, as a session that is resumed in its own file is: then what follows this one
   * follows that one.
   */
  isRewritten(content: string, uuid: string): boolean {
    const first = this.byContent.get(content);
    if (first !== undefined) this.name(first, uuid);
    return first !== undefined;
  }

  remember(content: string, node: ChainNode): void {
    this.byContent.set(content, node);
  }

  private name(node: ChainNode, uuid: string): void {
    this.byUuid.set(uuid, node);
    for (const child of this.waiting.get(uuid) ?? []) if (child !== node) child.parent = node;
    this.waiting.delete(uuid);
  }
}

/** Whether a node says something or carries a result: only such a node can be a leaf. */
export function isSaying({ kind }: ChainNode): boolean {
  return kind !== 'link' && kind !== 'note';
}

/** A thread's nodes: those of the conversation as it stands, and the branches that were left. */
interface ThreadNodes {
  readonly live: readonly ChainNode[];
  readonly abandoned: readonly BranchNodes[];
}

/** Nodes of a branch that was left by a rewind. */
export interface BranchNodes {
  /** The node after which the ways part. */
  readonly fork: ChainNode | undefined;
  readonly nodes: readonly ChainNode[];
}

/** The session's own thread and those of the sub-agents in the same file. */
export interface SplitThreads {
  readonly main: ThreadNodes;
  /** All nodes of the main thread, parents first, else in file order: for placing what stands between its messages. */
  readonly order: readonly ChainNode[];
  readonly agents: readonly ThreadNodes[];
}

/** Where the live conversation is said to end, and how many nodes were there when it was said (`last-prompt`). */
export interface LeafHint {
  readonly leaf: ChainNode;
  readonly knownNodes: number;
}

/**
 * Splits a chain into threads, and marks what is live. A parent is one of the same thread after that. In an agent's own file every line is
 * marked as a sub-agent's, and all are the main thread.
 */
export function splitThreads(
  nodes: readonly ChainNode[],
  isAgentFile: boolean,
  hint: LeafHint | undefined,
): SplitThreads {
  const isSide = ({ isSidechain }: ChainNode): boolean => isSidechain && !isAgentFile;
  for (const node of nodes) {
    if (node.parent !== undefined && isSide(node.parent) !== isSide(node)) node.parent = undefined;
  }
  const order = markLive(
    nodes.filter((node) => !isSide(node)),
    hint,
  );
  const side = markLive(nodes.filter(isSide), undefined);
  return { main: threadOf(order), order, agents: treesOf(side).map(threadOf) };
}

/** Every sub-agent begins with its own root. */
function treesOf(order: readonly ChainNode[]): ChainNode[][] {
  const trees = new Map<ChainNode, ChainNode[]>();
  for (const node of order) {
    const tree = (node.parent && trees.get(node.parent)) ?? [];
    tree.push(node);
    trees.set(node, tree);
  }
  return [...new Set(trees.values())];
}

function threadOf(order: readonly ChainNode[]): ThreadNodes {
  const branches = new Map<ChainNode, { readonly fork: ChainNode | undefined; readonly nodes: ChainNode[] }>();
  for (const node of order) {
    if (node.isLive) continue;
    const branch = (node.parent && branches.get(node.parent)) ?? { fork: node.parent, nodes: [] };
    branch.nodes.push(node);
    branches.set(node, branch);
  }
  return { live: order.filter(({ isLive }) => isLive), abandoned: [...new Set(branches.values())] };
}

/**
 * Marks the live conversation among `members`, and returns them parents first.
 *
 * A transcript is a forest. In every tree the path from its leaf to its root is live; trees that hang together with no
 * other (a new root after a lost line, history from before) are all kept. The leaf is the last node that says something,
 * or the one that `last-prompt` names, unless something was said after that. Parallel tool calls are siblings, of which
 * only one can be on the path: the other lines of an API message on the path, and the results that hang on live
 * lines, belong too, with what the human said beside them. A request that was stopped and sent again is left behind.
 */
function markLive(members: readonly ChainNode[], hint: LeafHint | undefined): ChainNode[] {
  const order = parentsFirst(members);
  for (const leaf of leavesOf(order, hint)) {
    for (let node: ChainNode | undefined = leaf; node?.isLive === false; node = node.parent) node.isLive = true;
  }
  addSiblings(order);
  leaveResent(order, members);
  return order;
}

/** Whether a node belongs to the path because what it hangs on does. */
function isAnswer(node: ChainNode): boolean {
  return node.kind === 'toolResult' || isBeside(node);
}

/** Whether a human's words stand beside the path: with a result, or typed while the assistant worked. */
function isBeside({ kind, isSaid }: ChainNode): boolean {
  return kind === 'human' && isSaid;
}

function isPrompt({ kind, isSaid }: ChainNode): boolean {
  return kind === 'human' && !isSaid;
}

/** Members so that a parent comes before its children. */
function parentsFirst(members: readonly ChainNode[]): ChainNode[] {
  cutCircles(members);
  const order = new Set<ChainNode>();
  for (const member of members) {
    const walk: ChainNode[] = [];
    for (let node: ChainNode | undefined = member; node !== undefined && !order.has(node); node = node.parent)
      walk.push(node);
    for (const next of walk.reverse()) order.add(next);
  }
  return [...order];
}

/** A circle of parents begins with the record that was written first: then those that follow it stay on one path. */
function cutCircles(members: readonly ChainNode[]): void {
  const seen = new Set<ChainNode>();
  for (const member of members) {
    const walk = new Set<ChainNode>();
    let node: ChainNode | undefined = member;
    for (; node !== undefined && !seen.has(node); node = node.parent) {
      walk.add(node);
      seen.add(node);
    }
    if (node === undefined || !walk.has(node)) continue;
    let first = node;
    for (let next = node.parent; next !== undefined && next !== node; next = next.parent)
      if (next.place < first.place) first = next;
    first.parent = undefined;
  }
}

/** One leaf per tree: of its tips, the one that was written last. */
function leavesOf(order: readonly ChainNode[], hint: LeafHint | undefined): Iterable<ChainNode> {
  const roots = new Map<ChainNode, ChainNode>();
  const leaves = new Map<ChainNode, ChainNode>();
  const leadsOn = above(order, isSaying);
  let last = -1;
  for (const node of order) {
    const root = (node.parent && roots.get(node.parent)) ?? node;
    roots.set(node, root);
    // A tree in which nobody says anything keeps what hangs on its root.
    if (root === node) leaves.set(root, root);
    if (!isSaying(node)) continue;
    last = Math.max(last, node.place);
    const known = leaves.get(root) ?? root;
    if (!leadsOn.has(node) && (node.place > known.place || leadsOn.has(known))) leaves.set(root, node);
  }
  const root = hint !== undefined && last < hint.knownNodes ? roots.get(hint.leaf) : undefined;
  if (root !== undefined && hint !== undefined) leaves.set(root, hint.leaf);
  return leaves.values();
}

/** Marks what belongs to the path without being on it. */
function addSiblings(order: readonly ChainNode[]): void {
  const live = new Set(order.flatMap(({ isLive, message }) => (isLive ? (message ?? []) : [])));
  const leadsOn = above(order, (node) => isSaying(node) && !isAnswer(node));
  for (const node of order) {
    if (node.isLive) continue;
    if (node.kind === 'assistant') node.isLive = node.message !== undefined && live.has(node.message);
    // What leads to other words is the beginning of a branch that was left, unless it is the answer to a live call.
    else if (node.parent?.isLive === true) node.isLive = isAnswer(node) || (!isSaying(node) && !leadsOn.has(node));
  }
}

/** Leaves out a request that was stopped before anything was answered, and then sent again: the words that were sent last count. */
function leaveResent(order: readonly ChainNode[], members: readonly ChainNode[]): void {
  const before = new Map<ChainNode, ChainNode | undefined>();
  let prompt: ChainNode | undefined;
  for (const member of members) {
    if (!isPrompt(member)) continue;
    before.set(member, prompt);
    prompt = member;
  }
  let asked: ChainNode | undefined;
  for (const node of order) {
    if (!node.isLive) continue;
    if (node.kind === 'assistant' && (node.isSaid || node.tools > 0)) asked = undefined;
    if (!isPrompt(node)) continue;
    if (asked !== undefined && node.isResent && asked === before.get(node)) asked.isLive = false;
    asked = node;
  }
}

/** The nodes below which one matches. */
function above(order: readonly ChainNode[], matches: (node: ChainNode) => boolean): ReadonlySet<ChainNode> {
  const found = new Set<ChainNode>();
  for (const node of order.toReversed()) {
    if (node.parent !== undefined && (found.has(node) || matches(node))) found.add(node.parent);
  }
  return found;
}
