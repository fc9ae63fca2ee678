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
      if (node.parent === undefined) this.wait(node, parent);
    }
    this.byUuid.set(uuid, node);
    for (const child of this.waiting.get(uuid) ?? []) if (child !== node) child.parent = node;
    this.waiting.delete(uuid);
  }

  private wait(node: ChainNode, parent: string): void {
    const others = this.waiting.get(parent);
    if (others === undefined) this.waiting.set(parent, [node]);
    else others.push(node);
  }
}

/** Whether a node says something or carries a result: only such a node can be a leaf. */
export function isSaying({ kind }: ChainNode): boolean {
  return kind !== 'link' && kind !== 'note';
}
