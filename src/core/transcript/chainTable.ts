import { recordIds, type RecordIds } from './recordIds';

/** What a node of the chain says, as far as the shape of the conversation depends on it. */
export const NodeKind = { link: 0, human: 1, assistant: 2, toolResult: 3, boundary: 4, note: 5 } as const;

/** One of {@link NodeKind}. */
export type NodeKind = (typeof NodeKind)[keyof typeof NodeKind];

/** What decides which messages there are. */
interface NodeFigures {
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
}

/** One chain record. */
export interface NewNode extends NodeFigures {
  readonly uuid: string;
  readonly parent: string | undefined;
  /** The API message of an assistant line. */
  readonly message: string | undefined;
}

/** A record with its place in the chain. */
interface ChainNode extends NodeFigures {
  parent: number;
  /** The API message of an assistant line. */
  readonly group: number;
}

/** What later records can change of a node. */
type NodeChange = Pick<NodeFigures, 'kind' | 'isSaid' | 'tokens'>;

/** Says that a node has no parent that is known. */
export const NO_NODE = -1;

/** The tree of a transcript. The full conversation and the summary are both computed from it by the same code, which is why they agree. */
export class ChainTable {
  private readonly nodes: ChainNode[] = [];
  private readonly places = new Map<string, number>();
  private readonly groups = new Map<string, number>();
  /** Children whose parent has not come yet (it may stand later in the file), by the parent's uuid. */
  private readonly waiting = new Map<string, number[]>();

  get size(): number {
    return this.nodes.length;
  }

  /** How many API messages there are. */
  get groupCount(): number {
    return this.groups.size;
  }

  at(place: number): Readonly<ChainNode> {
    const node = this.nodes[place];
    if (node === undefined) throw new RangeError(`The chain has no node ${String(place)}`);
    return node;
  }

  has(uuid: string): boolean {
    return this.places.has(uuid);
  }

  /** The ids of all nodes. */
  ids(): RecordIds {
    return recordIds(this.places.keys());
  }

  find(uuid: string): number {
    return this.places.get(uuid) ?? NO_NODE;
  }

  /** Appends a node; returns its position, or {@link NO_NODE} when the uuid is there already. */
  add(added: NewNode): number {
    const { uuid, parent, message } = added;
    if (this.places.has(uuid)) return NO_NODE;
    const place = this.nodes.length;
    const group = message === undefined ? NO_NODE : (this.groups.get(message) ?? this.groups.size);
    if (message !== undefined) this.groups.set(message, group);
    this.nodes.push({
      kind: added.kind,
      isSidechain: added.isSidechain,
      isSaid: added.isSaid,
      isResent: added.isResent,
      tools: added.tools,
      tokens: added.tokens,
      resultTokens: added.resultTokens,
      group,
      parent: parent === undefined ? NO_NODE : this.parentOf(parent, place),
    });
    this.places.set(uuid, place);
    for (const child of this.waiting.get(uuid) ?? []) this.link(child, place);
    this.waiting.delete(uuid);
    return place;
  }

  /** Says of a node that it is something else than it seemed when it came. */
  change(place: number, change: NodeChange): void {
    const node = this.nodes[place];
    if (node !== undefined) Object.assign(node, change, { isResent: false });
  }

  private parentOf(parent: string, child: number): number {
    const known = this.places.get(parent);
    if (known !== undefined) return known;
    const children = this.waiting.get(parent);
    if (children === undefined) this.waiting.set(parent, [child]);
    else children.push(child);
    return NO_NODE;
  }

  private link(child: number, parent: number): void {
    const node = this.nodes[child];
    if (node !== undefined && child !== parent) node.parent = parent;
  }
}
