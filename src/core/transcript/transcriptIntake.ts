import { Accountant } from './accountant';
import type { ByteText } from './byteText';
import { NO_NODE, NodeKind, type ChainNode, type ChainTable, type NodeChange } from './chainTable';
import type { Entry, HumanEntry } from './entry';
import { EntryReader, uuidOf, type EntryDetail } from './entryReader';
import { FactsCollector } from './factsCollector';
import { hashId, RecentHash, type IdHash } from './hashIndex';
import { LaterWords, type WordsSink } from './laterWords';
import { LineScanner, type LineSink, type ScannedLine } from './lineScanner';
import type { LeafHint } from './livePath';
import type { SummarizerState } from './readingState';
import { RecordMemory } from './recordMemory';
import { RecordReader, type LineContent } from './recordReader';
import { ResentRequests } from './resentRequests';
import { TitleCollector } from './titleCollector';
import { TranscriptError } from './transcriptError';
import type { TokenEstimator } from '../text/tokens/tokenCounter';

/** Lines beyond this are reported as broken and not held in memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** What to do with a last line that has no newline: read it, read it only if it is whole, or leave it for later. */
export type TailMode = 'read' | 'ifWhole' | 'pending';

/** How a transcript is read. */
export interface IntakeOptions {
  readonly bytes: ByteText;
  readonly estimator: TokenEstimator;
  readonly detail: EntryDetail;
  /** What readings of the same detail, one after the other or in turns, share. */
  readonly memory?: RecordMemory | undefined;
  readonly maxLineBytes?: number | undefined;
}

/** Where the nodes of the chain go. */
export interface NodeChain {
  readonly size: number;
  /** Returns the node's position, or -1 when its id is there already. */
  add(node: ChainNode): number;
  /** Says of a node that it is something else than it seemed when it came. */
  change(at: number, change: NodeChange): void;
  has(id: IdHash): boolean;
}

/** Who takes the entries as they come. Duplicates never come. */
export interface EntrySink {
  /** `node` is the position in the chain, or -1 for what stands outside of it. */
  onEntry(entry: Entry, node: number): void;
  /** A node turned out to be a human's words only now; its entry came before, as something else. */
  onWords(entry: HumanEntry, node: number): void;
  /** Such words are a record of their own after all. */
  onWithdrawn(node: number): void;
}

/**
 * The one way from bytes to entries: cuts lines, reads records, drops duplicates, keeps the account, the chain, the
 * facts and the titles. What is done with the entries is the sink's business.
 */
export class TranscriptIntake implements LineSink, WordsSink {
  readonly facts: FactsCollector;
  readonly titles: TitleCollector;
  readonly account: Accountant;
  /** What later records tell of earlier ones. */
  readonly later: LaterWords;
  private readonly requests: ResentRequests;
  /** The last record of the session's own thread that said something: what is typed meanwhile stands behind it. */
  private lastSaid: IdHash | undefined;
  private readonly scanner: LineScanner;
  private readonly records: RecordReader;
  private readonly entries: EntryReader;
  private readonly messageHashes = new RecentHash();
  /** One for all: whoever keeps a node copies it. */
  private readonly node: { -readonly [K in keyof ChainNode]: ChainNode[K] } = {
    id: hashId(''),
    parent: undefined,
    kind: NodeKind.link,
    isSidechain: false,
    isSaid: false,
    isResent: false,
    message: undefined,
    tools: 0,
    tokens: 0,
    resultTokens: 0,
  };
  private leaf: SummarizerState['leaf'];

  constructor(
    options: IntakeOptions,
    private readonly chain: NodeChain,
    private readonly sink: EntrySink,
    resume?: SummarizerState,
  ) {
    this.facts = new FactsCollector(resume?.facts);
    this.titles = new TitleCollector(resume?.titles);
    this.account = new Accountant(resume?.account);
    this.later = new LaterWords(this);
    this.requests = new ResentRequests(resume?.asked);
    this.leaf = resume?.leaf;
    this.lastSaid = resume?.lastSaid;
    const memory = options.memory ?? new RecordMemory(options.detail === 'full');
    this.records = new RecordReader(options.bytes, memory);
    this.entries = new EntryReader(this.records.decoder, rounded(options.estimator), options.detail);
    const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
    const { offset, line } = resume ?? { offset: 0, line: 0 };
    this.scanner = new LineScanner({ bytes: options.bytes, offset, line, maxLineBytes, spare: memory.spare }, this);
  }

  /** Bytes and lines consumed. */
  get end(): { readonly offset: number; readonly line: number } {
    return { offset: this.scanner.offset, line: this.scanner.line };
  }

  /** The last `last-prompt`, if any, as it is stored. */
  get leafState(): SummarizerState['leaf'] {
    return this.leaf;
  }

  /** What reading on needs beside the chain. */
  get state(): Pick<SummarizerState, 'leaf' | 'lastSaid' | 'asked'> {
    const { leaf, lastSaid } = this;
    const asked = this.requests.state();
    return {
      ...(leaf !== undefined && { leaf }),
      ...(lastSaid !== undefined && { lastSaid }),
      ...(asked !== undefined && { asked }),
    };
  }

  /** Where the live conversation is said to end, when that line is in `table`. */
  leafHint(table: ChainTable): LeafHint | undefined {
    if (this.leaf === undefined) return undefined;
    const leaf = table.find(hashId(this.leaf.uuid));
    return leaf < 0 ? undefined : { leaf, knownNodes: this.leaf.knownNodes };
  }

  /** Whether what comes later can no longer change what was read so far. */
  get isSettled(): boolean {
    return !this.later.isOpen && !this.entries.isWaiting;
  }

  /** Whether a line with this uuid was read. */
  owns(uuid: string): boolean {
    return this.chain.has(hashId(uuid));
  }

  feed(chunk: Uint8Array): void {
    this.scanner.feed(chunk);
  }

  /** Deals with the last line. */
  finish(tail: TailMode): void {
    if (tail === 'read') this.scanner.flush();
    if (tail !== 'ifWhole') return;
    const line = this.scanner.tail();
    if (line === undefined) return;
    const content = this.records.read(line);
    if (content.kind === 'records' && content.damage === undefined) this.scanner.flush();
  }

  onLine(line: ScannedLine): void {
    const content = this.records.read(line);
    if (content.kind === 'records') this.takeRecords(line, content);
    else if (content.kind === 'broken') this.account.broken(line.line, content.error);
    else this.account.skipped(content.kind);
  }

  onOversized(line: number, bytes: number): void {
    this.account.broken(line, `oversized: ${String(bytes)} bytes`);
  }

  onWords(entry: HumanEntry, node: number): void {
    this.chain.change(node, { kind: NodeKind.human, isSaid: true, tokens: entry.tokens });
    this.takeWords(entry, node);
    this.sink.onWords(entry, node);
  }

  onWithdrawn(node: number): void {
    this.chain.change(node, { kind: NodeKind.link, isSaid: false, tokens: 0 });
    this.titles.dropWords(node);
    this.sink.onWithdrawn(node);
  }

  private takeRecords(line: ScannedLine, content: LineContent & { kind: 'records' }): void {
    let skipped: string | undefined;
    let isUsed = false;
    let damage = content.damage;
    for (const record of content.records) {
      try {
        const reason = this.take(this.entries.read(record, line));
        if (reason === undefined) isUsed = true;
        else skipped ??= reason;
      } catch (error) {
        if (!(error instanceof TranscriptError)) throw error;
        damage ??= error.message;
      }
    }
    if (isUsed) this.account.used();
    else if (skipped !== undefined) this.account.skipped(skipped);
    else this.account.broken(line.line, damage ?? 'not a record');
    if (damage !== undefined && (isUsed || skipped !== undefined)) this.account.salvaged(line.line, damage);
  }

  /** Hands an entry on; returns why it is not used, or nothing when it is. */
  private take(entry: Entry): string | undefined {
    let node = NO_NODE;
    if (isChained(entry)) {
      node = this.chain.add(this.nodeOf(entry));
      if (node === NO_NODE) return 'duplicate';
    }
    this.facts.add(entry);
    if (entry.kind === 'title') this.titles.add(entry);
    else if (entry.kind === 'leaf') this.leaf = { uuid: entry.leafUuid, knownNodes: this.chain.size };
    else if (entry.kind === 'human') this.takeWords(entry, node);
    this.sink.onEntry(entry, node);
    this.requests.take(entry);
    this.later.take(entry, node);
    if (isSaying(entry)) this.lastSaid = this.node.id;
    return entry.kind === 'skipped' ? entry.reason : undefined;
  }

  private nodeOf(entry: Entry): ChainNode {
    const { parent, isSidechain } = entry.base;
    const id = entry.base.id ?? hashId(uuidOf(entry.base));
    const { node } = this;
    node.id = id;
    node.parent = entry.kind === 'queue' ? this.lastSaid : parent;
    node.kind = KINDS[entry.kind];
    node.isSidechain = isSidechain;
    node.isSaid = entry.kind === 'human' && entry.results.length > 0;
    node.isResent = entry.kind === 'human' && this.requests.repeats(entry);
    node.message = undefined;
    node.tools = 0;
    node.tokens = 0;
    node.resultTokens = 0;
    if (entry.kind === 'assistant') {
      node.isSaid = entry.blocks.some((block) => block.kind === 'text');
      node.message = entry.messageId === undefined ? id : this.messageHashes.of(entry.messageId);
      node.tools = entry.tools.length;
      node.tokens = entry.tokens;
    } else if (entry.kind === 'human' || entry.kind === 'toolResult') {
      if (entry.kind === 'human') node.tokens = entry.tokens;
      for (const { tokens } of entry.results) node.resultTokens += tokens;
    }
    return node;
  }

  private takeWords(entry: HumanEntry, node: number): void {
    if (entry.base.isSidechain && !this.facts.isAgentFile) return;
    const text = entry.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join(' ');
    this.titles.addWords(node, text);
  }
}

/** Token figures are stored and summed as whole numbers. */
function rounded(estimator: TokenEstimator): TokenEstimator {
  return {
    estimate: (text) => Math.round(estimator.estimate(text)),
    estimateBytes: (bytes, start, end) => Math.round(estimator.estimateBytes(bytes, start, end)),
  };
}

/** Whether an entry is a link of the chain: it has a uuid, or says something although it has none. */
function isChained(entry: Entry): boolean {
  if (entry.kind === 'queue') return entry.words !== undefined;
  if (entry.base.id !== undefined) return entry.kind !== 'title' && entry.kind !== 'leaf';
  return entry.kind === 'human' || entry.kind === 'assistant' || entry.kind === 'toolResult';
}

/** Whether something was said in the session's own thread that words typed meanwhile can stand behind. */
function isSaying({ kind, base }: Entry): boolean {
  return !base.isSidechain && (kind === 'human' || kind === 'assistant' || kind === 'toolResult');
}

const KINDS = {
  human: NodeKind.human,
  assistant: NodeKind.assistant,
  toolResult: NodeKind.toolResult,
  boundary: NodeKind.boundary,
  note: NodeKind.note,
  skipped: NodeKind.link,
  title: NodeKind.link,
  leaf: NodeKind.link,
  queue: NodeKind.link,
} as const;
