import assert from 'node:assert/strict';
import { EstimatingTokenCounter } from '../../../../src/core/text/tokens/estimatingTokenCounter';
import { FakeMemory } from '../../support/fakeMemory';
import { someTranscript, TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };

describe('show', () => {
  let memory: FakeMemory;
  beforeEach(() => (memory = new FakeMemory()));

  it('accounts for every line of the transcript', async () => {
    const transcript = someTranscript('aaaa', 2).raw('{"type":"progress","data":1}').raw('').raw('{"broken');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    const { reader } = await memory.service.sessions.show(ref);
    const skipped = Object.values(reader.skipped).reduce((sum, count) => sum + count, 0);
    assert.deepEqual([reader.lines, reader.used, skipped, reader.broken.length], [5, 2, 2, 1]);
    assert.equal(reader.broken[0]?.line, 5);
    assert.equal(reader.brokenCount, 1);
    assert.equal(reader.unfinished, undefined);
  });

  it('counts broken lines beyond those that it lists', async () => {
    const transcript = someTranscript('aaaa', 1);
    for (let n = 0; n < 1500; n++) transcript.raw('not json');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    const { reader } = await memory.service.sessions.show(ref);
    assert.equal(reader.broken.length, 1000);
    assert.equal(reader.lines, reader.used + reader.brokenCount);
  });

  it('tells of a last line that has no end', async () => {
    const whole = String(someTranscript('aaaa', 2));
    memory.claude.write(`${APP}/aaaa.jsonl`, `${whole}{"type":"user","mess`);
    const { reader } = await memory.service.sessions.show(ref);
    assert.equal(reader.lines, 2);
    assert.deepEqual(reader.unfinished, { line: 3, bytes: 20 });
  });

  it('shows the manifest entry of a registered session, and what came after it', async () => {
    const transcript = someTranscript('aaaa');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    assert.deepEqual((await memory.service.sessions.show(ref)).delta, { newMessages: 0, uncompressed: 4, nextPart: 1 });
    await memory.service.sessions.register([ref]);
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript.human('more'), '2026-01-16T00:00:00Z');
    const { session, registered, delta } = await memory.service.sessions.show(ref);
    assert.ok('keepitMarkers' in session && registered);
    assert.deepEqual(delta, { newMessages: 1, uncompressed: 5, nextPart: 1 });
  });

  it('counts on from the newest part', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const [entry] = (await memory.service.sessions.register([ref])).registered;
    const keepitStats = { preserved: 0, summarized: 0, weights: {} };
    const settings = { mode: 'uniform', model: 'local', skipFirstMessages: 0, keepitMode: 'decay' } as const;
    const figures = { outputTokens: 1, outputMessages: 1, compressionRatio: 4, keepitStats, createdAt: '' };
    for (const partNumber of [1, 2]) {
      entry!.compressions.push({ versionId: `part${partNumber}_v001`, file: 'x', settings, partNumber, ...figures });
    }
    assert.equal((await memory.service.sessions.show(ref)).delta.nextPart, 3);
  });

  it('says so when there is no such session', async () => {
    await assert.rejects(memory.service.sessions.show(ref), { code: 'session-not-found' });
  });
});

describe('messages', () => {
  it('gives the live conversation with tokens that add up to those of the conversation', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa', 6));
    const rows = await memory.service.sessions.messages(ref);
    assert.deepEqual(rows.map(({ index, role }) => [index, role]).slice(0, 2), [
      [0, 'user'],
      [1, 'assistant'],
    ]);
    const { messages } = await memory.service.sessions.conversation(ref);
    assert.deepEqual(
      rows.map(({ tokens }) => tokens),
      messages.map(({ tokens, resultTokens }) => tokens + resultTokens),
    );
    const some = await memory.service.sessions.messages(ref, { from: 1, to: 2 });
    assert.deepEqual(some, rows.slice(1, 3));
    assert.deepEqual(await memory.service.sessions.messages(ref, { from: 99 }), []);
  });
});

describe('subAgents', () => {
  it('gives the dialogues of sub-agents, whether in files of their own or inside the session', async () => {
    const memory = new FakeMemory();
    const inline = new TranscriptBuilder('aaaa')
      .human('Look it up')
      .assistant('I will')
      .human('Search the code', { isSidechain: true, parentUuid: null })
      .assistant('Found it', { isSidechain: true });
    memory.claude.write(`${APP}/aaaa.jsonl`, inline);
    memory.claude.write(
      `${APP}/aaaa/subagents/agent-77.jsonl`,
      new TranscriptBuilder('aaaa').human('Read   the docs', { isSidechain: true, agentId: '77' }).assistant('Done', {
        isSidechain: true,
        agentId: '77',
      }),
    );
    const agents = await memory.service.sessions.subAgents(ref);
    assert.deepEqual(
      agents.map(({ title, conversation }) => [title, conversation.messages.length]),
      [
        ['Read the docs', 2],
        ['Search the code', 2],
      ],
    );
    assert.equal(agents[0]?.agentId, '77');
  });
});

describe('countExact', () => {
  let memory: FakeMemory;
  beforeEach(() => {
    memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'), '2026-01-10T00:00:00Z');
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'), '2026-01-12T00:00:00Z');
  });

  it('counts newest first, and discoveries show the figures from then on', async () => {
    const counted: string[] = [];
    const { sessions } = await memory.project();
    await memory.service.sessions.countExact(sessions, ({ sessionId }, { kind }) =>
      counted.push(`${sessionId} ${kind}`),
    );
    assert.deepEqual(counted, ['bbbb exact', 'aaaa exact']);
    assert.deepEqual(
      (await memory.project()).sessions.map(({ tokens }) => tokens.kind),
      ['exact', 'exact'],
    );
  });

  it('counts nothing twice for the same size and date', async () => {
    const { sessions } = await memory.project();
    await memory.service.sessions.countExact(sessions, () => undefined);
    memory.claude.opened.length = 0;
    let told = 0;
    await memory.service.sessions.countExact(sessions, () => told++);
    assert.deepEqual([told, memory.claude.opened.length], [2, 0]);
  });

  it('reads a session again that has grown, and estimates until it is counted again', async () => {
    const { sessions } = await memory.project();
    await memory.service.sessions.countExact(sessions, () => undefined);
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb', 6), '2026-01-13T00:00:00Z');
    memory.claude.opened.length = 0;
    const session = (await memory.project()).sessions.find(({ sessionId }) => sessionId === 'bbbb');
    assert.deepEqual([session?.tokens.kind, memory.claude.opened.length], ['estimate', 1]);
  });

  it('ends at once when it is told to', async () => {
    const { sessions } = await memory.project();
    const controller = new AbortController();
    const counting = memory.service.sessions.countExact(sessions, () => controller.abort(), controller.signal);
    await assert.rejects(counting, { name: 'AbortError' });
  });
});

describe('calibration', () => {
  it('has nothing to say before anything was read', async () => {
    assert.deepEqual(await new FakeMemory().service.sessions.calibration(), []);
  });

  it('fits the ratio of each model from the usage that the transcripts report', async () => {
    const memory = new FakeMemory();
    const transcript = new TranscriptBuilder('aaaa');
    const counter = new EstimatingTokenCounter();
    const said = counter.count('Question of nineteen') + counter.count('Answer of 12');
    for (let index = 0, context = 1000; index < 60; index++, context += 2 * said) {
      const usage = { input_tokens: context, output_tokens: 5 };
      const message = { id: `m${index}`, role: 'assistant', model: 'claude-x-4', usage };
      transcript.human('Question of nineteen').assistant('', {
        message: { ...message, content: [{ type: 'text', text: 'Answer of 12' }] },
      });
    }
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.discover();
    const [calibration] = await memory.service.sessions.calibration(APP);
    assert.equal(calibration?.model, 'claude-x-4');
    assert.ok(calibration.pairs >= 50, String(calibration.pairs));
    assert.ok(calibration.ratio > 1.5 && calibration.ratio < 2.2, String(calibration.ratio));
  });
});
