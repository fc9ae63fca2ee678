import assert from 'node:assert/strict';
import type { CompressionRequest } from '../../../../src/core/versions/types';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

/** Work that says much the same again and again, so that compressing alone makes less of it than is asked. */
function repetitious(turns: number): TranscriptBuilder {
  const transcript = new TranscriptBuilder('aaaa');
  for (let turn = 0; turn < turns; turn++) {
    transcript.human(
      `Letter ${turn} is lost. <private>my diary ${turn}</private> Look at src/queue.ts with ${TOKEN} again.`,
    );
    for (let round = 0; round < 6; round++) {
      transcript.result('12 passing', { name: 'Bash', input: { command: 'npm test', description: `attempt ${turn}` } });
    }
    transcript.assistant(
      `Letter ${turn} came back. ##keepit0.90## Never drop letter ${turn}. ##keepit:end## It passes.`,
    );
  }
  return transcript;
}

/** Work of which more is to be told than was said: many files with long names, each changed with a short answer. */
function crowded(turns: number): TranscriptBuilder {
  const transcript = new TranscriptBuilder('aaaa');
  for (let turn = 0; turn < turns; turn++) {
    transcript.human(`Please use port ${8000 + turn} for service number ${turn} from now on.`);
    for (let step = 0; step < 8; step++) {
      const path = `/home/ada/src/app/services/service${turn}/handlers/handler${turn}x${step}.ts`;
      const input = { file_path: path, old_string: `port${step}`, new_string: `listen(${turn}${step})` };
      transcript.result('ok', { name: 'Edit', input });
      transcript.result(`ok ${turn}`, { name: 'Bash', input: { command: `node check${turn}.mjs --only=${step}` } });
    }
    transcript.assistant(`Service ${turn} listens there: handler${turn}x3.ts has it.`);
  }
  return transcript;
}

describe('a uniform version of little loss', () => {
  let memory: FakeMemory;
  const compress = async (request: CompressionRequest) => memory.service.versions.compress(ref, request);
  const bodyOf = async (request: CompressionRequest) => {
    const { version } = await compress(request);
    const body = await memory.service.versions.text(ref, version.versionId, 'md');
    return { version, body: body.slice(body.indexOf('\n')) };
  };
  beforeEach(async () => {
    memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, repetitious(20));
    await memory.service.sessions.register([ref]);
  });

  it('has the size that was asked for, and never says less than a smaller one', async () => {
    let before = -1;
    for (const away of [80, 60, 40, 30, 20, 10]) {
      const { version } = await compress({ compactionRatio: 100 / (100 - away) });
      const made = 100 * (1 - version.outputTokens / (version.inputTokens ?? 0));
      assert.ok(Math.abs(made - away) <= 3, `${away} % asked, ${made.toFixed(1)} % taken away`);
      const { score } = version.fidelity ?? { score: 0 };
      assert.ok(score >= before, `${away} %: ${score} after ${before}`);
      before = score;
    }
  });

  it('never says less than a smaller one where nearly everything is there', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, crowded(12), '2026-01-16T12:00:00Z');
    await memory.service.sessions.sync();
    let before = 0;
    for (const ratio of [4, 3, 2.5, 2, 1.75, 1.5, 1.25, 1.1, 1]) {
      const { version } = await compress({ compactionRatio: ratio });
      const { score } = version.fidelity ?? { score: 0 };
      assert.ok(score >= before, `${ratio}:1: ${score} after ${before}`);
      before = score;
    }
  });

  it('promises no more of pictures than there are words', async () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const transcript = repetitious(4);
    for (let shot = 0; shot < 3; shot++) {
      const content = [{ type: 'text', text: `And what is wrong in picture ${shot} of the queue?` }, picture];
      transcript
        .human('', { message: { role: 'user', content } })
        .result([picture])
        .assistant(`The border of ${shot}.`);
    }
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript, '2026-01-16T12:00:00Z');
    await memory.service.sessions.sync();
    const request = { compactionRatio: 100 / 90 };
    const { outputTokens, inputTokens } = await memory.service.versions.preview(ref, request);
    const { version } = await compress(request);
    assert.ok(version.outputTokens < 0.6 * inputTokens);
    assert.ok(Math.abs(outputTokens / version.outputTokens - 1) < 0.1, `${outputTokens} for ${version.outputTokens}`);
  });

  it('holds its newest messages as they are, without secrets, and each keepit once', async () => {
    const { version, body } = await bodyOf({ compactionRatio: 1.25, keepitMode: 'preserve-all' });
    assert.match(body, /User: Letter 19 is lost\. {2}Look at src\/queue\.ts with \[redacted: [^\]]+\] again\./);
    assert.ok(
      body.includes('~~~tool\nBash\ncommand: npm test\ndescription: attempt 19\n~~~\n\n~~~result\n12 passing\n~~~'),
    );
    assert.ok(!body.includes('diary') && !body.includes(TOKEN));
    assert.equal(body.split('##keepit0.90##').length - 1, 20);
    assert.equal(body.split('Never drop letter 19.').length - 1, 1);
    assert.equal(version.keepitStats.preserved, 20);
    assert.equal((await bodyOf({ compactionRatio: 1.25, keepitMode: 'preserve-all' })).body, body);
    const lines = (await memory.service.versions.text(ref, version.versionId, 'jsonl')).trimEnd().split('\n');
    const last: unknown = JSON.parse(lines.at(-1) ?? '');
    assert.match(JSON.stringify(last), /"sources":\["aaaa-\d+"\]/);
  });

  it('is as large of a part alone, and where first messages are skipped', async () => {
    for (const more of [{ scope: { kind: 'delta' } }, { skipFirstMessages: 9 }] as const) {
      const { version, body } = await bodyOf({ compactionRatio: 1.25, ...more });
      assert.ok(Math.abs(version.outputTokens / (version.inputTokens ?? 0) - 0.8) <= 0.03, JSON.stringify(more));
      assert.equal(body.includes('Letter 2 '), !('skipFirstMessages' in more));
    }
  });
});
