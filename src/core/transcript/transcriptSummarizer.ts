import { PortableByteText, type ByteText } from './byteText';
import { packNodes, unpackNodes } from './chainPacking';
import { ChainTable } from './chainTable';
import type { Entry } from './entry';
import { hashId } from './hashIndex';
import { planMessages } from './messagePlan';
import type { RecordMemory } from './recordMemory';
import { STATE_VERSION, summarizerStateSchema, type SummarizerState } from './readingState';
import { pacedBySize, runSteps, type Steps } from './steps';
import { splitThreads } from './threads';
import { TranscriptIntake, type TailMode } from './transcriptIntake';
import type { TokenEstimator, TranscriptSummary } from './types';

/** How a transcript is summarized. */
export interface SummarizerOptions {
  readonly estimator: TokenEstimator;
  /** The host's fast byte operations; plain JavaScript when absent. */
  readonly bytes?: ByteText | undefined;
  readonly maxLineBytes?: number | undefined;
  /** Shared by readings that follow one another, or take turns: what one has learned of the format helps the next. */
  readonly memory?: RecordMemory | undefined;
  /** A state from {@link TranscriptSummarizer.state}: feed from its `offset` on. */
  readonly resume?: SummarizerState | undefined;
  /** Sees every entry that is not a duplicate, in file order, in the detail `counts`; what it keeps of one, it must copy. */
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

/** What looks like a keepit marker; whether it is one, the grammar of `core/keepit` decides. */
const MARKER = /##keepit([^#\n`]{0,24})##/gi;

/**
 * Counts a transcript without keeping its words: feed it chunks, then ask. The result is what the full reader would
 * find, because both are computed from the same chain by the same code; so rewinds and copied history are exact as well.
 *
 * To read on when the file has grown: `state()` (before `finish`), store it, later resume with it and feed the bytes
 * from `state.offset`. A last line without newline is never part of the state.
 */
export class TranscriptSummarizer {
  private readonly intake: TranscriptIntake;
  private readonly blocks: string[];
  private packed: number;
  private readonly markers: SummarizerState['markers'];

  constructor(options: SummarizerOptions) {
    const { resume, estimator, maxLineBytes, memory, onEntry } = options;
    const chain = new ChainTable();
    for (const block of resume?.chain ?? []) unpackNodes(chain, block);
    this.blocks = [...(resume?.chain ?? [])];
    this.packed = chain.size;
    this.markers = [...(resume?.markers ?? [])];
    const bytes = options.bytes ?? new PortableByteText();
    this.intake = new TranscriptIntake(
      { bytes, estimator, detail: 'counts', maxLineBytes, memory },
      {
        onEntry: (entry, node) => {
          this.findMarkers(entry, node);
          onEntry?.(entry);
        },
      },
      resume && { state: resume, chain },
    );
  }

  /** Takes the next bytes. Chunks up to 1 MB keep every call below a few milliseconds. */
  feed(chunk: Uint8Array): void {
    this.intake.feed(chunk);
  }

  /** Everything needed to read on after the last complete line. Plain JSON. */
  state(): SummarizerState {
    const { intake } = this;
    if (intake.chain.size > this.packed) this.blocks.push(packNodes(intake.chain, this.packed));
    this.packed = intake.chain.size;
    return {
      version: STATE_VERSION,
      ...intake.end,
      account: intake.account.account(),
      facts: intake.facts.state(),
      titles: intake.titles.state(),
      ...(intake.leafState !== undefined && { leaf: intake.leafState }),
      markers: [...this.markers],
      chain: [...this.blocks],
    };
  }

  /** The figures. `tail` says what to do with a last line that has no newline; after that, feed nothing more unless it was `pending`. */
  finish(tail: TailMode = 'ifWhole'): TranscriptSummary {
    return runSteps(this.finishing(tail));
  }

  /** As `finish`, for a host that must not stall. */
  *finishing(tail: TailMode = 'ifWhole'): Steps<TranscriptSummary> {
    this.intake.finish(tail);
    return yield* pacedBySize(this.intake.chain.size, this.summary());
  }

  private *summary(): Steps<TranscriptSummary> {
    const { intake } = this;
    const { chain, facts } = intake;
    const { main, path, agents } = yield* splitThreads(chain, facts.isAgentFile, intake.leafHint);
    yield;
    const plan = planMessages(chain, main.live);
    yield;
    const isLive = (node: number): boolean => path.isLive[node] === 1;
    return {
      messages: plan.messages.length,
      humanMessages: count(plan.messages, (message) => message.isHuman),
      turns: plan.turns.length,
      toolSteps: sum(main.live, (node) => chain.tools(node)),
      abandonedMessages: sum(main.abandoned, ({ nodes }) => planMessages(chain, nodes).messages.length),
      inlineAgents: agents.length,
      tokens: sum(main.live, (node) => chain.tokens(node)),
      resultTokens: sum(main.live, (node) => chain.resultTokens(node)),
      keepitCandidates: this.liveMarkers(isLive),
      titles: intake.titles.titles((uuid) => intake.owns(uuid), isLive),
      facts: facts.facts(),
      account: intake.account.account(),
      end: intake.end,
    };
  }

  private findMarkers(entry: Entry, node: number): void {
    if (entry.kind !== 'human' && entry.kind !== 'assistant') return;
    for (const block of entry.blocks) {
      if (block.kind !== 'text' || !block.text.includes('##')) continue;
      for (const [, weight = ''] of block.text.matchAll(MARKER)) this.markers.push([node, weight.toLowerCase()]);
    }
  }

  private liveMarkers(isLive: (node: number) => boolean): Record<string, number> {
    const counts = new Map<string, number>();
    for (const [node, weight] of this.markers) if (isLive(node)) counts.set(weight, (counts.get(weight) ?? 0) + 1);
    return Object.fromEntries(counts);
  }
}

/** A stored state, if it is one of this version; anything else means: read the file from its beginning. */
export function parseSummarizerState(stored: unknown): SummarizerState | undefined {
  const parsed = summarizerStateSchema.safeParse(stored);
  return parsed.success ? parsed.data : undefined;
}

/** Tells for a stored state whether its file has a line with a uuid: that file owns a title which names it. */
export function uuidOwner(state: SummarizerState): (uuid: string) => boolean {
  const chain = new ChainTable();
  for (const block of state.chain) unpackNodes(chain, block);
  return (uuid) => chain.find(hashId(uuid)) >= 0;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}

function count<T>(items: readonly T[], matches: (item: T) => boolean): number {
  return sum(items, (item) => (matches(item) ? 1 : 0));
}
