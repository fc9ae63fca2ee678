import assert from 'node:assert/strict';
import { PendingCosts } from '../../../../../src/core/versions/models/costGate';
import { ModelSummarizer } from '../../../../../src/core/versions/models/modelSummarizer';
import { SummarizerError } from '../../../../../src/core/versions/models/modelCaller';
import { defaultModelSettings, type ModelSettings } from '../../../../../src/core/model/models';
import { FakeCaller } from '../../../support/fakeCaller';
import { FakeLedger } from '../../../support/fakeLedger';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../../../support/recordingLog';
import { plantedIn, secretParts, seeded } from '../../../support/secretCorpus';
import { KNOWN_FORMS } from '../../../support/secretForms';
import { answerText, sourceMessages, summaryRequest } from '../../../support/summaryRequests';

const options = { model: 'sonnet' };

class Stage {
  readonly caller = new FakeCaller();
  readonly ledger = new FakeLedger();
  readonly log = new RecordingLog();
  readonly clock = new ManualClock('2026-01-20T12:00:00Z');
  readonly pending = new PendingCosts();
  settings: ModelSettings = defaultModelSettings;
  readonly summarizer = new ModelSummarizer({
    caller: this.caller,
    settings: async () => this.settings,
    ledger: this.ledger,
    pending: this.pending,
    clock: this.clock,
    log: this.log,
  });
}

const conversation = sourceMessages([
  'Make imports retry.',
  'They retry three times now.',
  'Why three?',
  'It was enough.',
]);
const good = answerText({ text: 'Imports retry three times.', messages: [0, 1] });

function failsWith(reason: string): (error: unknown) => boolean {
  return (error) => error instanceof SummarizerError && error.reason === reason;
}

describe('a summarizer that asks a model', () => {
  it('returns the blocks of the answer with their messages, and what they cost', async () => {
    const stage = new Stage();
    stage.caller.replies.push(good);
    const summary = await stage.summarizer.summarize(summaryRequest(conversation), options);
    assert.deepEqual(summary.blocks, [
      { kind: 'note', role: 'assistant', text: 'Imports retry three times.', messages: [0, 1] },
    ]);
    assert.deepEqual(summary.cost, { calls: 1, inputTokens: 1_000, outputTokens: 100, usd: 0.003 });
    assert.deepEqual(summary.provenance, {
      model: 'claude-sonnet-5-5',
      prompt: 'summarize-1',
      responseIds: ['msg_1'],
    });
  });

  it('writes every call into the ledger, without a word of the session', async () => {
    const stage = new Stage();
    stage.caller.replies.push(good);
    await stage.summarizer.summarize(summaryRequest(conversation), options);
    const [entry] = stage.ledger.lines;
    assert.equal(stage.ledger.lines.length, 1);
    assert.deepEqual(
      [entry?.outcome, entry?.sessionId, entry?.model, entry?.usd, entry?.responseId],
      ['ok', 'session-1', 'claude-sonnet-5-5', 0.003, 'msg_1'],
    );
    assert.doesNotMatch(JSON.stringify(entry), /import|retry/i);
  });

  it('sends no secret of any known form, whoever has asked', async () => {
    const stage = new Stage();
    stage.caller.replies.push(good);
    const planted = [...plantedIn(KNOWN_FORMS, seeded(4))].filter(({ context }) => context === 'plain');
    const said = sourceMessages(planted.map(({ text }) => text));
    stage.caller.otherwise = () => good;
    await stage.summarizer.summarize(summaryRequest(said), options).catch(() => undefined);
    const sent = stage.caller.calls.map(({ prompt }) => prompt).join('\n');
    assert.ok(sent.length > 10_000);
    const left = planted.filter(({ secret }) => secretParts(secret).some((part) => sent.includes(part)));
    assert.deepEqual(
      left.map(({ form }) => form),
      [],
    );
  });

  it('tells a model what was wrong with an answer, and asks once more', async () => {
    const stage = new Stage();
    stage.caller.replies.push('I would rather chat.', good);
    const summary = await stage.summarizer.summarize(summaryRequest(conversation), options);
    assert.equal(summary.blocks.length, 1);
    assert.equal(summary.cost.calls, 2);
    assert.match(stage.caller.calls[1]!.prompt, /could not be used: it was not one JSON object/);
  });

  it('gives up after a second answer that cannot be used, with both calls in the ledger', async () => {
    const stage = new Stage();
    stage.caller.replies.push('no', 'no again');
    await assert.rejects(
      stage.summarizer.summarize(summaryRequest(conversation), options),
      failsWith('invalid-output'),
    );
    assert.equal(stage.ledger.lines.length, 2);
  });

  it('has notes shortened that are too long, without sending the transcript again', async () => {
    const stage = new Stage();
    const long = answerText({ text: 'Imports retry three times. '.repeat(60), messages: [0, 1] });
    stage.caller.replies.push(long, good);
    const summary = await stage.summarizer.summarize(summaryRequest(conversation), options);
    assert.equal(summary.blocks[0]?.text, 'Imports retry three times.');
    assert.doesNotMatch(stage.caller.calls[1]!.prompt, /Why three/);
  });

  it('rejects notes that stay far too long', async () => {
    const stage = new Stage();
    stage.caller.otherwise = () => answerText({ text: 'Imports retry three times. '.repeat(60), messages: [0, 1] });
    await assert.rejects(
      stage.summarizer.summarize(summaryRequest(conversation), options),
      failsWith('invalid-output'),
    );
  });

  it('asks with twice the room when an answer was cut off, and says so when that was not enough', async () => {
    const stage = new Stage();
    stage.caller.replies.push({ text: '{"blocks":[', end: 'truncated' }, good);
    await stage.summarizer.summarize(summaryRequest(conversation), options);
    const [first, second] = stage.caller.calls;
    assert.equal(second!.maxOutputTokens, first!.maxOutputTokens * 2);
    stage.caller.otherwise = () => ({ text: '{', end: 'truncated' });
    await assert.rejects(stage.summarizer.summarize(summaryRequest(conversation), options), failsWith('truncated'));
  });

  it('says that a model declined, and does not ask again', async () => {
    const stage = new Stage();
    stage.caller.replies.push({ text: '', end: 'refused' });
    await assert.rejects(stage.summarizer.summarize(summaryRequest(conversation), options), failsWith('refused'));
    assert.deepEqual(
      stage.ledger.lines.map(({ outcome }) => outcome),
      ['refused'],
    );
  });

  it('asks again when an answer broke off, and counts what had come of the first', async () => {
    const stage = new Stage();
    stage.caller.replies.push(async ({ onText, onUsage }) => {
      onUsage({ inputTokens: 500, outputTokens: 1, cacheWriteTokens: 0, cacheReadTokens: 0 });
      onText(400);
      throw new SummarizerError('network');
    }, good);
    const summary = await stage.summarizer.summarize(summaryRequest(conversation), options);
    assert.equal(summary.cost.calls, 2);
    assert.deepEqual(
      stage.ledger.lines.map(({ outcome, inputTokens, outputTokens }) => ({ outcome, inputTokens, outputTokens })),
      [
        { outcome: 'network', inputTokens: 500, outputTokens: 100 },
        { outcome: 'ok', inputTokens: 1_000, outputTokens: 100 },
      ],
    );
  });

  it('stops without asking again when it is cancelled, and writes down what was begun', async () => {
    const stage = new Stage();
    const controller = new AbortController();
    stage.caller.replies.push(async ({ onUsage }) => {
      onUsage({ inputTokens: 500, outputTokens: 1, cacheWriteTokens: 0, cacheReadTokens: 0 });
      controller.abort();
      throw controller.signal.reason;
    });
    const work = stage.summarizer.summarize(summaryRequest(conversation), options, undefined, controller.signal);
    await assert.rejects(work, { name: 'AbortError' });
    assert.deepEqual(
      stage.ledger.lines.map(({ outcome, inputTokens }) => ({ outcome, inputTokens })),
      [{ outcome: 'cancelled', inputTokens: 500 }],
    );
    assert.equal(stage.pending.usd, 0);
  });

  it('cuts a session that is larger than the window into calls, each within it, and joins what they say', async () => {
    const stage = new Stage();
    stage.settings = { ...defaultModelSettings, catalog: { 'claude-sonnet-5-5': { contextTokens: 40_000 } } };
    const texts = Array.from({ length: 60 }, (_, index) => `${index}: ${'imports and retries '.repeat(200)}`);
    stage.caller.otherwise = ({ prompt }) => {
      const indexes = [...prompt.matchAll(/^\[(\d+)\]/gm)].map(([, digits]) => Number(digits));
      return answerText({ text: `From ${indexes[0]} on.`, messages: indexes });
    };
    const { blocks, cost } = await stage.summarizer.summarize(summaryRequest(sourceMessages(texts)), options);
    assert.ok(cost.calls >= 3, `${cost.calls} calls`);
    assert.deepEqual(
      blocks.flatMap(({ messages }) => messages),
      texts.map((_, index) => index),
    );
    for (const { prompt } of stage.caller.calls) assert.ok((prompt.length / 4) * 1.5 < 40_000);
    assert.match(stage.caller.calls[1]!.prompt, /Before this, the human had asked/);
  });

  it('reports progress that never goes back', async () => {
    const stage = new Stage();
    stage.caller.replies.push(async ({ onText }) => {
      for (const characters of [10, 40, 30, 90]) onText(characters);
      return { text: good };
    });
    const seen: number[] = [];
    const request = summaryRequest(conversation);
    await stage.summarizer.summarize(request, options, ({ done, total }) => seen.push(done / total));
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    );
    assert.equal(seen.at(-1), 1);
  });

  it('does not lose a summary because the ledger could not be written', async () => {
    const stage = new Stage();
    stage.caller.replies.push(good);
    stage.ledger.append = async () => Promise.reject(new Error('no space'));
    const { blocks } = await stage.summarizer.summarize(summaryRequest(conversation), options);
    assert.equal(blocks.length, 1);
    assert.deepEqual(stage.log.lines, ['error A call of a model could not be written into the ledger']);
  });
});

describe('the cost of asking a model', () => {
  it('is estimated without asking', async () => {
    const stage = new Stage();
    const { calls, usd, inputTokens } = await stage.summarizer.estimate(summaryRequest(conversation), options);
    assert.equal(calls, 1);
    assert.ok(usd > 0 && inputTokens > 0);
    assert.equal(stage.caller.calls.length, 0);
  });

  it('is refused beyond the limit of the run, before anything is sent', async () => {
    const stage = new Stage();
    const work = stage.summarizer.summarize(summaryRequest(conversation), { ...options, maxCostUsd: 0.001 });
    await assert.rejects(work, failsWith('run-limit'));
    assert.equal(stage.caller.calls.length, 0);
    assert.equal(stage.ledger.lines.length, 0);
  });

  it('leaves less room for the answer where the limit is near, and never more than it can pay for', async () => {
    const stage = new Stage();
    stage.caller.replies.push(good, good);
    await stage.summarizer.summarize(summaryRequest(conversation), { ...options, maxCostUsd: 0.03 });
    await stage.summarizer.summarize(summaryRequest(conversation), { ...options, maxCostUsd: 1 });
    const [near, far] = stage.caller.calls.map(({ maxOutputTokens }) => maxOutputTokens);
    assert.ok(near! < far!, `${near} < ${far}`);
    assert.ok((near! * 10) / 1e6 <= 0.03);
  });

  it('is refused beyond the limit of the day, whatever the run may cost', async () => {
    const stage = new Stage();
    stage.caller.otherwise = () => good;
    await stage.summarizer.summarize(summaryRequest(conversation), options);
    stage.ledger.lines[0] = { ...stage.ledger.lines[0]!, usd: 9.999 };
    const work = stage.summarizer.summarize(summaryRequest(conversation), { ...options, maxCostUsd: 100 });
    await assert.rejects(work, failsWith('day-limit'));
    stage.clock.set('2026-01-21T12:00:00Z');
    await stage.summarizer.summarize(summaryRequest(conversation), options);
  });

  it('is unknown for a model that nobody described, which is then not asked', async () => {
    const stage = new Stage();
    const work = stage.summarizer.estimate(summaryRequest(conversation), { model: 'gpt-9' });
    await assert.rejects(work, failsWith('unknown-model'));
  });
});
