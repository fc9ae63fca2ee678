import { Accountant } from './accountant';
import { NO_NODE, NodeKind, type ChainTable, type NewNode } from './chainTable';
import type { Entry, EntryDetail, HumanEntry } from './entry';
import { EntryReader, uuidOf } from './entryReader';
import { FactsCollector } from './factsCollector';
import { LaterWords, type WordsSink } from './laterWords';
import { LineScanner, type LineSink, type ScannedLine } from './lineScanner';
import type { LeafHint } from './livePath';
import { RecordReader, type LineContent } from './recordReader';
import { ResentRequests } from './resentRequests';
import { TitleCollector } from './titleCollector';
import type { TokenEstimator } from '../text/tokens/tokenCounter';

/** What to do with a last line that has no newline: read it, read it only if it is whole, or leave it for later. */
export type TailMode = 'read' | 'ifWhole' | 'pending';

/** How a transcript is read. */
export interface IntakeOptions {
  readonly estimator: TokenEstimator;
  readonly detail: EntryDetail;
  readonly maxLineBytes?: number | undefined;
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
  readonly facts = new FactsCollector();
  readonly titles = new TitleCollector();
  readonly account = new Accountant();
  /** What later records tell of earlier ones. */
  readonly later = new LaterWords(this);
  private readonly requests = new ResentRequests();
  /** The last record of the session's own thread that said something: what is typed meanwhile stands behind it. */
  private lastSaid: string | undefined;
  private readonly scanner: LineScanner;
  private readonly records: RecordReader;
  private readonly entries: EntryReader;
  /** The last `last-prompt`, and how many nodes were there when it came. */
  private leaf: { readonly uuid: string; readonly knownNodes: number } | undefined;

  constructor(
    options: IntakeOptions,
    private readonly chain: ChainTable,
    private readonly sink: EntrySink,
  ) {
    this.records = new RecordReader(options.detail);
    this.entries = new EntryReader(rounded(options.estimator), options.detail);
    this.scanner = new LineScanner(this, options.maxLineBytes);
  }

  /** Bytes and lines consumed. */
  get end(): { readonly offset: number; readonly line: number } {
    return { offset: this.scanner.offset, line: this.scanner.line };
  }

  /** Where the live conversation is said to end, when that line is there. */
  leafHint(): LeafHint | undefined {
    if (this.leaf === undefined) return undefined;
    const leaf = this.chain.find(this.leaf.uuid);
    return leaf < 0 ? undefined : { leaf, knownNodes: this.leaf.knownNodes };
  }

  /** Whether a line with this uuid was read. */
  owns(uuid: string): boolean {
    return this.chain.has(uuid);
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
    for (const record of content.records) {
      const reason = this.take(this.entries.read(record, line));
      if (reason === undefined) isUsed = true;
      else skipped ??= reason;
    }
    if (isUsed) this.account.used();
    else this.account.skipped(skipped ?? 'empty');
    if (content.damage !== undefined) this.account.salvaged(line.line, content.damage);
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
    if (isSaying(entry)) this.lastSaid = uuidOf(entry.base);
    return entry.kind === 'skipped' ? entry.reason : undefined;
  }

  private nodeOf(entry: Entry): NewNode {
    const { parent, isSidechain } = entry.base;
    const uuid = uuidOf(entry.base);
    const isAnswer = entry.kind === 'assistant';
    const isHuman = entry.kind === 'human';
    const results = isHuman || entry.kind === 'toolResult' ? entry.results : [];
    return {
      uuid,
      parent: entry.kind === 'queue' ? this.lastSaid : parent,
      kind: KINDS[entry.kind],
      isSidechain,
      isSaid: isAnswer ? entry.blocks.some(({ kind }) => kind === 'text') : isHuman && results.length > 0,
      isResent: isHuman && this.requests.repeats(entry),
      message: isAnswer ? (entry.messageId ?? uuid) : undefined,
      tools: isAnswer ? entry.tools.length : 0,
      tokens: isAnswer || isHuman ? entry.tokens : 0,
      resultTokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
    };
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
    sample: (text) => Math.round(estimator.sample(text)),
  };
}

/** Whether an entry is a link of the chain: it has a uuid, or says something although it has none. */
function isChained(entry: Entry): boolean {
  if (entry.kind === 'queue') return entry.words !== undefined;
  if (entry.base.uuid !== undefined) return entry.kind !== 'title' && entry.kind !== 'leaf';
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
