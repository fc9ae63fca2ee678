import { pushTo } from '../ownValue';
/** What the model counted for a stretch of a session, and what our counter counts for the same stretch. */
export interface UsagePair {
  readonly model: string;
  /** By how much the context of the model grew, from the `usage` of two consecutive requests. */
  readonly claudeTokens: number;
  /** Our count of what was added in between, with `toolStepTokens` for every tool call. */
  readonly counted: number;
}

/** How the counts of one counter relate to those of one model. */
export interface Calibration {
  readonly model: string;
  /** Tokens of the model for each token that we count. */
  readonly ratio: number;
  /** Half of the pairs are closer than this to what the ratio predicts, in percent of the model's figure. */
  readonly medianErrorPct: number;
  /** How many pairs the ratio was fitted to; 0 when it is a default that Keepit ships. */
  readonly pairs: number;
}

/** A model's figure for a count, with the error to be shown beside it. */
export interface CalibratedTokens {
  readonly model: string;
  readonly tokens: number;
  readonly medianErrorPct: number;
  /** False when the ratio is a default: it comes from other people's sessions. */
  readonly isMeasured: boolean;
}

/**
 * What the envelope of a tool call and its result takes (names of the structure, ids), in tokens as we count them. Fitted
 * to the same pairs as the defaults: with it the median error falls from 17 % to 7 %.
 */
export const toolStepTokens = 60;

/** With fewer pairs than this the default is the better guess. */
const minPairs = 20;

/**
 * For models whose sessions have not told yet, newest version first: Claude 4.7 came with another tokenizer. Medians over
 * 752 clean pairs of consecutive requests in seven projects, with the error on projects that the ratio was not fitted to,
 * and over 59 pairs of the one project that used the newer tokenizer: `npm run eval -- tokens`.
 */
const defaults = [
  { sinceVersion: 407, ratio: 1.68, medianErrorPct: 11 },
  { sinceVersion: 0, ratio: 1.19, medianErrorPct: 7 },
] as const;

/** The calibration to be used for a model as long as nothing better is known. */
export function defaultCalibration(model: string): Calibration {
  const version = versionOf(model);
  const { ratio, medianErrorPct } = defaults.find(({ sinceVersion }) => version >= sinceVersion) ?? defaults[1];
  return { model, ratio, medianErrorPct, pairs: 0 };
}

/** 407 for `claude-opus-4-7`, 400 for `claude-sonnet-4-20250514`, 305 for `claude-3-5-haiku-latest`, 0 for an unknown name. */
function versionOf(model: string): number {
  const [, major = '0', minor = '0'] = /-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

/**
 * Fits one ratio for each model, the most frequent model first: the median of the ratios of its pairs, so that pairs in
 * which the model was sent what the transcript does not show do not matter. Models with few pairs get their default.
 */
export function calibrate(pairs: Iterable<UsagePair>): Calibration[] {
  const byModel = new Map<string, UsagePair[]>();
  for (const pair of pairs) {
    if (!(pair.counted > 0 && pair.claudeTokens > 0)) continue;
    const known = byModel.get(pair.model);
    if (known) known.push(pair);
    else byModel.set(pair.model, [pair]);
  }
  return [...byModel]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([model, own]) => (own.length < minPairs ? defaultCalibration(model) : fit(model, own)));
}

/** The model's figure for something that we counted. */
export function calibrated(calibration: Calibration, counted: number): CalibratedTokens {
  const { model, ratio, medianErrorPct, pairs } = calibration;
  return { model, tokens: Math.round(counted * ratio), medianErrorPct, isMeasured: pairs > 0 };
}

/** The median error, in percent, of a ratio on pairs; 0 without any. */
export function medianErrorPctOf(ratio: number, pairs: readonly UsagePair[]): number {
  const errors = pairs.map(({ counted, claudeTokens }) => Math.abs(counted * ratio - claudeTokens) / claudeTokens);
  return Math.round(median(errors) * 1000) / 10;
}

function fit(model: string, pairs: readonly UsagePair[]): Calibration {
  const ratio = median(pairs.map(({ claudeTokens, counted }) => claudeTokens / counted));
  return { model, ratio, medianErrorPct: medianErrorPctOf(ratio, pairs), pairs: pairs.length };
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort(); // numbers as such: ten times as fast as with a function that compares
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** What a transcript tells about the model's own counting, newest pairs last: `[model's tokens, our tokens]` by model. */
export type UsagePairs = Record<string, [modelTokens: number, ourTokens: number][]>;

/** What decides about pairs in an entry of the transcript reader; every `Entry` is one. */
export interface UsageEntry {
  readonly kind: string;
  readonly base: {
    readonly isSidechain: boolean;
    readonly uuid?: string | undefined;
    readonly parent?: string | undefined;
  };
  /** Of an assistant's entry: several entries with one id are one request. */
  readonly messageId?: string | undefined;
  readonly model?: string | undefined;
  /** What the model read for it. */
  readonly contextTokens?: number | undefined;
  readonly blocks?: readonly { readonly kind: string }[];
  readonly tools?: readonly unknown[];
  readonly results?: readonly { readonly tokens: number; readonly images: number }[];
  readonly note?: { readonly kind: string } | undefined;
  /** Of text and tool calls, as counted by the counter that is to be calibrated. */
  readonly tokens?: number;
}

/** Ratios settle long before this; more would only make the cache larger. */
const MAX_PAIRS_PER_MODEL = 200;
/** How many request ids are remembered, to recognize lines of an earlier request among those of a later one. */
const rememberedRequests = 16;
/** Notes of these kinds were never sent to the model; all others were, in a length that the entry does not tell. */
const unsentNotes: ReadonlySet<string> = new Set(['system', 'apiError', 'interrupted']);

/** A request of which the next one will show how many tokens its answer and what followed took. */
interface OpenRequest {
  readonly messageId: string;
  readonly model: string;
  readonly contextTokens: number;
  counted: number;
  /** False when something was sent whose tokens nobody counted. */
  isClean: boolean;
  /** The lines since the request; the history must go on from one of them. */
  readonly lines: Set<string>;
}

/**
 * Finds what a session tells about tokens: two consecutive requests of one thread, with nothing in between but text and
 * tool steps, give the model's own figure for these. Fed with the entries of a transcript in file order.
 *
 * A pair is left out when its figure would not be that of the counted text: thinking (sent again with some requests and
 * not with others), images and documents, hook output and other notes, compaction, a rewind, another model, a context
 * that shrank.
 */
export class UsagePairCollector {
  readonly pairs: UsagePair[] = [];
  readonly #requestIds: string[] = [];
  #request: OpenRequest | undefined;
  /** Thinking goes along until the human speaks again; then the context loses it. */
  #hasThinking = false;

  /** `isSidechain`: whether the thread to look at is that of a sub-agent; entries of other threads are passed over. */
  constructor(private readonly isSidechain: boolean = false) {}

  add(entry: UsageEntry): void {
    const { uuid, parent, isSidechain } = entry.base;
    if (isSidechain !== this.isSidechain || uuid === undefined) return;
    if (entry.kind === 'boundary') this.#forget();
    const isContinued = parent !== undefined && this.#request?.lines.has(parent) === true;
    if (!isContinued) this.#request = undefined;
    if (entry.kind === 'assistant') this.#addAnswer(entry);
    else if (entry.kind === 'human' || entry.kind === 'toolResult') this.#addInput(entry);
    if (entry.note && !unsentNotes.has(entry.note.kind)) this.#taint();
    this.#request?.lines.add(uuid);
  }

  /** The newest pairs of each model. */
  byModel(): UsagePairs {
    const all = new Map<string, UsagePairs[string]>();
    for (const { model, claudeTokens, counted } of this.pairs) {
      pushTo(all, model, [claudeTokens, counted]);
    }
    return Object.fromEntries([...all].map(([model, own]) => [model, own.slice(-MAX_PAIRS_PER_MODEL)]));
  }

  #addAnswer(entry: UsageEntry): void {
    const { messageId, model, contextTokens } = entry;
    if (messageId === undefined || model === undefined || contextTokens === undefined) {
      this.#request = undefined;
      return;
    }
    if (messageId !== this.#request?.messageId) {
      if (this.#requestIds.includes(messageId)) {
        // A line of an earlier request: what was counted since belongs to two of them.
        this.#request = undefined;
        return;
      }
      this.#begin(messageId, model, contextTokens);
    }
    const request = this.#request;
    if (!request) return;
    request.counted += (entry.tokens ?? 0) + (entry.tools?.length ?? 0) * toolStepTokens;
    if (entry.blocks?.some(({ kind }) => kind === 'thinking')) this.#hasThinking = true;
    if (entry.blocks?.some(({ kind }) => kind !== 'text')) request.isClean = false;
  }

  /** A new request: its context has grown by what was counted since the one before. */
  #begin(messageId: string, model: string, contextTokens: number): void {
    const previous = this.#request;
    if (previous?.isClean && previous.model === model && previous.counted > 0) {
      const claudeTokens = contextTokens - previous.contextTokens;
      if (claudeTokens > 0) this.pairs.push({ model, claudeTokens, counted: previous.counted });
    }
    this.#requestIds.push(messageId);
    if (this.#requestIds.length > rememberedRequests) this.#requestIds.shift();
    this.#request = { messageId, model, contextTokens, counted: 0, isClean: true, lines: new Set() };
  }

  #addInput(entry: UsageEntry): void {
    if (entry.kind === 'human') {
      if (this.#hasThinking) this.#taint();
      this.#hasThinking = false;
    }
    if (entry.blocks?.some(({ kind }) => kind !== 'text') || entry.results?.some(({ images }) => images > 0))
      this.#taint();
    const results = entry.results?.reduce((sum, { tokens }) => sum + tokens, 0) ?? 0;
    if (this.#request) this.#request.counted += (entry.tokens ?? 0) + results;
  }

  #taint(): void {
    if (this.#request) this.#request.isClean = false;
  }

  #forget(): void {
    this.#request = undefined;
    this.#hasThinking = false;
  }
}
