import { hash53 } from '../text/hash64';

/** What a node of the chain says, as far as the shape of the conversation depends on it. */
export const NodeKind = { link: 0, human: 1, assistant: 2, toolResult: 3, boundary: 4, note: 5 } as const;

/** One of {@link NodeKind}. */
export type NodeKind = (typeof NodeKind)[keyof typeof NodeKind];

/** A record of the chain. What decides which messages there are can change while later records are read. */
export interface ChainNode {
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
  /** The API message of an assistant line; set by the chain. */
  group: number;
  parent: number;
}

/** Says that a node has no parent that is known. */
export const NO_NODE = -1;

/** The tree of a transcript. The conversation and its figures are both computed from it by the same code, which is why they agree. */
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

  /** The ids of all nodes. */
  ids(): RecordIds {
    return recordIds(this.places.keys());
  }

  find(uuid: string): number {
    return this.places.get(uuid) ?? NO_NODE;
  }

  /** Appends a node, `message` being the API message of an assistant line; returns its position. The uuid must be new. */
  add(node: ChainNode, uuid: string, parent: string | undefined, message: string | undefined): number {
    const place = this.nodes.push(node) - 1;
    if (message !== undefined) {
      node.group = this.groups.get(message) ?? this.groups.size;
      this.groups.set(message, node.group);
    }
    if (parent !== undefined) node.parent = this.parentOf(parent, place);
    this.places.set(uuid, place);
    if (this.waiting.size > 0) this.adopt(uuid, place);
    return place;
  }

  /** Says of a node that it is something else than it seemed when it came. */
  change(place: number, change: Pick<ChainNode, 'kind' | 'isSaid' | 'tokens'>): void {
    Object.assign(this.at(place), change, { isResent: false });
  }

  private parentOf(parent: string, child: number): number {
    const known = this.places.get(parent);
    if (known !== undefined) return known;
    const children = this.waiting.get(parent);
    if (children === undefined) this.waiting.set(parent, [child]);
    else children.push(child);
    return NO_NODE;
  }

  private adopt(uuid: string, parent: number): void {
    for (const child of this.waiting.get(uuid) ?? []) if (child !== parent) Object.assign(this.at(child), { parent });
    this.waiting.delete(uuid);
  }
}

/** The uuids of a transcript's records, as numbers that take little room: thousands of transcripts are remembered at a time. */
export type RecordIds = Float64Array;

export function recordIds(uuids: Iterable<string>): RecordIds {
  return Float64Array.from(uuids, hash53);
}

/** Whether a record has this uuid. Mistaken once in 10¹⁰ times. */
export function hasRecord(ids: RecordIds, uuid: string): boolean {
  return ids.includes(hash53(uuid));
}
