import { PortableByteText, type ByteText } from './byteText';
import { CountedChain, nodeOwner } from './countedChain';
import type { Entry } from './entry';
import { hashId, keyOf, type IdList } from './hashIndex';
import { LiveTally, type LiveFigures } from './liveTally';
import { planMessages } from './messagePlan';
import type { RecordMemory } from './recordMemory';
import { STATE_VERSION, summarizerStateSchema, type SummarizerState } from './readingState';
import { pacedBySize, runSteps, type Steps } from './steps';
import { tallyOf } from './tallySeed';
import { splitThreads } from './threads';
import { TranscriptIntake, type TailMode } from './transcriptIntake';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import type { TranscriptSummary } from './types';

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

/** A chain looked at as a whole, when it had so many nodes and the conversation was said to end there. */
interface Counted {
  readonly nodes: number;
  readonly leaf: SummarizerState['leaf'];
  readonly figures: LiveFigures;
  readonly isLive: (node: number) => boolean;
}

/** What looks like a keepit marker; whether it is one, the grammar of `core/keepits` decides. */
const MARKER = /##keepit([^#\n`]{0,24})##/gi;

/**
 * Counts a transcript without keeping its words: feed it chunks, then ask. The result is what the full reader would
 * find, because both are computed from the same chain by the same code; so rewinds and copied history are exact as well.
 *
 * To read on when the file has grown: `state()` (before `finish`), store it, later resume with it and feed the bytes
 * from `state.offset`. A last line without newline is never part of the state, and not every place has one.
 */
export class TranscriptSummarizer {
  private readonly chain: CountedChain;
  private readonly intake: TranscriptIntake;
  private markers: SummarizerState['markers'];
  /** What the chain came to when it was last looked at as a whole. */
  private counted: Counted | undefined;

  constructor(options: SummarizerOptions) {
    const { resume, estimator, maxLineBytes, memory, onEntry } = options;
    this.chain = new CountedChain(resume?.chain, resume?.tally);
    this.markers = [...(resume?.markers ?? [])];
    const bytes = options.bytes ?? new PortableByteText();
    this.intake = new TranscriptIntake(
      { bytes, estimator, detail: 'counts', maxLineBytes, memory },
      this.chain,
      {
        onEntry: (entry, node) => {
          this.findMarkers(entry, node);
          onEntry?.(entry);
        },
        onWords: (entry, node) => this.findMarkers(entry, node),
        onWithdrawn: (node) => (this.markers = this.markers.filter(([marked]) => marked !== node)),
      },
      resume,
    );
  }

  /** Takes the next bytes. Chunks up to 1 MB keep every call below a few milliseconds. */
  feed(chunk: Uint8Array): void {
    this.intake.feed(chunk);
  }

  /**
   * Counts what was read so far, so that a `state` taken then lets the next reading count only what is new. Without it, and
   * where the history does not allow it, the next reading counts all of it again.
   */
  *settling(): Steps<void> {
    if (!this.isTallied()) this.counted = yield* pacedBySize(this.chain.size, this.countedAnew(true));
  }

  /**
   * Everything needed to read on after the last complete line, as plain JSON. Undefined where what comes next may change what was said
   * before (a prompt waits in the queue, a question is open): an earlier state, or the beginning of the file, is where to go on from then.
   */
  state(): SummarizerState | undefined {
    const { intake, chain } = this;
    if (!intake.isSettled) return undefined;
    const tally = this.isTallied() ? chain.tally.state() : undefined;
    return {
      version: STATE_VERSION,
      ...intake.end,
      account: intake.account.account(),
      facts: intake.facts.state(),
      titles: intake.titles.state(),
      ...intake.state,
      markers: [...this.markers],
      chain: chain.state(),
      ...(tally !== undefined && { tally }),
    };
  }

  /** The ids of the records that were read: see `listHas`. A title in another file names the session by one of them. */
  ids(): IdList {
    return this.chain.unpack().idList();
  }

  /** The figures. `tail` says what to do with a last line that has no newline; after that, feed nothing more unless it was `pending`. */
  finish(tail: TailMode = 'ifWhole'): TranscriptSummary {
    return runSteps(this.finishing(tail));
  }

  /** As `finish`, for a host that must not stall. */
  *finishing(tail: TailMode = 'ifWhole'): Steps<TranscriptSummary> {
    const { intake } = this;
    intake.finish(tail);
    const { figures, isLive } = yield* this.figures();
    return {
      ...figures,
      keepitCandidates: this.liveMarkers(isLive),
      titles: intake.titles.titles((uuid) => intake.owns(uuid), isLive),
      facts: intake.facts.facts(),
      account: intake.account.account(),
      end: intake.end,
    };
  }

  private *figures(): Steps<Pick<Counted, 'figures' | 'isLive'>> {
    const { chain, intake } = this;
    const { tally } = chain;
    if (this.isTallied()) return { figures: tally.figures(), isLive: (node) => tally.isLive(node) };
    const { counted } = this;
    if (counted?.nodes === chain.size && counted.leaf === intake.leafState && intake.isSettled) return counted;
    this.counted = yield* pacedBySize(chain.size, this.countedAnew(false));
    return this.counted;
  }

  /** Whether the tally says what the chain would. */
  private isTallied(): boolean {
    const { chain, intake } = this;
    const { tally } = chain;
    if (!tally.isExact || (tally.isAgents === true && !intake.facts.isAgentFile)) return false;
    if (intake.leafState === undefined) return true;
    const { uuid, knownNodes } = intake.leafState;
    const leaf = hashId(uuid);
    return tally.agreesWith({ leaf: keyOf(leaf), knownNodes }) || !chain.has(leaf);
  }

  /** `isTallying`: nodes that come later are to be counted one by one, as far as that is possible. */
  private *countedAnew(isTallying: boolean): Steps<Counted> {
    const { chain, intake } = this;
    const table = chain.unpack();
    yield;
    const hint = intake.leafHint(table);
    const split = yield* splitThreads(table, intake.facts.isAgentFile, hint);
    yield;
    const { main, path, agents } = split;
    const plan = planMessages(table, main.live);
    yield;
    const figures: LiveFigures = {
      messages: plan.messages.length,
      humanMessages: count(plan.messages, (message) => message.isHuman),
      turns: plan.turns.length,
      toolSteps: sum(main.live, (node) => table.tools(node)),
      abandonedMessages: sum(main.abandoned, ({ nodes }) => planMessages(table, nodes).messages.length),
      inlineAgents: agents.length,
      tokens: sum(main.live, (node) => table.tokens(node)),
      resultTokens: sum(main.live, (node) => table.resultTokens(node)),
    };
    yield;
    if (isTallying) {
      const watched = [...this.markers.map(([node]) => node), ...intake.titles.wordNodes];
      const tally = tallyOf(table, { split, hint, figures }, watched);
      if (tally !== undefined) chain.tally = new LiveTally(tally);
    }
    const isLive = (node: number): boolean => path.isLive[node] === 1;
    return { nodes: table.size, leaf: intake.leafState, figures, isLive };
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
  const owns = nodeOwner(state.chain);
  return (uuid) => owns(hashId(uuid));
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}

function count<T>(items: readonly T[], matches: (item: T) => boolean): number {
  return sum(items, (item) => (matches(item) ? 1 : 0));
}
