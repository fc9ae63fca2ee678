import {
  CancellationTokenSource,
  LanguageModelChatMessage,
  lm,
  type CancellationToken,
  type Disposable,
  type LanguageModelChat,
} from 'vscode';
import type { HostModels } from '../../node/summarizers/createModelSummarizers';
import type { AnthropicKey } from './anthropicKey';
import { LanguageModelCaller, type ChatModel, type ChatModels } from './languageModelCaller';

/** What this window brings to asking models: a key that it keeps, and models of its own. */
export function modelAccess(key: AnthropicKey): HostModels {
  return { anthropicKey: key.get, callers: [new LanguageModelCaller(new WindowChatModels())] };
}

const JUSTIFICATION = 'Keepit summarizes a session of Claude Code that you chose, with the limits that you set.';

/** The language models of this window. */
class WindowChatModels implements ChatModels {
  async all(): Promise<readonly ChatModel[]> {
    return (await lm.selectChatModels()).map((model) => new WindowChatModel(model));
  }
}

class WindowChatModel implements ChatModel {
  constructor(private readonly model: LanguageModelChat) {}

  get id(): string {
    return this.model.id;
  }

  get name(): string {
    return this.model.name;
  }

  get family(): string {
    return this.model.family;
  }

  get maxInputTokens(): number {
    return this.model.maxInputTokens;
  }

  async countTokens(text: string, signal: AbortSignal): Promise<number> {
    const cancellation = cancellationOf(signal);
    try {
      return await this.model.countTokens(text, cancellation.token);
    } finally {
      cancellation.dispose();
    }
  }

  async *ask(prompt: string, signal: AbortSignal): AsyncIterable<string> {
    const cancellation = cancellationOf(signal);
    try {
      const messages = [LanguageModelChatMessage.User(prompt)];
      const { text } = await this.model.sendRequest(messages, { justification: JUSTIFICATION }, cancellation.token);
      yield* text;
    } finally {
      cancellation.dispose();
    }
  }
}

/** An abort as VS Code knows it. Disposing lets go of the signal. */
function cancellationOf(signal: AbortSignal): Pick<Disposable, 'dispose'> & { readonly token: CancellationToken } {
  const source = new CancellationTokenSource();
  const cancel = () => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  return {
    token: source.token,
    dispose: () => {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    },
  };
}
