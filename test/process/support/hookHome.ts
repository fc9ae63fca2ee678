import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readActivity, type HookActivity } from '../../../src/core/model/hookActivity';
import type { CliProgram } from './cliProcess';

/** How a hook ended. */
export interface HookEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HookRun {
  readonly input: string | object;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 15_000;
const NAP_MS = 50;

/** A home in which hooks run as Claude Code runs them: each a process, its input on stdin. */
export class HookHome {
  readonly claudeDir: string;
  readonly memoryDir: string;

  private constructor(
    private readonly program: CliProgram,
    readonly dir: string,
  ) {
    this.claudeDir = path.join(dir, 'claude');
    this.memoryDir = path.join(dir, 'memory with spaces');
  }

  /** With the projects of a folder in `test/fixtures`. */
  static async make(program: CliProgram, fixture?: string): Promise<HookHome> {
    const home = new HookHome(program, await mkdtemp(path.join(tmpdir(), 'keepit-hook-')));
    await mkdir(home.claudeDir);
    if (fixture !== undefined) await cp(path.resolve('test/fixtures', fixture), home.claudeDir, { recursive: true });
    return home;
  }

  transcript(projectId: string, sessionId: string): string {
    return path.join(this.claudeDir, 'projects', projectId, `${sessionId}.jsonl`);
  }

  hook(event: string, { input, args = [], env = {} }: HookRun): HookEnd {
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    const options = { input: text, env: this.env(env), cwd: this.dir, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [this.program.file, 'hook', event, ...args],
      options,
    );
    return { code: status, stdout, stderr };
  }

  /** Several at once. */
  async hookAtOnce(event: string, runs: readonly HookRun[]): Promise<HookEnd[]> {
    return Promise.all(
      runs.map(async ({ input, args = [], env = {} }) => {
        const child = spawn(process.execPath, [this.program.file, 'hook', event, ...args], {
          env: this.env(env),
          cwd: this.dir,
        });
        let [stdout, stderr] = ['', ''];
        child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
        child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
        child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
        const code = await new Promise<number | null>((resolve) => {
          child.once('close', resolve);
        });
        return { code, stdout, stderr };
      }),
    );
  }

  keepit(...args: string[]): HookEnd {
    const options = { env: this.env({}), cwd: this.dir, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.program.file, ...args], options);
    return { code: status, stdout, stderr };
  }

  /** As `keepit`, killed after a while unless it has ended before. */
  async keepitUntil(ms: number, ...args: string[]): Promise<void> {
    const child = spawn(process.execPath, [this.program.file, ...args], { env: this.env({}), cwd: this.dir });
    const ended = new Promise((resolve) => {
      child.once('close', resolve);
    });
    await Promise.race([ended, sleep(ms)]);
    child.kill('SIGKILL');
    await ended;
  }

  /** The process that does what hooks ask for, so that a test can end it. */
  startWork(projectId: string) {
    const args = [this.program.file, 'hook-work', `--project=${projectId}`];
    return spawn(process.execPath, args, { env: this.env({}), cwd: this.dir, stdio: 'ignore' });
  }

  /** Waits until the background has done what was asked of it, and has let go. */
  async settled(projectId: string): Promise<void> {
    const hooks = path.join(this.memoryDir, 'projects', projectId, 'hooks');
    for (const endAt = Date.now() + PATIENCE_MS; Date.now() < endAt;) {
      await sleep(NAP_MS);
      const asked = existsSync(path.join(hooks, 'requests')) ? await readdir(path.join(hooks, 'requests')) : [];
      if (asked.length === 0 && !existsSync(path.join(hooks, '.work.lock'))) return;
    }
    throw new Error(`The background of ${projectId} does not come to an end`);
  }

  async activity(projectId: string, sessionId: string): Promise<HookActivity[]> {
    const file = path.join(this.memoryDir, 'projects', projectId, 'activity', `${sessionId}.jsonl`);
    return existsSync(file) ? readActivity(await readFile(file, 'utf8')) : [];
  }

  async log(): Promise<string> {
    const file = path.join(this.memoryDir, 'logs', 'hooks.log');
    return existsSync(file) ? readFile(file, 'utf8') : '';
  }

  /** All texts in the store, by their paths. */
  async texts(): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    const entries = await readdir(this.memoryDir, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      // A process that comes late finds nothing to do, and takes its own files away.
      const text = await readFile(file, 'latin1').catch(() => undefined);
      if (text !== undefined) texts.set(path.relative(this.memoryDir, file), text);
    }
    return texts;
  }

  async dispose(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  env(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const { dir, claudeDir, memoryDir } = this;
    return {
      PATH: process.env.PATH,
      HOME: dir,
      USERPROFILE: dir,
      CLAUDE_CONFIG_DIR: claudeDir,
      CLAUDE_MEMORY_DIR: memoryDir,
      ...more,
    };
  }
}
