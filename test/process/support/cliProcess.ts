import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What of `dist/` the built command line consists of. Tests run in the repository's folder. */
const PRODUCT = /^(?:cli\.js|hook\.js|(?:program|mcp).*\.mjs|.*Worker\.js|.*\.bin)$/;

/** A copy of the built command line: a build that runs at the same time does not reach it. */
export class CliProgram {
  private copied: string | undefined;

  static async copy(): Promise<CliProgram> {
    const program = new CliProgram();
    await program.copy();
    return program;
  }

  /** Stands for `dist/`. */
  get dir(): string {
    if (this.copied === undefined) throw new Error('The program is there only while tests run.');
    return this.copied;
  }

  get file(): string {
    return path.join(this.dir, 'cli.js');
  }

  async copy(): Promise<void> {
    const dir = await mkdtemp(path.join(tmpdir(), 'keepit-program-'));
    this.copied = dir;
    const names = await readdir(path.resolve('dist'));
    for (const name of names.filter((one) => PRODUCT.test(one)))
      await cp(path.resolve('dist', name), path.join(dir, name));
  }

  async dispose(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** The program for the tests of one `describe`: what it finds beside it too, the threads and the data for exact counts. */
export function useProgram(): CliProgram {
  const program = new CliProgram();
  before(() => program.copy());
  after(() => program.dispose());
  return program;
}

/** How a run of the program ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Called with the process while it runs. */
  during?: (child: ChildProcess) => void;
}

/** A home of its own for the built command line: Claude Code's folder, the store, and a folder to call it in. */
export class CliHome {
  readonly dir: string;
  readonly claudeDir: string;
  readonly memoryDir: string;
  readonly cwd: string;

  private constructor(
    private readonly program: CliProgram,
    dir: string,
  ) {
    this.dir = dir;
    this.claudeDir = path.join(dir, 'claude');
    this.memoryDir = path.join(dir, 'memory');
    this.cwd = path.join(dir, 'elsewhere');
  }

  /** With the projects of a folder in `test/fixtures`, all files as old as `ageDays`. */
  static async make(program: CliProgram, fixture?: string, ageDays = 1): Promise<CliHome> {
    const home = new CliHome(program, await mkdtemp(path.join(tmpdir(), 'keepit-cli-')));
    await mkdir(home.cwd);
    if (fixture !== undefined) {
      const modified = new Date(Date.now() - ageDays * 24 * 3600 * 1000);
      await cp(path.resolve('test/fixtures', fixture), home.claudeDir, { recursive: true });
      const entries = await readdir(home.claudeDir, { recursive: true });
      for (const entry of entries.filter((name) => name.endsWith('.jsonl'))) {
        await utimes(path.join(home.claudeDir, entry), modified, modified);
      }
    }
    return home;
  }

  transcript(projectId: string, sessionId: string): string {
    return path.join(this.claudeDir, 'projects', projectId, `${sessionId}.jsonl`);
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = spawn(process.execPath, [this.program.file, ...args], {
      cwd: options.cwd ?? this.cwd,
      env: {
        PATH: process.env.PATH,
        HOME: this.dir,
        CLAUDE_CONFIG_DIR: this.claudeDir,
        CLAUDE_MEMORY_DIR: this.memoryDir,
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
    options.during?.(child);
    ended.code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return ended;
  }

  /** Keeps all that is in it now; what it answers brings that back, in the same place and as old as it was. */
  async keep(): Promise<() => Promise<void>> {
    const copy = (from: string, to: string): Promise<void> =>
      cp(from, to, { recursive: true, preserveTimestamps: true });
    await copy(this.dir, this.kept);
    return async () => {
      await rm(this.dir, { recursive: true });
      await copy(this.kept, this.dir);
    };
  }

  async dispose(): Promise<void> {
    for (const dir of [this.dir, this.kept]) await rm(dir, { recursive: true, force: true });
  }

  private get kept(): string {
    return `${this.dir}.kept`;
  }
}
