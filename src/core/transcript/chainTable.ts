import { HashIndex, type IdHash } from './hashIndex';

/** What a node of the chain says, as far as the shape of the conversation depends on it. */
export const NodeKind = { link: 0, human: 1, assistant: 2, toolResult: 3, boundary: 4, note: 5 } as const;

/** One of {@link NodeKind}. */
export type NodeKind = (typeof NodeKind)[keyof typeof NodeKind];

/** One chain record, reduced to what decides which messages there are. */
export interface ChainNode {
  readonly id: IdHash;
  readonly parent: IdHash | undefined;
  readonly kind: NodeKind;
  readonly isSidechain: boolean;
  /** An assistant line with text, or a note that opens a turn. */
  readonly isSaid: boolean;
  /** The API message of an assistant line. */
  readonly message: IdHash | undefined;
  readonly tools: number;
  readonly tokens: number;
  readonly resultTokens: number;
}

const FIRST_CAPACITY = 256;
const KIND_MASK = 7;
const SIDECHAIN = 8;
const SAID = 16;

/** Says that a node has no parent that is known. */
export const NO_NODE = -1;

/**
 * The tree of a transcript in columns of numbers: about 40 bytes a record. The full conversation and the summary are
 * both computed from it by the same code, which is why they agree.
 */
export class ChainTable {
  private readonly ids = new HashIndex();
  private readonly messageIds = new HashIndex();
  private flags = new Uint8Array(FIRST_CAPACITY);
  private parents = new Int32Array(FIRST_CAPACITY);
  private groups = new Int32Array(FIRST_CAPACITY);
  private toolCounts = new Int32Array(FIRST_CAPACITY);
  private tokenCounts = new Int32Array(FIRST_CAPACITY);
  private resultTokenCounts = new Int32Array(FIRST_CAPACITY);
  /** Children whose parent has not come yet (it may stand later in the file), by the parent's hash. */
  private readonly waiting = new Map<number, { readonly parent: IdHash; readonly children: number[] }>();

  get size(): number {
    return this.ids.size;
  }

  /** How many API messages there are. */
  get groupCount(): number {
    return this.messageIds.size;
  }

  find(id: IdHash): number {
    return this.ids.find(id);
  }

  /** Appends a node; returns its position, or {@link NO_NODE} when the id is there already. */
  add(node: ChainNode): number {
    if (this.ids.find(node.id) >= 0) return NO_NODE;
    if (this.size === this.flags.length) this.grow();
    const at = this.ids.push(node.id);
    this.flags[at] = node.kind | (node.isSidechain ? SIDECHAIN : 0) | (node.isSaid ? SAID : 0);
    this.toolCounts[at] = node.tools;
    this.tokenCounts[at] = node.tokens;
    this.resultTokenCounts[at] = node.resultTokens;
    this.groups[at] = node.message === undefined ? NO_NODE : this.groupOfMessage(node.message);
    this.parents[at] = node.parent === undefined ? NO_NODE : this.parentOf(node.parent, at);
    this.adopt(node.id, at);
    return at;
  }

  id(at: number): IdHash {
    return this.ids.at(at);
  }

  /** The API message of an assistant line. */
  message(at: number): IdHash | undefined {
    const group = this.group(at);
    return group < 0 ? undefined : this.messageIds.at(group);
  }

  /** What the node named as its parent, also when that never came. */
  parentHash(at: number): IdHash | undefined {
    const parent = this.parent(at);
    if (parent >= 0) return this.ids.at(parent);
    for (const entry of this.waiting.values()) if (entry.children.includes(at)) return entry.parent;
    return undefined;
  }

  kind(at: number): NodeKind {
    return ((this.flags[at] ?? 0) & KIND_MASK) as NodeKind;
  }

  isSidechain(at: number): boolean {
    return ((this.flags[at] ?? 0) & SIDECHAIN) !== 0;
  }

  isSaid(at: number): boolean {
    return ((this.flags[at] ?? 0) & SAID) !== 0;
  }

  parent(at: number): number {
    return this.parents[at] ?? NO_NODE;
  }

  group(at: number): number {
    return this.groups[at] ?? NO_NODE;
  }

  tools(at: number): number {
    return this.toolCounts[at] ?? 0;
  }

  tokens(at: number): number {
    return this.tokenCounts[at] ?? 0;
  }

  resultTokens(at: number): number {
    return this.resultTokenCounts[at] ?? 0;
  }

  private groupOfMessage(message: IdHash): number {
    const group = this.messageIds.find(message);
    return group < 0 ? this.messageIds.push(message) : group;
  }

  private parentOf(parent: IdHash, at: number): number {
    const known = this.ids.find(parent);
    if (known >= 0) return known === at ? NO_NODE : known;
    const key = keyOf(parent);
    const entry = this.waiting.get(key);
    if (entry === undefined) this.waiting.set(key, { parent, children: [at] });
    else entry.children.push(at);
    return NO_NODE;
  }

  private adopt(id: IdHash, at: number): void {
    if (this.waiting.size === 0) return;
    const key = keyOf(id);
    const entry = this.waiting.get(key);
    if (entry === undefined) return;
    for (const child of entry.children) if (child !== at) this.parents[child] = at;
    this.waiting.delete(key);
  }

  private grow(): void {
    const capacity = this.flags.length * 2;
    const flags = new Uint8Array(capacity);
    flags.set(this.flags);
    this.flags = flags;
    this.parents = widen(this.parents, capacity);
    this.groups = widen(this.groups, capacity);
    this.toolCounts = widen(this.toolCounts, capacity);
    this.tokenCounts = widen(this.tokenCounts, capacity);
    this.resultTokenCounts = widen(this.resultTokenCounts, capacity);
  }
}

function widen(column: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(capacity);
  wider.set(column);
  return wider;
}

function keyOf(hash: IdHash): number {
  return hash.high * 0x100000000 + (hash.low >>> 0);
}
