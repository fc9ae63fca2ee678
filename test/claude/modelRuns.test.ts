import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SummarizerError } from '../../src/core/versions/models/modelCaller';
import { parseKeepits } from '../../src/core/keepits/markerParser';
import { FakeAnthropic } from '../unit/support/fakeAnthropic';
import { IMPORTANT, lyingAnswer, ModelStage, PINNED } from '../unit/support/modelStage';

const KEY = 'sk-ant-test-0123456789abcdefghijklmnop';
const request = { provider: 'claude-cli', model: 'haiku', compactionRatio: 8 } as const;

function failure(reason: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SummarizerError, String(error));
    assert.equal(error.reason, reason, `${error.message} ${error.hint}`);
    return true;
  };
}

describe('the real claude, asked for summaries', () => {
  let dir: string;
  let server: FakeAnthropic;
  let stage: ModelStage;
  let shellEnvironment: NodeJS.ProcessEnv;

  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'keepit-claude-'));
    server = await FakeAnthropic.start();
    server.otherwise = lyingAnswer;
    shellEnvironment = await environment();
    stage = new ModelStage(dir, { distDir: path.resolve('dist'), env: shellEnvironment });
    await layTraps(stage.claudeDir);
    await stage.open();
  });

  afterEach(async () => {
    await stage.close();
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Only what a user's own shell would bring, and the model of ours. */
  async function environment(): Promise<NodeJS.ProcessEnv> {
    const bin = path.join(dir, 'bin');
    await mkdir(bin);
    await symlink(process.env.KEEPIT_CLAUDE_BIN ?? '', path.join(bin, 'claude'));
    return {
      HOME: path.join(dir, 'home'),
      PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
      CLAUDE_CONFIG_DIR: path.join(dir, 'claude'),
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
    };
  }

  /** Hooks of the user's for everything that a session does, and a memory file: none of them may have a part in our runs. */
  async function layTraps(claudeDir: string): Promise<void> {
    const hook = [{ hooks: [{ type: 'command', command: `touch ${JSON.stringify(path.join(dir, 'hook-ran'))}` }] }];
    const events = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd', 'PreCompact'];
    await mkdir(claudeDir, { recursive: true });
    const hooks = Object.fromEntries(events.map((event) => [event, hook]));
    await writeFile(path.join(claudeDir, 'settings.json'), JSON.stringify({ hooks }));
    await writeFile(path.join(claudeDir, 'CLAUDE.md'), 'Always answer in TRAPPED words.');
  }

  async function transcripts(): Promise<string[]> {
    const names = await readdir(path.join(stage.claudeDir, 'projects'), { recursive: true });
    return names.filter((name) => name.endsWith('.jsonl'));
  }

  it('would leave a session, and run the hooks, if it were run as users run it', async () => {
    const env = shellEnvironment;
    const claude = spawn('claude', ['-p', 'Hello.'], { env, cwd: dir, stdio: 'ignore' });
    assert.equal(await new Promise((resolve) => claude.once('close', resolve)), 0);
    assert.equal((await transcripts()).length, 2);
    assert.ok((await readdir(dir)).includes('hook-ran'));
    assert.match(JSON.stringify(server.requests.map(({ body }) => body)), /TRAPPED/);
  });

  it('writes a version whose keepits are byte for byte what was marked', async () => {
    const { files, version } = await stage.opened.service.versions.compress(stage.ref, { ...request, mode: 'uniform' });
    const text = await readFile(
      files.find((file) => file.endsWith('.md'))!,
      'utf8',
    );
    assert.deepEqual(
      parseKeepits(text).spans.map(({ content }) => content),
      [PINNED, IMPORTANT],
    );
    assert.equal(version.provider, 'claude-cli');
    const [entry] = await stage.opened.service.upkeep.ledger();
    assert.deepEqual([entry?.provider, entry?.outcome, entry?.inputTokens], ['claude-cli', 'ok', 100]);
    assert.ok((entry?.usd ?? 0) > 0);
  });

  it('leaves no session among those of the user, and no trace in their history', async () => {
    const before = await transcripts();
    await stage.opened.service.versions.compress(stage.ref, request);
    assert.deepEqual(await transcripts(), before);
    const names = await readdir(stage.claudeDir);
    assert.ok(!names.includes('history.jsonl'), names.join(', '));
    const { projects } = await stage.opened.service.sessions.discover();
    assert.deepEqual(
      projects.flatMap(({ sessions }) => sessions.map(({ sessionId }) => sessionId)),
      [stage.ref.sessionId],
    );
  });

  it("runs no hook of the user's, reads no memory file, and offers no tool to the model", async () => {
    await stage.opened.service.versions.compress(stage.ref, request);
    assert.ok(!(await readdir(dir)).includes('hook-ran'));
    assert.ok(server.requests.length > 0);
    for (const { body } of server.requests) {
      assert.doesNotMatch(JSON.stringify(body), /TRAPPED/);
      assert.deepEqual(body.tools ?? [], []);
    }
  });

  it('lets no key into the log, the ledger or the store', async () => {
    await stage.opened.service.versions.compress(stage.ref, request);
    const message = `invalid x-api-key ${KEY}`;
    const headers = { 'x-should-retry': 'false' }; // else it is asked again for nine seconds
    server.otherwise = () => ({ status: 401, errorType: 'authentication_error', message, headers });
    await assert.rejects(stage.opened.service.versions.compress(stage.ref, request), failure('not-signed-in'));
    assert.doesNotMatch(stage.log.lines.join('\n'), /sk-ant/);
    const store = stage.opened.memoryDir;
    for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.jsonl')) continue;
      assert.ok(!(await readFile(path.join(entry.parentPath, entry.name), 'utf8')).includes(KEY), entry.name);
    }
    assert.doesNotMatch(JSON.stringify(await stage.opened.service.upkeep.ledger()), /sk-ant/);
  });

  it('says that the model declined', async () => {
    server.otherwise = () => ({ text: 'I cannot help with that.', stopReason: 'refusal' });
    await assert.rejects(stage.opened.service.versions.compress(stage.ref, request), failure('refused'));
  });

  it('says that an answer was cut off, after it asked once more with more room', async () => {
    server.otherwise = () => ({ text: '{"blocks":[', stopReason: 'max_tokens' });
    await assert.rejects(stage.opened.service.versions.compress(stage.ref, request), failure('truncated'));
    const rooms = new Set(server.requests.map(({ body }) => body.max_tokens));
    assert.ok(rooms.size >= 2, [...rooms].join(', '));
  });

  it('ends when it is cancelled, and nothing of it goes on', async () => {
    server.otherwise = () => ({ fault: 'silent' });
    const controller = new AbortController();
    const work = stage.opened.service.versions.compress(stage.ref, request, undefined, controller.signal);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await assert.rejects(work, { name: 'AbortError' });
    assert.deepEqual((await stage.opened.service.versions.list(stage.ref)).versions, []);
    assert.deepEqual(
      (await stage.opened.service.upkeep.ledger()).map(({ outcome }) => outcome),
      ['cancelled'],
    );
  });
});
