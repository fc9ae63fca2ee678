import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { projectFolderName } from '../../../../src/core/sessions/projectNames';
import type { CliProgram, Ended } from '../../../process/support/cliProcess';
import { printOf } from './homeState';
import type { Talk } from './talk';

/** What a call is to meet: see `failingFiles.mjs`. */
export interface Fault {
  readonly at?: number;
  /** Instead: the first call whose kind and path, with a blank between them, this pattern fits. */
  readonly call?: string;
  readonly mode: 'once' | 'on' | 'short' | 'kill' | 'tear' | 'list' | 'keep';
  readonly error?: 'ENOSPC' | 'EIO' | 'EACCES' | 'EMFILE';
}

const hitSchema = z.object({ n: z.number(), kind: z.string(), place: z.string(), stack: z.string() });

/** A file call: its number, its kind, its path, and who made it. */
export type Hit = z.infer<typeof hitSchema>;

/** How a run went, and the calls that met the fault, were listed, or before which all was kept. */
export interface Faulted extends Ended {
  readonly hits: readonly Hit[];
}

export interface FaultRun {
  readonly args: readonly string[];
  readonly stdin?: string | undefined;
  readonly fault?: Fault | undefined;
  readonly talk?: Talk | undefined;
}

/** With dates, modes and second names, as they are. */
async function copyWhole(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

/** How a program ends that runs until it is interrupted. */
const INTERRUPTED = 130;

const SHIM = path.resolve('test/hard/faults/support/failingFiles.mjs');
const FIXTURE = path.resolve('test/fixtures/knowledge-home/projects/-keepit-workspace');
const FIXTURE_FOLDER = '/keepit/workspace';

/**
 * A home whose file calls can be made to fail: Claude Code's folder with two sessions, the store, and the project's folder, which is a
 * repository. It can be set back to how it was.
 */
export class FaultHome {
  /** What lies below counts, and is set back. */
  readonly live: string;
  readonly project: string;
  readonly claudeDir: string;
  readonly memoryDir: string;
  readonly projectId: string;
  private readonly saved: string;
  private readonly report: string;
  private readonly kept: string;

  private constructor(
    private readonly program: CliProgram,
    private readonly dir: string,
  ) {
    this.live = path.join(dir, 'live');
    this.saved = path.join(dir, 'saved');
    this.report = path.join(dir, 'report');
    this.kept = path.join(dir, 'kept');
    this.project = path.join(this.live, 'app');
    this.claudeDir = path.join(this.live, 'claude');
    this.memoryDir = path.join(this.live, 'store');
    this.projectId = projectFolderName(this.project);
  }

  static async make(program: CliProgram): Promise<FaultHome> {
    const home = new FaultHome(program, await realpath(await mkdtemp(path.join(tmpdir(), 'keepit-faults-'))));
    await mkdir(path.join(home.project, '.git', 'info'), { recursive: true });
    await mkdir(path.join(home.claudeDir, 'projects', home.projectId), { recursive: true });
    for (const name of await readdir(FIXTURE)) {
      const text = (await readFile(path.join(FIXTURE, name), 'utf8')).replaceAll(FIXTURE_FOLDER, home.project);
      await writeFile(path.join(home.claudeDir, 'projects', home.projectId, name), text);
    }
    return home;
  }

  get distDir(): string {
    return this.program.dir;
  }

  get projectStore(): string {
    return path.join(this.memoryDir, 'projects', this.projectId);
  }

  transcript(sessionId: string): string {
    return path.join(this.claudeDir, 'projects', this.projectId, `${sessionId}.jsonl`);
  }

  /** Runs the command line, in the project's folder. */
  async run({ args, stdin, fault, talk }: FaultRun): Promise<Faulted> {
    await rm(this.report, { force: true });
    const order = { roots: [this.live], report: this.report, kept: this.kept, isAlone: args[0] === 'hook', ...fault };
    const child = spawn(process.execPath, ['--import', SHIM, this.program.file, ...args], {
      cwd: this.project,
      env: {
        PATH: process.env.PATH,
        HOME: this.dir,
        CLAUDE_CONFIG_DIR: this.claudeDir,
        CLAUDE_MEMORY_DIR: this.memoryDir,
        KEEPIT_FAULT: JSON.stringify(order),
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined); // it may be killed before it has read all
    if (talk === undefined) child.stdin.end(stdin ?? '');
    else talk(child);
    const ended = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const code = talk !== undefined && ended === INTERRUPTED ? 0 : ended;
    const lines = (await readFile(this.report, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    return { code, stdout, stderr, hits: lines.map((line) => hitSchema.parse(JSON.parse(line))) };
  }

  /** The answer of a command that has to succeed. */
  async answer(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run({ args: [...args, '--json'] });
    if (code !== 0) throw new Error(`keepit ${args.join(' ')}: ${code} ${stdout} ${stderr}`);
    return JSON.parse(stdout);
  }

  async save(name: string): Promise<void> {
    await mkdir(this.saved, { recursive: true });
    await copyWhole(this.live, path.join(this.saved, name));
  }

  async setBack(name: string): Promise<void> {
    await rm(this.live, { recursive: true, force: true });
    await copyWhole(path.join(this.saved, name), this.live);
  }

  /** Runs a command to its end, and keeps how all is before each call that changes something: as a kill there leaves it. */
  async runKeeping(run: FaultRun): Promise<Faulted> {
    await this.forgetKept();
    await mkdir(this.kept);
    return this.run({ ...run, fault: { mode: 'keep' } });
  }

  /** Leaves the home as it was before a call. */
  async setToKept({ n }: Hit): Promise<void> {
    await rm(this.live, { recursive: true, force: true });
    await rename(path.join(this.kept, String(n)), this.live);
  }

  /** The same for two calls before which all was the same. */
  async printOf({ n }: Hit): Promise<string> {
    return printOf(path.join(this.kept, String(n)));
  }

  async forgetKept(): Promise<void> {
    await rm(this.kept, { recursive: true, force: true });
  }

  async dispose(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }
}
