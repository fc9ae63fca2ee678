import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import { readActivity, type HookActivity } from '../../../src/core/model/hookActivity';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { RecordingLog } from '../../unit/support/recordingLog';
import { eventually } from './eventually';
import { ScriptedModel } from './scriptedModel';
import { Terminal } from './terminal';

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How `claude -p` ended. */
export interface Told extends Ended {
  readonly sessionId: string;
  readonly result: string;
}

const answerSchema = z.looseObject({ session_id: z.string(), result: z.optional(z.string()) });

export interface ClaudeRun {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Without Keepit's plugin, or with another copy of it. Default: the one that was built. */
  readonly plugin?: string | false;
  /** What is written to its input, which is then closed. */
  readonly input?: string;
  readonly during?: (child: ChildProcess) => void;
}

/** A session of several prompts. */
export interface Conversation {
  readonly args?: readonly string[];
  readonly during?: (child: ChildProcess) => void;
}

/** Tools that a session here may use without being asked. */
const ALLOWED = ['Bash', 'Read', 'Write', 'Edit', 'mcp__plugin_keepit_memory'];

/**
 * A machine of its own for the real Claude Code: home, its folder, a store, a project, the plugin as it was built, and a model of ours.
 * Names have blanks and letters of other scripts in them, as those of people have.
 */
export class ClaudeStage {
  readonly home: string;
  readonly claudeDir: string;
  readonly memoryDir: string;
  readonly cwd: string;
  readonly pluginDir: string;
  readonly log = new RecordingLog();
  private opened: Memory | undefined;
  /** What runs on it now. */
  private readonly children = new Set<ChildProcess>();
  private readonly terminals: Terminal[] = [];

  private constructor(
    readonly dir: string,
    readonly model: ScriptedModel,
  ) {
    this.home = path.join(dir, 'Zoë home');
    this.claudeDir = path.join(this.home, '.claude');
    this.memoryDir = path.join(dir, 'the store');
    this.cwd = path.join(dir, 'my project');
    this.pluginDir = path.join(dir, 'the plugin', 'claude-plugin');
  }

  static async make(): Promise<ClaudeStage> {
    const dir = await realpath(await mkdtemp(path.join(tmpdir(), 'keepit inside-')));
    const stage = new ClaudeStage(dir, await ScriptedModel.start());
    for (const folder of [stage.claudeDir, stage.cwd]) await mkdir(folder, { recursive: true });
    await cp(path.resolve('dist', 'claude-plugin'), stage.pluginDir, { recursive: true });
    return stage;
  }

  /** Also after a test that failed half-way: nothing of it runs on. */
  async dispose(): Promise<void> {
    for (const terminal of this.terminals) terminal.dispose();
    const ended = [...this.children].map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of this.children) child.kill('SIGKILL');
    await Promise.all(ended);
    await this.opened?.dispose();
    await this.model.stop();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  get projectId(): string {
    return projectFolderName(this.cwd);
  }

  get projectStore(): string {
    return path.join(this.memoryDir, 'projects', this.projectId);
  }

  /** The store, opened in this process. */
  get memory(): Memory {
    this.opened ??= createMemory({
      claudeDir: this.claudeDir,
      memoryDir: this.memoryDir,
      distDir: path.resolve('dist'),
      log: this.log,
      models: { env: {} },
    });
    return this.opened;
  }

  /** All that a program here sees of the environment. */
  get env(): NodeJS.ProcessEnv {
    return {
      HOME: this.home,
      USERPROFILE: this.home,
      PATH: process.env.PATH,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      CLAUDE_CONFIG_DIR: this.claudeDir,
      CLAUDE_MEMORY_DIR: this.memoryDir,
      ANTHROPIC_API_KEY: 'sk-ant-fake',
      ANTHROPIC_BASE_URL: this.model.url,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // A model that is not real calls tools at once: the first request waits until their servers are there, however busy the machine is.
      MCP_CONNECTION_NONBLOCKING: '0',
      MCP_CONNECT_TIMEOUT_MS: '60000',
      MCP_TIMEOUT: '60000',
    };
  }

  /** Claude Code's program, as `npm run test:claude` found it. */
  get claude(): string {
    return process.env.KEEPIT_CLAUDE_BIN ?? '';
  }

  /** Claude Code in a terminal. */
  openTerminal(): Terminal {
    const terminal = new Terminal(this.dir);
    this.terminals.push(terminal);
    terminal.open(this.claude, ['--plugin-dir', this.pluginDir], { cwd: this.cwd, env: this.env });
    return terminal;
  }

  /** Any command of Claude Code. */
  async runClaude(args: readonly string[], run: ClaudeRun = {}): Promise<Ended> {
    const plugin = run.plugin ?? this.pluginDir;
    return this.run(this.claude, [...(plugin === false ? [] : ['--plugin-dir', plugin]), ...args], run);
  }

  /** A session that ends after this prompt; all tools may be used. */
  async ask(prompt: string, args: readonly string[] = [], run: ClaudeRun = {}): Promise<Told> {
    const allowed = ['--allowedTools', ...ALLOWED];
    const ended = await this.runClaude([...args, ...allowed, '--output-format', 'json', '-p', prompt], run);
    assert.equal(ended.code, 0, `${ended.stderr}\n${ended.stdout}`);
    const { session_id: sessionId, result = '' } = answerSchema.parse(JSON.parse(ended.stdout));
    return { ...ended, sessionId, result };
  }

  /** A session of several prompts in one process, each said when the one before is answered. How it ended. */
  async converse(prompts: readonly string[], { args = [], during }: Conversation = {}): Promise<number | null> {
    const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const allowed = ['--allowedTools', ...ALLOWED];
    const child = this.own(
      spawn(this.claude, ['--plugin-dir', this.pluginDir, ...formats, ...args, ...allowed, '-p'], {
        cwd: this.cwd,
        env: this.env,
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const waiting = [...prompts];
    const next = (): void => {
      const content = waiting.shift();
      if (content === undefined) child.stdin.end();
      else child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    };
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('"type":"result"')) next();
    });
    next();
    during?.(child);
    return new Promise<number | null>((resolve) => child.once('close', resolve));
  }

  /** Keepit's command line, as the plugin carries it. */
  async keepit(...args: string[]): Promise<Ended> {
    return this.run(process.execPath, [path.join(this.pluginDir, 'bin', 'keepit.js'), ...args], {});
  }

  /** The same, for what must succeed; its `--json` answer. */
  async keepitJson(...args: string[]): Promise<unknown> {
    const ended = await this.keepit(...args, '--json');
    assert.equal(ended.code, 0, `keepit ${args.join(' ')}: ${ended.stderr}${ended.stdout}`);
    return JSON.parse(ended.stdout);
  }

  async run(program: string, args: readonly string[], { cwd, env, input, during }: ClaudeRun): Promise<Ended> {
    const child = this.own(spawn(program, args, { cwd: cwd ?? this.cwd, env: { ...this.env, ...env } }));
    const ended = { code: null as number | null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
    child.stdin.on('error', () => undefined); // it may have ended without reading all of it
    child.stdin.end(input ?? '');
    during?.(child);
    ended.code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return ended;
  }

  private own<Child extends ChildProcess>(child: Child): Child {
    this.children.add(child);
    child.once('close', () => this.children.delete(child));
    return child;
  }

  /** Waits until what hooks asked for is done. */
  async settled(projectStore = this.projectStore): Promise<void> {
    const hooks = path.join(projectStore, 'hooks');
    await eventually(
      'the background is done',
      async () => {
        const requests = await readdir(path.join(hooks, 'requests')).catch(() => []);
        return requests.every((name) => !name.endsWith('.json')) && !(await isThere(path.join(hooks, '.work.lock')));
      },
      () => this.hooksLog(),
    );
  }

  /** What a session's hooks wrote down, the oldest first. */
  async activity(sessionId: string): Promise<HookActivity[]> {
    return readActivity(await this.read(path.join(this.projectStore, 'activity', `${sessionId}.jsonl`)));
  }

  /** Empty for what is not there. */
  read(file: string): Promise<string> {
    return readFile(file, 'utf8').catch(() => '');
  }

  hooksLog(): Promise<string> {
    return this.read(path.join(this.memoryDir, 'logs', 'hooks.log'));
  }

  transcript(sessionId: string): string {
    return path.join(this.claudeDir, 'projects', this.projectId, `${sessionId}.jsonl`);
  }

  async write(file: string, text: string): Promise<string> {
    const place = path.resolve(this.dir, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
    return place;
  }
}

/** Gives every test of the enclosing `describe` the same stage. */
export function useClaudeStage(
  prepare: (stage: ClaudeStage) => Promise<void> = async () => undefined,
): () => ClaudeStage {
  const { current, make, dispose } = stageHolder();
  before(async () => prepare(await make()));
  after(dispose);
  return current;
}

/** Gives each test a stage of its own, so that what one leaves behind that failed half-way is nothing to the next. */
export function useOwnClaudeStages(
  prepare: (stage: ClaudeStage) => Promise<void> = async () => undefined,
): () => ClaudeStage {
  const { current, make, dispose } = stageHolder();
  beforeEach(async () => prepare(await make()));
  afterEach(dispose);
  return current;
}

function stageHolder() {
  let stage: ClaudeStage | undefined;
  return {
    current: (): ClaudeStage => {
      assert.ok(stage, 'there is no stage yet');
      return stage;
    },
    make: async (): Promise<ClaudeStage> => (stage = await ClaudeStage.make()),
    dispose: async (): Promise<void> => stage?.dispose(),
  };
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
