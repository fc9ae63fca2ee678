import { toolStepTokens, type UsagePair } from './calibration';
import type { UsagePairs } from './sessionStats';

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
  readonly #isSidechain: boolean;
  readonly #requestIds: string[] = [];
  #request: OpenRequest | undefined;
  /** Thinking goes along until the human speaks again; then the context loses it. */
  #hasThinking = false;

  /** `isSidechain`: whether the thread to look at is that of a sub-agent; entries of other threads are passed over. */
  constructor(isSidechain = false) {
    this.#isSidechain = isSidechain;
  }

  add(entry: UsageEntry): void {
    const { uuid, parent, isSidechain } = entry.base;
    if (isSidechain !== this.#isSidechain || uuid === undefined) return;
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
      const own = all.get(model);
      if (own === undefined) all.set(model, [[claudeTokens, counted]]);
      else own.push([claudeTokens, counted]);
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
