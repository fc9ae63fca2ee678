import {
  knownModel,
  type CallListener,
  type KnownModel,
  type ModelAnswer,
  type ModelCall,
  type ModelCaller,
} from '../../core/versions/models/modelCaller';
import { SummarizerError } from '../../core/versions/summarizerError';
import type { ModelSettings } from '../../core/model/models';
import { Politeness, type PolitenessOptions } from './politeness';

export interface AnthropicCallerOptions {
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
  readonly #options: AnthropicCallerOptions;
  readonly #politeness: Politeness;

  constructor(options: AnthropicCallerOptions) {
    this.#options = options;
    this.#politeness = new Politeness(options.politeness);
  }

  async model(name: string, settings: ModelSettings): Promise<KnownModel> {
    return knownModel(name, settings);
  }

  async call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer> {
    const { key, baseUrl } = this.#options;
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
