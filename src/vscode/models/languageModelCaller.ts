import {
  type CallListener,
  type KnownModel,
  type ModelAnswer,
  type ModelCall,
  type ModelCaller,
  SummarizerError,
  type SummarizerReason,
} from '../../core/versions/models/modelCaller';
import { errorText } from '../../core/text/keepitError';
import { redactSecrets } from '../../core/text/secrets/secrets';
import { Stall } from '../../node/summarizers/stall';
import { ownValue } from '../../core/text/ownValue';

/** A language model of VS Code, as far as it is needed here. */
export interface ChatModel {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly maxInputTokens: number;
  countTokens(text: string, signal: AbortSignal): Promise<number>;
  /** The answer, piece by piece. VS Code asks the user for consent when a model is asked for the first time. */
  ask(prompt: string, signal: AbortSignal): AsyncIterable<string>;
}

/** The language models that extensions bring to this window. */
export interface ChatModels {
  all(): Promise<readonly ChatModel[]>;
}

/** What VS Code does not say of its models; what they write is cut off by themselves. */
const ROOM_FOR_ANSWERS = 16_000;

/** Asks VS Code's own language models. They are part of what the user pays for anyway: a call costs nothing that could be named. */
export class LanguageModelCaller implements ModelCaller {
  readonly name = 'vscode-lm';
  readonly parallelCalls = 1;
  readonly overheadTokens = 200;

  constructor(private readonly models: ChatModels) {}

  async model(name: string): Promise<KnownModel> {
    const { id, maxInputTokens } = await this.find(name);
    return {
      id,
      facts: {
        inputUsd: 0,
        outputUsd: 0,
        cacheWriteUsd: 0,
        cacheReadUsd: 0,
        contextTokens: maxInputTokens,
        maxOutputTokens: ROOM_FOR_ANSWERS,
        tokenFactor: 1.5,
      },
    };
  }

  async call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer> {
    const model = await this.find(call.model.id);
    // These models have no place for instructions apart from what is said to them.
    const prompt = `${call.system}\n\n${call.prompt}`;
    const stall = new Stall(call.stallMs, signal);
    try {
      const inputTokens = await model.countTokens(prompt, stall.signal);
      let text = '';
      for await (const piece of model.ask(prompt, stall.signal)) {
        stall.pulse();
        text += piece;
        listener.onText(text.length);
      }
      stall.throwIfEnded(); // some models end their answer when they are cancelled
      const outputTokens = await model.countTokens(text, stall.signal);
      const usage = { inputTokens, outputTokens, cacheWriteTokens: 0, cacheReadTokens: 0 };
      return { text, end: 'complete', usage, usd: 0, responseId: '' };
    } catch (error) {
      stall.throwIfEnded(error);
      throw asSummarizerError(error);
    } finally {
      stall.dispose();
    }
  }

  /** By its id, or the first whose name or family has the word: `sonnet`. */
  private async find(name: string): Promise<ChatModel> {
    const models = await this.models.all();
    const word = name.toLowerCase();
    const found =
      models.find(({ id }) => id === name) ??
      models.find((model) => `${model.family} ${model.name}`.toLowerCase().includes(word));
    if (found !== undefined) return found;
    const others = models.map(({ id }) => id).join(', ');
    throw new SummarizerError(
      'no-model',
      others === '' ? {} : { detail: `${JSON.stringify(name)}; there are ${others}` },
    );
  }
}

/** The codes of `LanguageModelError`; `Unknown` has the model's own error as its cause. */
const reasonByCode: Readonly<Record<string, SummarizerReason>> = {
  NoPermissions: 'no-consent',
  Blocked: 'rate-limited',
  NotFound: 'no-model',
};

function asSummarizerError(error: unknown): unknown {
  if (error instanceof SummarizerError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = ownValue(reasonByCode, code) ?? 'failing';
  const told = error.cause instanceof Error ? error.cause : error;
  const detail = redactSecrets(errorText(told)).text.replace(/\s+/g, ' ').slice(0, 200);
  return new SummarizerError(reason, { detail, cause: error });
}
