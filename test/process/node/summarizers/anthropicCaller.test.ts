import assert from 'node:assert/strict';
import {
  knownModel,
  type CallListener,
  type ModelCall,
  type TokenUsage,
  SummarizerError,
} from '../../../../src/core/versions/models/modelCaller';
import { defaultModelSettings } from '../../../../src/core/model/models';
import { AnthropicCaller } from '../../../../src/node/summarizers/anthropicCaller';
import { FakeAnthropic } from '../../../unit/support/fakeAnthropic';
import { RecordingLog } from '../../../unit/support/recordingLog';

const KEY = 'sk-ant-test-0123456789abcdefghijklmnop';

const question: ModelCall = {
  model: knownModel('opus', defaultModelSettings),
  system: 'Condense.',
  prompt: 'What happened?',
  maxOutputTokens: 5_000,
  maxUsd: 1,
  stallMs: 5_000,
};

/** Waits that would take long are told, and over at once. */
class Waits {
  readonly lengths: number[] = [];
  private nowMs = 0;
  readonly sleep = async (delayMs: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.lengths.push(Math.round(delayMs));
    this.nowMs += delayMs;
  };
  readonly now = (): number => this.nowMs;
}

class Heard implements CallListener {
  readonly texts: number[] = [];
  readonly usages: TokenUsage[] = [];
  readonly onText = (characters: number): void => void this.texts.push(characters);
  readonly onUsage = (usage: TokenUsage): void => void this.usages.push(usage);
}

function failure(reason: string, detail = /./): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SummarizerError, String(error));
    assert.equal(error.reason, reason);
    assert.match(`${error.message} ${error.hint}`, detail);
    assert.doesNotMatch(`${error.message} ${error.hint}`, /sk-ant/);
    return true;
  };
}

describe("Anthropic's API, asked through its SDK", () => {
  let server: FakeAnthropic;
  let waits: Waits;
  let log: RecordingLog;
  let caller: AnthropicCaller;

  beforeEach(async () => {
    server = await FakeAnthropic.start();
    waits = new Waits();
    log = new RecordingLog();
    caller = new AnthropicCaller({
      key: async () => KEY,
      baseUrl: server.url,
      politeness: { log, sleep: waits.sleep, now: waits.now, random: () => 0.5 },
    });
  });

  afterEach(async () => {
    await server.stop();
  });

  it('gives the answer as it comes, with what it took', async () => {
    server.replies.push({
      text: '{"blocks":[]}',
      usage: { input_tokens: 70, cache_read_input_tokens: 900, output_tokens: 33 },
    });
    const heard = new Heard();
    const answer = await caller.call(question, heard);
    assert.deepEqual(answer, {
      text: '{"blocks":[]}',
      end: 'complete',
      usage: { inputTokens: 70, outputTokens: 33, cacheWriteTokens: 0, cacheReadTokens: 900 },
      responseId: 'msg_1',
    });
    assert.deepEqual(heard.texts, [7, 13]);
    assert.equal(heard.usages[0]?.inputTokens, 70);
  });

  it('sends the instructions apart and for the cache, the question as the user, a schema, and nothing that models refuse', async () => {
    await caller.call(question, new Heard());
    const { body, headers } = server.requests[0]!;
    assert.deepEqual(body.system, [{ type: 'text', text: 'Condense.', cache_control: { type: 'ephemeral' } }]);
    assert.deepEqual(body.messages, [{ role: 'user', content: 'What happened?' }]);
    assert.equal(body.max_tokens, 5_000);
    assert.equal(body.model, 'claude-opus-5-5');
    assert.deepEqual(Object.keys(body).sort(), [
      'max_tokens',
      'messages',
      'model',
      'output_config',
      'stream',
      'system',
    ]);
    assert.ok(JSON.stringify(headers).includes(KEY));
  });

  it('tells an answer that was cut off, and one that was declined, from a whole one', async () => {
    server.replies.push({ text: '{', stopReason: 'max_tokens' }, { text: '', stopReason: 'refusal' });
    assert.equal((await caller.call(question, new Heard())).end, 'truncated');
    assert.equal((await caller.call(question, new Heard())).end, 'refused');
  });

  it('waits as long as a rate limit says, and then asks again', async () => {
    server.replies.push(
      { status: 429, errorType: 'rate_limit_error', headers: { 'retry-after': '7' } },
      { text: 'ok' },
    );
    assert.equal((await caller.call(question, new Heard())).text, 'ok');
    assert.deepEqual(waits.lengths, [7_000]);
  });

  it('makes all calls wait for what one of them was told', async () => {
    server.replies.push({ status: 429, errorType: 'rate_limit_error', headers: { 'retry-after': '7' } });
    const first = caller.call(question, new Heard());
    await first;
    server.replies.push({ status: 529, errorType: 'overloaded_error', headers: { 'retry-after': '3' } });
    await Promise.all([caller.call(question, new Heard()), caller.call(question, new Heard())]);
    assert.equal(server.requests.length, 5);
    assert.deepEqual(waits.lengths.slice(0, 2), [7_000, 3_000]);
  });

  it('does not wait for minutes: it says until when it should', async () => {
    server.replies.push({ status: 429, errorType: 'rate_limit_error', headers: { 'retry-after': '900' } });
    await assert.rejects(caller.call(question, new Heard()), failure('rate-limited', /local/));
    assert.deepEqual(waits.lengths, []);
  });

  it('asks an overloaded provider again with growing pauses, and gives up after some', async () => {
    server.otherwise = () => ({ status: 529, errorType: 'overloaded_error', message: 'Overloaded' });
    await assert.rejects(caller.call(question, new Heard()), failure('overloaded', /Try again in some minutes/));
    assert.deepEqual(waits.lengths, [1_000, 2_000, 4_000, 8_000]);
    assert.equal(server.requests.length, 5);
  });

  it('asks again after an internal error of the provider', async () => {
    server.replies.push({ status: 500 }, { text: 'ok' });
    assert.equal((await caller.call(question, new Heard())).text, 'ok');
  });

  for (const [status, errorType, reason] of [
    [401, 'authentication_error', 'bad-key'],
    [403, 'permission_error', 'bad-key'],
    [404, 'not_found_error', 'unknown-model'],
    [413, 'request_too_large', 'too-large'],
    [400, 'invalid_request_error', 'provider'],
  ] as const) {
    it(`says what a ${status} means, and does not repeat it`, async () => {
      server.replies.push({ status, errorType, message: `no: ${KEY}` });
      await assert.rejects(caller.call(question, new Heard()), failure(reason));
      assert.equal(server.requests.length, 1);
    });
  }

  it('says that a prompt is too long for the model', async () => {
    server.replies.push({ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' });
    await assert.rejects(caller.call(question, new Heard()), failure('too-large', /210000/));
  });

  it('gives up on an answer that does not begin', async () => {
    server.replies.push({ fault: 'silent' });
    await assert.rejects(caller.call({ ...question, stallMs: 80 }, new Heard()), failure('timeout', /stallSeconds/));
  });

  it('gives up on an answer that gets stuck, and does not repeat what has been billed', async () => {
    server.replies.push({ text: 'half of it and no more', fault: 'stuck' });
    const heard = new Heard();
    await assert.rejects(caller.call({ ...question, stallMs: 80 }, heard), failure('timeout'));
    assert.equal(server.requests.length, 1);
    assert.equal(heard.usages.length, 1);
  });

  it('says that the connection was lost in the middle of an answer', async () => {
    server.replies.push({ text: 'half of it and no more', fault: 'dropped' });
    await assert.rejects(caller.call(question, new Heard()), failure('network'));
    assert.equal(server.requests.length, 1);
  });

  it('does not take what is no JSON for an answer', async () => {
    server.replies.push({ text: 'half of it', fault: 'garbage' });
    await assert.rejects(caller.call(question, new Heard()), failure('failing', /damaged/));
  });

  it('says that nobody answers at the address, after some tries', async () => {
    await server.stop();
    await assert.rejects(caller.call(question, new Heard()), failure('network', /connection/));
    assert.equal(waits.lengths.length, 4);
    server = await FakeAnthropic.start();
  });

  it('ends at once when it is cancelled, before an answer and in the middle of one', async () => {
    for (const fault of ['silent', 'stuck'] as const) {
      server.replies.push({ text: 'half of it', fault });
      const controller = new AbortController();
      const work = caller.call(question, new Heard(), controller.signal);
      setTimeout(() => controller.abort(), 50);
      await assert.rejects(work, { name: 'AbortError' });
    }
  });

  it('says that there is no key, without asking anybody', async () => {
    const keyless = new AnthropicCaller({
      key: async () => undefined,
      baseUrl: server.url,
      politeness: { log, sleep: waits.sleep, now: waits.now, random: () => 0.5 },
    });
    await assert.rejects(keyless.call(question, new Heard()), failure('no-key', /ANTHROPIC_API_KEY/));
    assert.equal(server.requests.length, 0);
  });

  it('never writes the key or the question into the log', async () => {
    server.replies.push({ status: 429, errorType: 'rate_limit_error' }, { status: 500, message: KEY }, { text: 'ok' });
    await caller.call(question, new Heard());
    assert.ok(log.lines.length > 0);
    assert.doesNotMatch(log.lines.join('\n'), /sk-ant|happened/);
  });
});
