import {
  knownModel,
  type CallListener,
  type KnownModel,
  type ModelAnswer,
  type ModelCall,
  type ModelCaller,
  SummarizerError,
  type SummarizerReason,
} from '../../core/versions/models/modelCaller';
import type { ModelSettings } from '../../core/model/models';
import type { Log } from '../../core/model/host';

interface AnthropicCallerOptions {
  /** Asked for before each call, so that a key that was just set or forgotten counts; never kept, never logged. */
  readonly key: () => Promise<string | undefined>;
  readonly baseUrl?: string | undefined;
  readonly politeness: PolitenessOptions;
}

/** Asks Anthropic's API, streaming. */
export class AnthropicCaller implements ModelCaller {
  readonly name = 'anthropic';
  readonly parallelCalls = 2;
  readonly overheadTokens = 400;
  readonly #politeness: Politeness;

  constructor(private readonly options: AnthropicCallerOptions) {
    this.#politeness = new Politeness(options.politeness);
  }

  async model(name: string, settings: ModelSettings): Promise<KnownModel> {
    return knownModel(name, settings);
  }

  async call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer> {
    const { key, baseUrl } = this.options;
    const apiKey = (await key())?.trim() ?? '';
    if (apiKey === '') throw new SummarizerError('no-key');
    const { streamAnswer } = await import('./anthropicStream');
    let isBilled = false;
    const watched: CallListener = {
      onText: listener.onText,
      onUsage: (usage) => {
        isBilled = true;
        listener.onUsage(usage);
      },
    };
    const work = () => streamAnswer(call, { apiKey, baseUrl }, watched, signal);
    return this.#politeness.run(work, () => !isBilled, signal);
  }
}

export interface PolitenessOptions {
  readonly log: Log;
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A provider that wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 120_000;

/** Passes by itself, and has cost nothing yet. */
const PASSING: ReadonlySet<SummarizerReason> = new Set(['rate-limited', 'overloaded', 'failing', 'network']);

/**
 * How often one provider is asked. All calls share what one of them was told: after a rate limit nobody asks before the time
 * that the provider named.
 */
class Politeness {
  #quietUntilMs = 0;

  constructor(private readonly options: PolitenessOptions) {}

  /** Tries again what passes by itself, with growing pauses, as long as `mayRepeat` says that nothing has been billed yet. */
  async run<T>(work: () => Promise<T>, mayRepeat: () => boolean, signal?: AbortSignal): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      await this.#waitForQuiet(signal);
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof SummarizerError) || !PASSING.has(error.reason)) throw error;
        if (tried >= TRIES || !mayRepeat()) throw error;
        const pauseMs = error.retryAfterMs ?? this.#backOffMs(tried);
        if (pauseMs > LONGEST_WAIT_MS) throw error;
        const { log, now } = this.options;
        log.info(`The model's provider is asked again in ${(pauseMs / 1000).toFixed(1)} s (${error.reason}).`);
        this.#quietUntilMs = Math.max(this.#quietUntilMs, now() + pauseMs);
      }
    }
  }

  async #waitForQuiet(signal?: AbortSignal): Promise<void> {
    const { now, sleep } = this.options;
    for (let leftMs = this.#quietUntilMs - now(); leftMs > 0; leftMs = this.#quietUntilMs - now()) {
      await sleep(leftMs, signal);
    }
    signal?.throwIfAborted();
  }

  /** Not all at the same moment: others were turned away together with us. */
  #backOffMs(tried: number): number {
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tried - 1)) * (0.75 + 0.5 * this.options.random());
  }
}
