import { ChainPacker, unpackNodes } from './chainPacking';
import { ChainTable, NO_NODE, type ChainNode, type NodeChange } from './chainTable';
import { keyOf, type IdHash } from './hashIndex';
import { IdFilter, IdFilterBuilder } from './idFilter';
import { emptyTally, LiveTally } from './liveTally';
import type { ChainState, TallyState } from './readingState';

/** With more ids beside the filter, or more blocks, everything is packed anew. */
const MAX_RECENT = 2000;
const MAX_BLOCKS = 200;

/**
 * The chain of a transcript that is counted. Read on from a stored state it stays packed: that an id is new, the filter
 * tells, and what the new nodes change, the tally. Only when one of them cannot tell is the chain unpacked.
 */
export class CountedChain {
  tally: LiveTally;
  private table: ChainTable | undefined;
  private readonly blocks: readonly string[];
  private readonly packed: number;
  private readonly filter: IdFilter;
  private readonly recent: Set<number>;
  /** What came since the state was stored, while the chain is packed. */
  private appended: ChainNode[] = [];

  constructor(state?: ChainState, tally?: TallyState) {
    this.tally = new LiveTally(state === undefined ? emptyTally() : tally);
    this.blocks = state?.blocks ?? [];
    this.packed = state?.count ?? 0;
    this.filter = new IdFilter(state?.filter ?? '');
    this.recent = new Set(state?.recent);
    if (this.packed === 0) this.table = new ChainTable();
  }

  get size(): number {
    return this.table?.size ?? this.packed + this.appended.length;
  }

  /** Appends a node; returns its position, or {@link NO_NODE} when the id is there already. */
  add(node: ChainNode): number {
    if (this.table === undefined && !this.mayHave(node.id)) return this.append(node);
    const table = this.unpack();
    const messages = table.groupCount;
    const at = table.add(node);
    if (at === NO_NODE) return at;
    this.tally.add(node, { isParentKnown: table.parent(at) >= 0, isMessageKnown: table.groupCount === messages });
    return at;
  }

  /** Says of a node that came since the state was stored that it is something else. */
  change(at: number, change: NodeChange): void {
    this.unpack().change(at, change);
    this.tally = new LiveTally(undefined);
  }

  has(id: IdHash): boolean {
    if (this.table === undefined && !this.mayHave(id)) return false;
    return this.unpack().find(id) >= 0;
  }

  /** The chain as a whole. */
  unpack(): ChainTable {
    if (this.table !== undefined) return this.table;
    const table = new ChainTable();
    for (const block of this.blocks) unpackNodes(table, block);
    for (const node of this.appended) table.add(node);
    this.appended = [];
    this.table = table;
    return table;
  }

  /** Plain JSON. What is packed already is not packed again, unless it became many pieces. */
  state(): ChainState {
    const { table, packed } = this;
    const added = table === undefined ? this.appended : nodesFrom(table, packed);
    const recent = [...this.recent, ...added.flatMap(keysOf)];
    if (packed === 0 || recent.length > MAX_RECENT || this.blocks.length >= MAX_BLOCKS) return packAll(this.unpack());
    const blocks = added.length === 0 ? this.blocks : [...this.blocks, pack(added)];
    return { blocks: [...blocks], count: this.size, filter: this.filter.text, recent };
  }

  private append(node: ChainNode): number {
    const { parent, message } = node;
    this.tally.add(node, {
      isParentKnown: parent !== undefined && this.mayHave(parent),
      isMessageKnown: message !== undefined && this.mayHave(message),
    });
    for (const key of keysOf(node)) this.recent.add(key);
    this.appended.push({ ...node });
    return this.size - 1;
  }

  private mayHave(id: IdHash): boolean {
    return this.recent.has(keyOf(id)) || this.filter.has(id);
  }
}

/** Tells for a stored chain whether it has a node. */
export function nodeOwner(state: ChainState): (id: IdHash) => boolean {
  const chain = new CountedChain(state);
  return (id) => chain.has(id);
}

function keysOf({ id, message }: ChainNode): number[] {
  return message === undefined ? [keyOf(id)] : [keyOf(id), keyOf(message)];
}

function nodesFrom(table: ChainTable, from: number): ChainNode[] {
  return Array.from({ length: table.size - from }, (_, i) => table.node(from + i));
}

function packAll(table: ChainTable): ChainState {
  const packer = new ChainPacker();
  const filter = new IdFilterBuilder(table.size + table.groupCount);
  for (let at = 0; at < table.size; at++) {
    const parent = table.parent(at);
    packer.add(table.node(at), parent >= 0 && parent < at ? at - parent : undefined);
    filter.add(table.id(at));
  }
  for (let group = 0; group < table.groupCount; group++) filter.add(table.messageAt(group));
  const blocks = table.size === 0 ? [] : [packer.text()];
  return { blocks, count: table.size, filter: filter.text(), recent: [] };
}

function pack(nodes: readonly ChainNode[]): string {
  const packer = new ChainPacker();
  const places = new Map<number, number>();
  nodes.forEach((node, at) => {
    const parent = node.parent === undefined ? undefined : places.get(keyOf(node.parent));
    packer.add(node, parent === undefined ? undefined : at - parent);
    places.set(keyOf(node.id), at);
  });
  return packer.text();
}
