import { ChainTable } from './chainTable';
import type { Entry } from './entry';
import { planMessages } from './messagePlan';
import type { RecordIds } from './recordIds';
import { pacedBySize, runSteps, type Steps } from './steps';
import { splitThreads } from './threads';
import { TranscriptIntake, type TailMode } from './transcriptIntake';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import type { TranscriptSummary } from './types';

/** How a transcript is summarized. */
export interface SummarizerOptions {
  readonly estimator: TokenEstimator;
  readonly maxLineBytes?: number | undefined;
  /** Sees every entry that is not a duplicate, in file order, in the detail `counts`. */
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

/** What looks like a keepit marker; whether it is one, the grammar of `core/keepits` decides. */
const MARKER = /##keepit([^#\n`]{0,24})##/gi;

/**
 * Counts a transcript without keeping its words: feed it chunks, then ask. The result is what the full reader would
 * find, because both are computed from the same chain by the same code; so rewinds and copied history are exact as well.
 */
export class TranscriptSummarizer {
  private readonly chain = new ChainTable();
  private readonly intake: TranscriptIntake;
  private markers: { readonly node: number; readonly weight: string }[] = [];

  constructor(options: SummarizerOptions) {
    const { estimator, maxLineBytes, onEntry } = options;
    this.intake = new TranscriptIntake({ estimator, detail: 'counts', maxLineBytes }, this.chain, {
      onEntry: (entry, node) => {
        this.findMarkers(entry, node);
        onEntry?.(entry);
      },
      onWords: (entry, node) => this.findMarkers(entry, node),
      onWithdrawn: (withdrawn) => (this.markers = this.markers.filter(({ node }) => node !== withdrawn)),
    });
  }

  /** Takes the next bytes. Chunks up to 1 MB keep every call below a few milliseconds. */
  feed(chunk: Uint8Array): void {
    this.intake.feed(chunk);
  }

  /** The ids of the records that were read: see `hasRecord`. A title in another file names the session by one of them. */
  ids(): RecordIds {
    return this.chain.ids();
  }

  /** The figures. `tail` says what to do with a last line that has no newline; after that, feed nothing more unless it was `pending`. */
  finish(tail: TailMode = 'ifWhole'): TranscriptSummary {
    return runSteps(this.finishing(tail));
  }

  /** As `finish`, for a host that must not stall. */
  *finishing(tail: TailMode = 'ifWhole'): Steps<TranscriptSummary> {
    this.intake.finish(tail);
    return yield* pacedBySize(this.chain.size, this.counted());
  }

  private *counted(): Steps<TranscriptSummary> {
    const { chain, intake } = this;
    const { main, path, agents } = yield* splitThreads(chain, intake.facts.isAgentFile, intake.leafHint());
    yield;
    const plan = planMessages(chain, main.live);
    yield;
    const isLive = (node: number): boolean => path.isLive[node] === 1;
    return {
      messages: plan.messages.length,
      humanMessages: plan.messages.filter(({ isHuman }) => isHuman).length,
      turns: plan.turns.length,
      toolSteps: sum(main.live, (node) => chain.at(node).tools),
      abandonedMessages: sum(main.abandoned, ({ nodes }) => planMessages(chain, nodes).messages.length),
      inlineAgents: agents.length,
      tokens: sum(main.live, (node) => chain.at(node).tokens),
      resultTokens: sum(main.live, (node) => chain.at(node).resultTokens),
      keepitCandidates: this.liveMarkers(isLive),
      titles: intake.titles.titles((uuid) => intake.owns(uuid), isLive),
      facts: intake.facts.facts(),
      account: intake.account.account(),
      end: intake.end,
    };
  }

  private findMarkers(entry: Entry, node: number): void {
    if (entry.kind !== 'human' && entry.kind !== 'assistant') return;
    for (const block of entry.blocks) {
      if (block.kind !== 'text' || !block.text.includes('##')) continue;
      for (const [, weight = ''] of block.text.matchAll(MARKER)) {
        this.markers.push({ node, weight: weight.toLowerCase() });
      }
    }
  }

  private liveMarkers(isLive: (node: number) => boolean): Record<string, number> {
    const counts = new Map<string, number>();
    for (const { node, weight } of this.markers) if (isLive(node)) counts.set(weight, (counts.get(weight) ?? 0) + 1);
    return Object.fromEntries(counts);
  }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}
