import type { TokenEstimator } from '../text/tokens/tokenCounter';
import { splitThreads, ChainTable, type LeafHint, type SplitThreads, type ChainNode, type NodeKind } from './threads';
import { buildConversation, planTurns } from './conversation';
import { textsOf, uuidOf, type Entry, type EntryDetail, type HumanEntry } from './entry';
import { EntryReader } from './entryReader';
import { LaterWords, ResentRequests, type WordsSink } from './laterWords';
import { LineScanner, type Line, type LineSink } from './lineScanner';
import { readRecords, type LineContent } from './recordReader';
import type { Counting, SessionStats } from './sessionStats';
import { StatsCollector } from './statsCollector';
import type { Conversation } from './types';
import { UsagePairCollector } from '../text/tokens/calibration';
import { countUp, sumOf } from '../text/ownValue';

/** So much of a text's beginning and end, and its length, tell it from others of the same millisecond. */
const TOLD_BY = 40;

/** What to do with a last line that has no newline: read it, or read it only if it is whole, as a live session's may not be. */
export type TailMode = 'read' | 'ifWhole';

/** How a transcript is read. */
interface ReaderOptions {
  readonly estimator: TokenEstimator;
  /** `full` by default, as a conversation needs it; for the figures `counts` will do. */
  readonly detail?: EntryDetail | undefined;
  /** What the estimator's figures are; `estimate` by default. */
  readonly counting?: Counting | undefined;
  readonly maxLineBytes?: number | undefined;
  /** Sees every entry that is not a duplicate, in file order. */
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

/** What looks like a keepit marker; whether it is one, the grammar of `core/keepits` decides. */
const MARKER = /##keepit([^#\n`]{0,24})##/gi;

/**
 * Reads a transcript: feed it the file's chunks, then ask for its figures or its conversation. Cuts lines, reads records, drops
 * duplicates, keeps the account and the chain. It holds what was said and a line per tool step; everything large stays in the file.
 */
export class TranscriptReader implements LineSink, WordsSink {
  private readonly chain = new ChainTable();
  private readonly collected = new StatsCollector();
  private readonly pairs = new UsagePairCollector();
  private readonly later = new LaterWords(this);
  private readonly requests = new ResentRequests();
  /** The last record of the session's own thread that said something: what is typed meanwhile stands behind it. */
  private lastSaid: string | undefined;
  /** The last `last-prompt`, and how many nodes were there when it came. */
  private leaf: { readonly uuid: string; readonly knownNodes: number } | undefined;
  private readonly detail: EntryDetail;
  private readonly scanner: LineScanner;
  private readonly entries: EntryReader;

  constructor(private readonly options: ReaderOptions) {
    this.detail = options.detail ?? 'full';
    this.entries = new EntryReader(options.estimator, this.detail);
    this.scanner = new LineScanner(this, options.maxLineBytes);
  }

  /** Takes the next bytes. */
  feed(chunk: Uint8Array): void {
    this.scanner.feed(chunk);
  }

  /** The figures; after that, feed nothing more. They are those of the conversation: both come from the same chain by the same code. */
  stats(tail: TailMode = 'ifWhole'): SessionStats {
    const { main, agents } = this.split(tail);
    const turns = planTurns(main.live);
    const markers = new Map<string, number>();
    let toolSteps = 0;
    let tokens = 0;
    let resultTokens = 0;
    for (const node of main.live) {
      toolSteps += node.tools;
      tokens += node.tokens;
      resultTokens += node.resultTokens;
      for (const weight of node.markers) countUp(markers, weight);
    }
    return {
      messages: sumOf(turns, ({ length }) => length),
      turns: turns.length,
      tokens: tokens + resultTokens,
      resultTokens,
      counting: this.options.counting ?? 'estimate',
      toolSteps,
      inlineAgents: agents.length,
      keepitCandidates: Object.fromEntries(markers),
      leaves: this.chain.leaves(),
      ...this.found(),
      usagePairs: this.pairs.byModel(),
      end: this.scanner.end,
    };
  }

  /** The conversation; after that, feed nothing more. */
  conversation(tail: TailMode = 'ifWhole'): Conversation {
    const split = this.split(tail);
    return {
      ...buildConversation({ nodes: this.chain.nodes, split, unsent: this.later.unsent }),
      ...this.found(),
      end: this.scanner.end,
    };
  }

  onLine(line: Line): void {
    const content = readRecords(line.text);
    if (content.kind === 'records') this.takeRecords(line, content);
    else if (content.kind === 'broken') this.collected.broken(line.line, content.error);
    else this.collected.skipped(content.kind);
  }

  onOversized(line: number, bytes: number): void {
    this.collected.broken(line, `oversized: ${String(bytes)} bytes`);
  }

  onWords(entry: HumanEntry, node: ChainNode | undefined): void {
    if (node === undefined) return;
    Object.assign(node, { kind: 'human', isSaid: true, isResent: false, tokens: entry.tokens });
    this.keep(entry, node);
  }

  onWithdrawn(node: ChainNode | undefined): void {
    if (node === undefined) return;
    Object.assign(node, { kind: 'link', isSaid: false, tokens: 0, entry: undefined, markers: [] });
    this.collected.dropWords(node);
  }

  private split(tail: TailMode): SplitThreads {
    this.finish(tail);
    return splitThreads(this.chain.nodes, this.collected.isAgentFile, this.leafHint());
  }

  /** Deals with the last line. */
  private finish(tail: TailMode): void {
    const line = this.scanner.tail();
    if (line !== undefined && tail === 'ifWhole') {
      const content = readRecords(line.text);
      if (content.kind !== 'records' || content.damage !== undefined) return;
    }
    if (line !== undefined || tail === 'read') this.scanner.flush();
  }

  private takeRecords(line: Line, { records, damage }: LineContent & { kind: 'records' }): void {
    let skipped: string | undefined;
    let isUsed = false;
    for (const record of records) {
      const reason = this.take(this.entries.read(record, line));
      if (reason === undefined) isUsed = true;
      else skipped ??= reason;
    }
    if (isUsed) this.collected.used();
    else this.collected.skipped(skipped ?? 'empty');
    if (damage !== undefined) this.collected.salvaged(line.line, damage);
  }

  /** Returns why an entry is not used, or nothing when it is. */
  private take(entry: Entry): string | undefined {
    let node: ChainNode | undefined;
    const uuid = uuidOf(entry.base);
    if (isChained(entry)) {
      const content = contentOf(entry);
      if (this.chain.find(uuid) !== undefined) return 'duplicate';
      if (content !== undefined && this.chain.isRewritten(content, uuid)) return 'duplicate';
      node = this.nodeOf(entry);
      if (content !== undefined) this.chain.remember(content, node);
      this.chain.add(node, uuid, entry.kind === 'queue' ? this.lastSaid : entry.base.parent);
    }
    this.collected.add(entry);
    if (entry.kind === 'leaf') this.leaf = { uuid: entry.leafUuid, knownNodes: this.chain.nodes.length };
    this.keep(entry, node);
    this.pairs.add(entry);
    this.options.onEntry?.(entry);
    this.requests.take(entry);
    this.later.take(entry, node);
    if (isSaying(entry)) this.lastSaid = uuid;
    return entry.kind === 'skipped' ? entry.reason : undefined;
  }

  private keep(entry: Entry, node: ChainNode | undefined): void {
    if (node === undefined || entry.kind === 'skipped' || entry.kind === 'queue') return;
    if (this.detail === 'full') node.entry = entry;
    if (entry.kind !== 'human' && entry.kind !== 'assistant') return;
    const isOwn = !entry.base.isSidechain || this.collected.isAgentFile;
    const texts = textsOf(entry.blocks);
    if (entry.kind === 'human' && isOwn) this.collected.addWords(node, texts.join(' '));
    for (const text of texts) {
      if (!text.includes('##')) continue;
      for (const [, weight = ''] of text.matchAll(MARKER)) node.markers.push(weight.toLowerCase());
    }
  }

  private nodeOf(entry: Entry): ChainNode {
    const isAnswer = entry.kind === 'assistant';
    const isHuman = entry.kind === 'human';
    const results = isHuman || entry.kind === 'toolResult' ? entry.results : [];
    return {
      place: this.chain.nodes.length,
      kind: kindOf(entry),
      isSidechain: entry.base.isSidechain,
      isSaid: isAnswer ? entry.blocks.some(({ kind }) => kind === 'text') : isHuman && results.length > 0,
      isResent: isHuman && this.requests.repeats(entry),
      tools: isAnswer ? entry.tools.length : 0,
      tokens: isAnswer || isHuman ? entry.tokens : 0,
      resultTokens: sumOf(results, ({ tokens }) => tokens),
      message: isAnswer ? (entry.messageId ?? uuidOf(entry.base)) : undefined,
      parent: undefined,
      entry: undefined,
      markers: [],
      isLive: false,
    };
  }

  /** Where the live conversation is said to end, when that line is there. */
  private leafHint(): LeafHint | undefined {
    const leaf = this.leaf && this.chain.find(this.leaf.uuid);
    return leaf && this.leaf && { leaf, knownNodes: this.leaf.knownNodes };
  }

  private found(): Pick<SessionStats, 'titles' | 'meta' | 'account'> {
    return this.collected.found((uuid) => this.chain.find(uuid) !== undefined);
  }
}

/** Reads a whole transcript from a host's chunks; throws the signal's reason when it is aborted, and what the chunks throw. */
export async function readTranscript(
  chunks: AsyncIterable<Uint8Array>,
  options: ReaderOptions,
  signal?: AbortSignal,
): Promise<TranscriptReader> {
  signal?.throwIfAborted();
  const reader = new TranscriptReader(options);
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    reader.feed(chunk);
  }
  return reader;
}

/** Whether an entry is a link of the chain: it has a uuid, or says something although it has none. */
function isChained(entry: Entry): boolean {
  const { kind } = entry;
  if (kind === 'queue') return entry.words !== undefined;
  if (entry.base.uuid !== undefined) return kind !== 'title' && kind !== 'leaf';
  return kind === 'human' || kind === 'assistant' || kind === 'toolResult';
}

/**
 * What tells a record of the session's own thread from every other: when it was written, to the millisecond, and what it says or calls.
 * Sub-agents that start together may well be told the same at the same time.
 */
function contentOf(entry: Entry): string | undefined {
  const { timestamp, isSidechain } = entry.base;
  if (timestamp === undefined || isSidechain) return undefined;
  if (entry.kind === 'toolResult') return [timestamp, ...entry.results.map(({ toolUseId }) => toolUseId)].join('\n');
  if (entry.kind !== 'human' && entry.kind !== 'assistant') return undefined;
  const said = textsOf(entry.blocks).map((text) => `${text.length} ${text.slice(0, TOLD_BY)} ${text.slice(-TOLD_BY)}`);
  if (entry.kind === 'assistant') said.push(...entry.tools.map(({ id }) => id));
  const message = entry.kind === 'assistant' ? entry.messageId : undefined;
  return said.length === 0 ? undefined : [timestamp, message, ...said].join('\n');
}

/** Whether something was said in the session's own thread that words typed meanwhile can stand behind. */
function isSaying({ kind, base }: Entry): boolean {
  return !base.isSidechain && (kind === 'human' || kind === 'assistant' || kind === 'toolResult');
}

function kindOf({ kind }: Entry): NodeKind {
  return kind === 'skipped' || kind === 'title' || kind === 'leaf' || kind === 'queue' ? 'link' : kind;
}
