import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { knownModel, type ModelCall, SummarizerError } from '../../../../src/core/versions/models/modelCaller';
import { defaultModelSettings } from '../../../../src/core/model/models';
import { ClaudeCliCaller } from '../../../../src/node/summarizers/claudeCliCaller';
import { useTempFolder } from '../../../unit/support/tempFolder';

const question: ModelCall = {
  model: knownModel('opus', defaultModelSettings),
  system: 'Condense.',
  prompt: 'What happened?',
  maxOutputTokens: 5_000,
  maxUsd: 0.5,
  stallMs: 5_000,
};
const listener = { onText: () => undefined, onUsage: () => undefined };

const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'an answer',
  stop_reason: 'end_turn',
  total_cost_usd: 0.02,
  usage: { input_tokens: 5, output_tokens: 7, cache_creation_input_tokens: 11, cache_read_input_tokens: 13 },
  session_id: 's1',
};

/** A program called `claude` that runs this JavaScript. */
async function callerWith(dir: string, script: string): Promise<ClaudeCliCaller> {
  const bin = path.join(dir, 'bin');
  await mkdir(bin);
  const file = path.join(bin, 'claude');
  await writeFile(file, `#!${process.execPath}\n${script}`);
  await chmod(file, 0o755);
  const env = { PATH: bin, HOME: dir, CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', ANTHROPIC_API_KEY: 'sk-ant-x' };
  return new ClaudeCliCaller({ storeDir: dir, env });
}

function printing(...lines: readonly object[]): string {
  return lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`).join('\n');
}

function failure(reason: string): (error: unknown) => boolean {
  return (error) => error instanceof SummarizerError && error.reason === reason;
}

describe('the command claude', function () {
  const folder = useTempFolder();

  before(function () {
    if (process.platform === 'win32') this.skip(); // the stand-ins for `claude` are scripts with a #! line
  });

  it('is given the question on its input, and answers with what the call took and cost', async () => {
    const dir = folder.path;
    const script = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => {
        console.log(JSON.stringify({ ...${JSON.stringify(result)}, result: text.toUpperCase() }));
      });`;
    const answer = await (await callerWith(dir, script)).call(question, listener);
    assert.deepEqual(answer, {
      text: 'WHAT HAPPENED?',
      end: 'complete',
      usage: { inputTokens: 5, outputTokens: 7, cacheWriteTokens: 11, cacheReadTokens: 13 },
      usd: 0.02,
      responseId: 's1',
    });
  });

  it('runs apart from sessions: without tools, hooks, settings, persistence, or a word of a session around it', async () => {
    const dir = folder.path;
    const script = `require('node:fs').writeFileSync(process.env.HOME + '/seen.json', JSON.stringify({
        args: process.argv.slice(2), env: process.env, cwd: process.cwd() }));\n${printing(result)}`;
    await (await callerWith(dir, script)).call(question, listener);
    const seen = await readFile(path.join(dir, 'seen.json'), 'utf8');
    for (const option of ['--safe-mode', '--no-session-persistence', '--strict-mcp-config', '--tools=']) {
      assert.ok(seen.includes(`"${option}"`), option);
    }
    assert.match(seen, /"KEEPIT_MODEL_RUN":"1"/);
    assert.doesNotMatch(seen, /CLAUDECODE"|ENTRYPOINT|What happened|Condense/);
    assert.match(seen, /"--max-budget-usd=0.5000"/);
    const run = path.join(dir, 'cache', 'claude-cli');
    assert.equal(await readFile(path.join(run, 'settings.json'), 'utf8'), '{"disableAllHooks":true}');
    assert.equal((await stat(run)).mode & 0o777, 0o700);
  });

  it('tells what came of its answer while it comes', async () => {
    const dir = folder.path;
    const event = (inner: object) => ({ type: 'stream_event', event: inner });
    const script = printing(
      event({ type: 'message_start', message: { id: 'msg_9', usage: { input_tokens: 3, output_tokens: 1 } } }),
      event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'an ' } }),
      event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'answer' } }),
      result,
    );
    const texts: number[] = [];
    const caller = await callerWith(dir, script);
    const { responseId } = await caller.call(question, { ...listener, onText: (count) => texts.push(count) });
    assert.deepEqual(texts, [3, 9]);
    assert.equal(responseId, 'msg_9');
  });

  for (const [what, line, reason] of [
    ['is not signed in', { is_error: true, result: 'Not logged in · Please run /login' }, 'not-signed-in'],
    ['has used up its plan', { is_error: true, result: "You've hit your limit · usage limit reached" }, 'rate-limited'],
    ['meets an overload', { is_error: true, api_error_status: 529, result: 'API Error: 529' }, 'overloaded'],
    ['reaches nobody', { is_error: true, result: 'API Error: Connection error.' }, 'network'],
    ['stops at the money it may spend', { subtype: 'error_max_budget_usd', is_error: true }, 'run-limit'],
  ] as const) {
    it(`says so when it ${what}`, async () => {
      const dir = folder.path;
      const caller = await callerWith(dir, `${printing({ ...result, ...line })} process.exitCode = 1;`);
      await assert.rejects(caller.call(question, listener), failure(reason));
    });
  }

  it('says that a version of it is too old to run apart from sessions', async () => {
    const dir = folder.path;
    const caller = await callerWith(dir, `console.error("error: unknown option '--safe-mode'"); process.exit(1);`);
    await assert.rejects(caller.call(question, listener), failure('claude-outdated'));
  });

  it('says that it is not there', async () => {
    const dir = folder.path;
    const caller = new ClaudeCliCaller({ storeDir: dir, env: { PATH: dir, HOME: dir } });
    await assert.rejects(caller.call(question, listener), failure('no-claude'));
  });

  for (const how of ['is cancelled', 'shows no sign of life'] as const) {
    it(`is ended with its children when it ${how}, also when they do not want to`, async () => {
      const dir = folder.path;
      const script = `process.on('SIGTERM', () => undefined);
          const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)']);
          require('node:fs').writeFileSync(process.env.HOME + '/pids', process.pid + ' ' + child.pid);
          setInterval(() => 0, 1000);`;
      const caller = await callerWith(dir, script);
      const controller = new AbortController();
      const stallMs = how === 'is cancelled' ? 60_000 : 600;
      const work = caller.call({ ...question, stallMs }, listener, controller.signal);
      const pids = await pidsIn(path.join(dir, 'pids'));
      if (how === 'is cancelled') {
        controller.abort();
        await assert.rejects(work, { name: 'AbortError' });
      } else {
        await assert.rejects(work, failure('timeout'));
      }
      for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    });
  }
});

async function pidsIn(file: string): Promise<number[]> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => ''); // not written yet
    if (text.includes(' ')) return text.split(' ').map(Number);
    await sleep(20);
  }
}
