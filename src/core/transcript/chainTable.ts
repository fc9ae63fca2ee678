import { HashIndex, keyOf, type IdHash, type IdList } from './hashIndex';

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
  /**
   * An assistant line with text, or a human's words beside the path: with the result of a tool call, or typed while the assistant
   * worked.
   */
  readonly isSaid: boolean;
  /** A human's words that say again, or to the end, what the human's words before them said: nothing was answered in between. */
  readonly isResent: boolean;
  /** The API message of an assistant line. */
  readonly message: IdHash | undefined;
  readonly tools: number;
  readonly tokens: number;
  readonly resultTokens: number;
}

/** What later records can change of a node. */
export type NodeChange = Pick<ChainNode, 'kind' | 'isSaid' | 'tokens'>;

const FIRST_CAPACITY = 256;

/** The columns of a row. */
const FLAGS = 0;
const PARENT = 1;
const GROUP = 2;
const TOOLS = 3;
const TOKENS = 4;
const RESULT_TOKENS = 5;
const ROW = 6;

const KIND_MASK = 7;
const SIDECHAIN = 8;
const SAID = 16;
const RESENT = 32;

/** Says that a node has no parent that is known. */
export const NO_NODE = -1;

/**
 * The tree of a transcript in columns of numbers: about 40 bytes a record. The full conversation and the summary are
 * both computed from it by the same code, which is why they agree.
 */
export class ChainTable {
  private readonly ids = new HashIndex();
  private readonly messageIds = new HashIndex();
  /** A row of numbers per node: what is asked together lies together. */
  private rows = new Int32Array(FIRST_CAPACITY * ROW);
  /** Whether a parent came after its child. */
  hasLateParents = false;
  /** Children whose parent has not come yet (it may stand later in the file), by the parent's hash. */
  private readonly waiting = new Map<number, { readonly parent: IdHash; readonly children: number[] }>();

  /** By a child in {@link waiting}: the parent that it named. */
  private readonly looseParents = new Map<number, IdHash>();

  get size(): number {
    return this.ids.size;
  }

  /** How many API messages there are. */
  get groupCount(): number {
    return this.messageIds.size;
  }

  has(id: IdHash): boolean {
    return this.find(id) >= 0;
  }

  /** The ids of all nodes. */
  idList(): IdList {
    return this.ids.list();
  }

  find(id: IdHash): number {
    return this.ids.find(id);
  }

  /** Appends a node; returns its position, or {@link NO_NODE} when the id is there already. */
  add(node: ChainNode): number {
    if (this.ids.find(node.id) >= 0) return NO_NODE;
    const at = this.ids.push(node.id);
    const row = at * ROW;
    if (row === this.rows.length) this.grow();
    const { rows } = this;
    rows[row + FLAGS] = flagsOf(node);
    rows[row + PARENT] = node.parent === undefined ? NO_NODE : this.parentOf(node.parent, at);
    rows[row + GROUP] = node.message === undefined ? NO_NODE : this.groupOfMessage(node.message);
    rows[row + TOOLS] = node.tools;
    rows[row + TOKENS] = node.tokens;
    rows[row + RESULT_TOKENS] = node.resultTokens;
    this.adopt(node.id, at);
    return at;
  }

  id(at: number): IdHash {
    return this.ids.at(at);
  }

  /** The API message of a group. */
  messageAt(group: number): IdHash {
    return this.messageIds.at(group);
  }

  /** The API message of an assistant line. */
  message(at: number): IdHash | undefined {
    const group = this.group(at);
    return group < 0 ? undefined : this.messageIds.at(group);
  }

  /** The node as it was added, with the parent that it named, also when that never came. */
  node(at: number): ChainNode {
    return {
      id: this.id(at),
      parent: this.parentHash(at),
      kind: this.kind(at),
      isSidechain: this.isSidechain(at),
      isSaid: this.isSaid(at),
      isResent: this.isResent(at),
      message: this.message(at),
      tools: this.tools(at),
      tokens: this.tokens(at),
      resultTokens: this.resultTokens(at),
    };
  }

  /** Says of a node that it is something else than it seemed when it came. */
  change(at: number, { kind, isSaid, tokens }: NodeChange): void {
    const { rows } = this;
    rows[at * ROW + FLAGS] = flagsOf({ kind, isSaid, isSidechain: this.isSidechain(at), isResent: false });
    rows[at * ROW + TOKENS] = tokens;
  }

  /** The hashes of parents that never came. */
  get missingParents(): readonly IdHash[] {
    return [...this.waiting.values()].map(({ parent }) => parent);
  }

  private parentHash(at: number): IdHash | undefined {
    const parent = this.parent(at);
    return parent >= 0 ? this.ids.at(parent) : this.looseParents.get(at);
  }

  kind(at: number): NodeKind {
    return ((this.rows[at * ROW + FLAGS] ?? 0) & KIND_MASK) as NodeKind;
  }

  isSidechain(at: number): boolean {
    return ((this.rows[at * ROW + FLAGS] ?? 0) & SIDECHAIN) !== 0;
  }

  isSaid(at: number): boolean {
    return ((this.rows[at * ROW + FLAGS] ?? 0) & SAID) !== 0;
  }

  isResent(at: number): boolean {
    return ((this.rows[at * ROW + FLAGS] ?? 0) & RESENT) !== 0;
  }

  parent(at: number): number {
    return this.rows[at * ROW + PARENT] ?? NO_NODE;
  }

  group(at: number): number {
    return this.rows[at * ROW + GROUP] ?? NO_NODE;
  }

  tools(at: number): number {
    return this.rows[at * ROW + TOOLS] ?? 0;
  }

  tokens(at: number): number {
    return this.rows[at * ROW + TOKENS] ?? 0;
  }

  resultTokens(at: number): number {
    return this.rows[at * ROW + RESULT_TOKENS] ?? 0;
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
    this.looseParents.set(at, parent);
    return NO_NODE;
  }

  private adopt(id: IdHash, at: number): void {
    if (this.waiting.size === 0) return;
    const key = keyOf(id);
    const entry = this.waiting.get(key);
    if (entry === undefined) return;
    this.hasLateParents = true;
    for (const child of entry.children) {
      this.rows[child * ROW + PARENT] = at;
      this.looseParents.delete(child);
    }
    this.waiting.delete(key);
  }

  private grow(): void {
    const wider = new Int32Array(this.rows.length * 2);
    wider.set(this.rows);
    this.rows = wider;
  }
}

function flagsOf({
  kind,
  isSidechain,
  isSaid,
  isResent,
}: Pick<ChainNode, 'kind' | 'isSidechain' | 'isSaid' | 'isResent'>): number {
  return kind | (isSidechain ? SIDECHAIN : 0) | (isSaid ? SAID : 0) | (isResent ? RESENT : 0);
}
