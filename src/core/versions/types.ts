import type { CompressionScope, CompressionSettings, KeepitMode, ReceiptEntry, TierConfig } from '../model/compression';
import type { SourceMessage } from '../material/types';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import type { Role } from '../transcript/types';

/** What stands between two blocks of a version, keepits included. Counted as part of what follows it. */
export const BLOCK_SEPARATOR = '\n\n';

/** Messages `from` to `to`, both included, and how hard they are compressed. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly ratio: number;
  readonly aggressiveness: TierConfig['aggressiveness'];
  readonly inputTokens: number;
  /** What the summary of the segment may take, surviving keepits not counted. */
  readonly targetTokens: number;
}

/** What a summarizer is given. Surviving keepits are cut out of the messages already; faded ones are ordinary text. */
export interface SummaryRequest {
  /** For the ledger of what models cost. */
  readonly sessionId?: string;
  readonly title: string;
  readonly segments: readonly Segment[];
  /** All messages of all segments, in order. */
  readonly messages: readonly SourceMessage[];
  /** The exact counter, the unit of `targetTokens`. */
  readonly counter: TokenCounter;
}

/** A piece of a summary, in Markdown. */
export interface SummaryBlock {
  /** `heading`: opens an episode; `note`: everything else. */
  readonly kind: 'heading' | 'note';
  /** Whose words or deeds it tells of. */
  readonly role: Role;
  readonly text: string;
  /** The messages that it came from, by index; never empty. */
  readonly messages: readonly number[];
}

/** How far a summary has come. */
export interface SummaryProgress {
  readonly done: number;
  readonly total: number;
  readonly label: string;
}

/** What a summary cost; all zero for one that no model was asked for. */
export interface SummaryCost {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

export const NO_COST: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

export interface Summary {
  /** In the order of the session: the smallest message index never decreases. */
  readonly blocks: readonly SummaryBlock[];
  readonly cost: SummaryCost;
  /** With a model: what is needed to know how it came about. */
  readonly provenance?: { readonly model: string; readonly prompt: string; readonly responseIds: readonly string[] };
}

export type SummarizerName = 'local' | 'anthropic' | 'claude-cli' | 'vscode-lm';

/** Turns segments into shorter text. `local` is deterministic; the others ask a model, behind the cost gate. */
export interface Summarizer {
  readonly name: SummarizerName;
  /** The cost that is to be expected; nothing is sent. Zero for `local`. */
  estimate(request: SummaryRequest, options: SummaryOptions, signal?: AbortSignal): Promise<SummaryCost>;
  /** Throws `SummarizerError`; a summary is whole or there is none. */
  summarize(
    request: SummaryRequest,
    options: SummaryOptions,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<Summary>;
}

export interface SummaryOptions {
  /** An alias of the configuration (`opus`) or a model's own name; only for models. */
  readonly model: string;
  /** Refuses to go beyond this; only for models. */
  readonly maxCostUsd?: number | undefined;
}

/** What a host asks for; what is left out follows from the project's and the store's configuration. */
export interface CompressionRequest {
  readonly scope?: CompressionScope | undefined;
  readonly mode?: CompressionSettings['mode'] | undefined;
  readonly compactionRatio?: number | undefined;
  readonly aggressiveness?: CompressionSettings['aggressiveness'] | undefined;
  readonly tierPreset?: CompressionSettings['tierPreset'] | undefined;
  readonly customTiers?: readonly TierConfig[] | undefined;
  readonly skipFirstMessages?: number | undefined;
  readonly keepitMode?: KeepitMode | undefined;
  /** The session's rank by recency when absent. */
  readonly sessionDistance?: number | undefined;
  /** `local` when absent. */
  readonly provider?: SummarizerName | undefined;
  readonly model?: string | undefined;
  readonly maxCostUsd?: number | undefined;
  /** The preset stands for its level: where the configuration says how much a level takes away, that holds. */
  readonly isLevel?: boolean | undefined;
  /** Nobody asked for it: it came with the session's age. */
  readonly isAutomatic?: boolean | undefined;
  /** What a model wrote already: nobody is asked again. */
  readonly written?: Summary | undefined;
}

/** What a version would be like; nothing is written, and no model is asked. */
export interface CompressionEstimate {
  readonly settings: CompressionSettings;
  readonly partNumber?: number | undefined;
  /** First and last message, as indexes of the session. */
  readonly messageRange: readonly [number, number];
  readonly inputTokens: number;
  readonly inputMessages: number;
  readonly outputTokens: number;
  readonly outputMessages: number;
  /** Asked for, over all segments; and what comes out with the keepits that survive. */
  readonly askedRatio: number;
  readonly compressionRatio: number;
  readonly segments: readonly Segment[];
  readonly receipt: readonly ReceiptEntry[];
  readonly keepitTokens: number;
  /** Surviving keepits alone are larger than what was asked for. */
  readonly isExceededByKeepits: boolean;
  readonly cost: SummaryCost;
}

/**
 * A block as it stands in the `.md` of a version. Summarizers measure their blocks in this form, and the version is written in
 * it, so that a target is hit by what is written: a note is its text and nothing else, a heading names its messages.
 */
export function blockText(block: SummaryBlock): string {
  return block.kind === 'heading' ? `## ${block.text} (${messageRangeText(block.messages)})` : block.text;
}

/** `messages 12–31`, counted from 1 as people do; `message 12` for a single one. */
export function messageRangeText(messages: readonly number[]): string {
  let first = Infinity;
  let last = -1;
  for (const message of messages) {
    first = Math.min(first, message);
    last = Math.max(last, message);
  }
  return first === last ? `message ${first + 1}` : `messages ${first + 1}–${last + 1}`;
}

/** The blocks of a version as one text. */
export function joinBlocks(blocks: readonly SummaryBlock[]): string {
  return blocks.map(blockText).join(BLOCK_SEPARATOR);
}
