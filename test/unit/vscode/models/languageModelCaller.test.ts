import assert from 'node:assert/strict';
import { type ModelCall, SummarizerError } from '../../../../src/core/versions/models/modelCaller';
import { LanguageModelCaller, type ChatModel } from '../../../../src/vscode/models/languageModelCaller';

class FakeChatModel implements ChatModel {
  readonly name = 'Claude Sonnet 5';
  readonly family = 'claude-sonnet-5';
  readonly maxInputTokens = 90_000;
  readonly prompts: string[] = [];

  constructor(
    readonly id: string,
    private readonly answer: (signal: AbortSignal) => AsyncIterable<string>,
  ) {}

  async countTokens(text: string): Promise<number> {
    return text.length;
  }

  ask(prompt: string, signal: AbortSignal): AsyncIterable<string> {
    this.prompts.push(prompt);
    return this.answer(signal);
  }
}

async function* pieces(...texts: string[]): AsyncIterable<string> {
  yield* texts;
}

/** As VS Code's own errors are. */
function languageModelError(code: string, cause?: Error): Error {
  return Object.assign(new Error('no', { cause }), { code });
}

async function* failing(error: Error): AsyncIterable<string> {
  yield 'half';
  throw error;
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const listener = { onText: () => undefined, onUsage: () => undefined };

async function question(caller: LanguageModelCaller, stallMs = 5_000): Promise<ModelCall> {
  const model = await caller.model('sonnet');
  return { model, system: 'Condense.', prompt: 'What happened?', maxOutputTokens: 100, maxUsd: 0, stallMs };
}

function failure(reason: string): (error: unknown) => boolean {
  return (error) => error instanceof SummarizerError && error.reason === reason;
}

describe("a language model of VS Code's", () => {
  it('is found by its id, or by a word of its name, and costs nothing that could be named', async () => {
    const models = [new FakeChatModel('a', () => pieces()), new FakeChatModel('b', () => pieces())];
    const caller = new LanguageModelCaller({ all: async () => models });
    assert.equal((await caller.model('b')).id, 'b');
    const { id, facts } = await caller.model('sonnet');
    assert.deepEqual([id, facts.contextTokens, facts.inputUsd, facts.outputUsd], ['a', 90_000, 0, 0]);
  });

  it('is named among those that there are when it is none of them', async () => {
    const caller = new LanguageModelCaller({ all: async () => [new FakeChatModel('a', () => pieces())] });
    await assert.rejects(caller.model('gpt'), /there are a/);
    await assert.rejects(new LanguageModelCaller({ all: async () => [] }).model('gpt'), failure('no-model'));
  });

  it('answers piece by piece, with tokens as it counts them itself', async () => {
    const model = new FakeChatModel('a', () => pieces('an ', 'answer'));
    const caller = new LanguageModelCaller({ all: async () => [model] });
    const heard: number[] = [];
    const call = await question(caller);
    const answer = await caller.call(call, { ...listener, onText: (count) => heard.push(count) });
    assert.deepEqual(heard, [3, 9]);
    assert.deepEqual(model.prompts, ['Condense.\n\nWhat happened?']);
    const usage = { inputTokens: 25, outputTokens: 9, cacheWriteTokens: 0, cacheReadTokens: 0 };
    assert.deepEqual(answer, { text: 'an answer', end: 'complete', usage, usd: 0, responseId: '' });
  });

  for (const [code, reason] of [
    ['NoPermissions', 'no-consent'],
    ['Blocked', 'rate-limited'],
    ['NotFound', 'no-model'],
    ['Unknown', 'failing'],
  ] as const) {
    it(`says what ${code} means`, async () => {
      const model = new FakeChatModel('a', () => failing(languageModelError(code, new Error('quota'))));
      const caller = new LanguageModelCaller({ all: async () => [model] });
      await assert.rejects(caller.call(await question(caller), listener), failure(reason));
    });
  }

  it('is left when it is cancelled, or says nothing for too long', async () => {
    const model = new FakeChatModel('a', async function* (signal) {
      await until(signal);
      yield ''; // ends its answer as if it were whole
    });
    const caller = new LanguageModelCaller({ all: async () => [model] });
    const controller = new AbortController();
    const work = caller.call(await question(caller), listener, controller.signal);
    setTimeout(() => controller.abort(), 10);
    await assert.rejects(work, { name: 'AbortError' });
    await assert.rejects(caller.call(await question(caller, 30), listener), failure('timeout'));
  });
});
