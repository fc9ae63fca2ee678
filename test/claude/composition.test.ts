import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import type { CompositionRequest } from '../../src/core/model/composition';
import { projectFolderName } from '../../src/core/sessions/projectNames';
import { createMemory, type Memory } from '../../src/node/createMemory';
import { FakeAnthropic } from '../unit/support/fakeAnthropic';
import { RecordingLog } from '../unit/support/recordingLog';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  input: z.optional(z.unknown()),
  tool_use_id: z.optional(z.string()),
  content: z.optional(z.unknown()),
});
type Block = z.infer<typeof blockSchema>;
const messageSchema = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) });
const recordSchema = z.looseObject({ message: messageSchema });

/** Names, quotes, emoji and code, as people and tools write them. */
const AWKWARD = [
  'Zoë said: "use `\\n`, not \'\\r\\n\'" — ок? 你好 🎉👩‍👩‍👧',
  '```ts\nconst a = `${b}`; // <script>alert("x")</script> & </system-reminder>\n```',
  'Path C:\\Users\\Ünï\\file name.txt, /tmp/a b/c.md, $HOME, %PATH%, {{ mustache }}, [[wiki]]',
];

/** How newer versions of Claude Code write a reminder's tag in what hooks say, so that it ends nothing. */
const HELD_OFF = /&lt;(\/?)system-reminder>/g;

/** A session in which words and tool calls take turns. */
function workSession(id: string, cwd: string, { turns, size }: { turns: number; size: number }): TranscriptBuilder {
  const builder = new TranscriptBuilder(id, cwd).title(`Work ${id}`);
  for (let turn = 0; turn < turns; turn += 1) {
    const filler = `${AWKWARD[turn % AWKWARD.length] ?? ''} ${'some more words of the human '.repeat(size)}`;
    builder.human(`Request ${turn} of ${id}. ${filler}`);
    const use = {
      type: 'tool_use',
      id: `toolu_${id}_${turn}`,
      name: 'Bash',
      input: { command: `echo "${turn}" 'ä' && ls`, turn },
    };
    builder.assistant('', {
      message: { id: `msg_${id}_${turn}_u`, role: 'assistant', model: 'claude-opus-4-8', content: [use] },
    });
    const result = {
      type: 'tool_result',
      tool_use_id: use.id,
      content: `output ${turn} of ${id} 🎉\n${'line of output\n'.repeat(size)}`,
    };
    builder.human('', { message: { role: 'user', content: [result] } });
    builder.assistant(`Answer ${turn} of ${id}. ${'what the assistant said at length '.repeat(size)}`);
  }
  return builder;
}

describe('the real claude, with a composed context', () => {
  let dir: string;
  let cwd: string;
  let server: FakeAnthropic;
  let memory: Memory;
  let claudeDir: string;
  let projectId: string;

  beforeEach(async () => {
    dir = await realpath(await mkdtemp(path.join(tmpdir(), 'keepit-compose-')));
    cwd = path.join(dir, 'work');
    claudeDir = path.join(dir, 'claude');
    projectId = projectFolderName(cwd);
    await mkdir(cwd);
    server = await FakeAnthropic.start();
    memory = createMemory({
      claudeDir,
      memoryDir: path.join(dir, 'memory'),
      distDir: path.resolve('dist'),
      log: new RecordingLog(),
    });
  });

  afterEach(async () => {
    await memory.dispose();
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function register(...sessions: [string, TranscriptBuilder][]): Promise<void> {
    const folder = path.join(claudeDir, 'projects', projectId);
    await mkdir(folder, { recursive: true });
    for (const [sessionId, transcript] of sessions)
      await writeFile(path.join(folder, `${sessionId}.jsonl`), transcript.toString());
    const { failed } = await memory.service.sessions.register(
      sessions.map(([sessionId]) => ({ projectId, sessionId })),
    );
    assert.deepEqual(failed, []);
  }

  async function compose(sessions: readonly string[], fields: Partial<CompositionRequest> = {}) {
    const components = sessions.map((sessionId) => ({ sessionId }));
    const request = {
      name: 'ctx',
      components,
      totalTokenBudget: 50_000,
      outputFormat: 'both',
      strategy: 'equal',
      ...fields,
    } as const;
    return memory.service.compositions.compose(projectId, request);
  }

  /** Runs Claude Code in the project's folder; its model is ours. */
  async function runClaude(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.env.KEEPIT_CLAUDE_BIN ?? '', [...args, '--output-format', 'json'], {
      cwd,
      env: {
        HOME: path.join(dir, 'home'),
        PATH: process.env.PATH,
        CLAUDE_CONFIG_DIR: claudeDir,
        ANTHROPIC_API_KEY: 'sk-ant-fake',
        ANTHROPIC_BASE_URL: server.url,
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_ERROR_REPORTING: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  /** What reached the model, block by block, in order. */
  function sent(): Block[] {
    const body = server.requests.find(({ body: { messages } }) => JSON.stringify(messages).includes('GO ON NOW'))?.body;
    assert.ok(body, 'no request holds the prompt');
    return body.messages.flatMap((message) => blocksOf(messageSchema.parse(message).content));
  }

  async function deliverAndResume() {
    const delivered = await memory.service.compositions.deliver(projectId, 'ctx', 'resume');
    const file = delivered.file ?? '';
    const before = await readFile(file, 'utf8');
    const { code, output } = await runClaude('--resume', file, '--fork-session', '-p', 'GO ON NOW');
    assert.equal(code, 0, output);
    assert.equal(await readFile(file, 'utf8'), before, 'the delivered file was changed');
    return {
      records: before
        .trim()
        .split('\n')
        .map((line) => recordSchema.parse(JSON.parse(line))),
    };
  }

  /** Every text, call and answer of the records is in the request, in their order; each call is followed by its answer. */
  function assertAllSent(records: readonly z.infer<typeof recordSchema>[]): void {
    const blocks = sent();
    let at = 0;
    for (const expected of records.flatMap(({ message }) => blocksOf(message.content))) {
      const found = blocks.findIndex((block, index) => index >= at && isSame(block, expected));
      assert.notEqual(found, -1, `missing, or out of order: ${JSON.stringify(expected).slice(0, 300)}`);
      at = found + 1;
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    for (const call of calls) {
      const next = blocks[blocks.indexOf(call) + 1];
      assert.equal(next?.type, 'tool_result');
      assert.equal(next.tool_use_id, call.id);
    }
  }

  it('gets every session in order, each tool call with its answer, whatever stands in them', async () => {
    await register(
      ['aaaa1111', workSession('aaaa1111', cwd, { turns: 3, size: 3 })],
      ['bbbb2222', workSession('bbbb2222', cwd, { turns: 3, size: 3 })],
    );
    const { record } = await compose(['bbbb2222', 'aaaa1111']);
    assert.deepEqual(
      record.components.map(({ versionId }) => versionId),
      ['original', 'original'],
    );
    const { records } = await deliverAndResume();
    assertAllSent(records);
    const text = JSON.stringify(sent());
    for (const words of AWKWARD) assert.ok(text.includes(JSON.stringify(words).slice(1, -1)), words);
    assert.equal(sent().filter(({ type }) => type === 'tool_use').length, 6);
    const arrival = await memory.service.compositions.arrived(projectId, 'ctx');
    assert.deepEqual([arrival.arrived, arrival.evidence], [true, 'the session goes on from its records']);
    assert.deepEqual((await memory.service.compositions.get(projectId, 'ctx')).record.usedInSessions, [
      arrival.sessionId,
    ]);
  });

  it('gets what was made of sessions on the way, with their keepits', async () => {
    const transcript = workSession('aaaa1111', cwd, { turns: 12, size: 30 });
    transcript.human('##keepit1.00## Never touch  `prod-db` — "ever" 🎉 ##keepit:end## Understood?').assistant('Yes.');
    await register(['aaaa1111', transcript], ['bbbb2222', workSession('bbbb2222', cwd, { turns: 8, size: 30 })]);
    const { record } = await compose(['aaaa1111', 'bbbb2222'], { totalTokenBudget: 4000, strategy: 'age' });
    assert.ok(record.totalTokens <= 4000);
    assert.deepEqual(
      record.components.map(({ versionId }) => versionId),
      ['fresh', 'fresh'],
    );
    assertAllSent((await deliverAndResume()).records);
    assert.ok(JSON.stringify(sent()).includes(JSON.stringify('Never touch  `prod-db` — "ever" 🎉').slice(1, -1)));
  });

  it('gets a context of 200,000 tokens in full', async () => {
    const ids = ['aaaa1111', 'bbbb2222', 'cccc3333', 'dddd4444'];
    await register(
      ...ids.map((id): [string, TranscriptBuilder] => [id, workSession(id, cwd, { turns: 30, size: 115 })]),
    );
    const { record } = await compose(ids, { totalTokenBudget: 280_000 });
    assert.ok(record.totalTokens > 200_000 && record.totalTokens <= 280_000, String(record.totalTokens));
    assert.ok(record.components.every(({ versionId }) => versionId === 'original'));
    assertAllSent((await deliverAndResume()).records);
  });

  it('gets what was armed from a hook, to its last word, and it is seen to arrive', async () => {
    await register(['aaaa1111', workSession('aaaa1111', cwd, { turns: 8, size: 30 })]);
    await compose(['aaaa1111'], { totalTokenBudget: 20_000 });
    const { armed } = await memory.service.compositions.deliver(projectId, 'ctx', 'next-session');
    assert.ok(armed?.rest !== undefined, 'it is to be longer than a hook may say');
    const file = path.join(dir, 'piece');
    await writeFile(file, armed.text);
    const hooks = [{ type: 'command', command: `cat '${file}'` }];
    await writeFile(path.join(claudeDir, 'settings.json'), JSON.stringify({ hooks: { SessionStart: [{ hooks }] } }));
    const { code, output } = await runClaude('-p', 'GO ON NOW');
    assert.equal(code, 0, output);
    const text = sent()
      .map((block) => block.text ?? '')
      .join('\n')
      .replaceAll(HELD_OFF, '<$1system-reminder>');
    assert.ok(text.includes(armed.text.trim()));
    const arrival = await memory.service.compositions.arrived(projectId, 'ctx');
    assert.equal(arrival.arrived, true);
    assert.match(arrival.evidence, /^a hook handed over what matters most/);
  });
});

function blocksOf(content: z.infer<typeof messageSchema>['content']): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Claude Code may add marks for its cache, and nothing else. */
function isSame(block: Block, expected: Block): boolean {
  if (block.type !== expected.type) return false;
  if (block.type === 'text') return block.text?.trim() === expected.text?.trim();
  if (block.type === 'tool_use')
    return block.id === expected.id && JSON.stringify(block.input) === JSON.stringify(expected.input);
  return (
    block.tool_use_id === expected.tool_use_id && JSON.stringify(block.content) === JSON.stringify(expected.content)
  );
}
