import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import * as z from 'zod/mini';
import { commandsFor } from '../../../src/cli/commandTable';
import { runCli, type CliHost } from '../../../src/cli/runCli';
import type { CliStream } from '../../../src/cli/terminal';
import { errorText, isAbortError, KeepitError } from '../../../src/core/text/keepitError';
import type { Log } from '../../../src/core/model/host';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { routes } from '../../../src/http/routes';
import { serve } from '../../../src/http/server';
import { createMemoryServer } from '../../../src/mcp/memoryServer';
import { createMemory, type Memory } from '../../../src/node/createMemory';

/** What a program says when it has run into its own mistake, where only the text of an error is left. */
const BUG =
  /is not (?:a function|iterable|defined)|Cannot (?:read|set|convert|destructure|assign)|Maximum call stack|Invalid (?:array|string) length|"code": ?"/;

/** What a hook leaves to the background is done by the fuzzer, and not by a process that outlives the home. */
const NO_BACKGROUND = `data:text/javascript,${encodeURIComponent(
  "import processes from 'node:child_process'; processes.spawn = () => ({ on() {}, unref() {} });",
)}`;

const answerSchema = z.looseObject({ content: z.array(z.looseObject({ text: z.optional(z.string()) })) });
const activitySchema = z.looseObject({ problem: z.optional(z.string()) });
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** A command that ended as none may: the fuzzer's finding. */
export class Finding extends Error {}

/** A home of its own on disk, in which everything that Keepit does is called within this process. */
export class FuzzHome {
  readonly claudeDir: string;
  readonly memoryDir: string;
  readonly projectDir: string;
  readonly projectId: string;
  private readonly bugs: string[] = [];
  private opened: Memory | undefined;

  private constructor(
    readonly dir: string,
    private readonly distDir: string,
    private readonly onBegin: (what: string) => void,
  ) {
    this.claudeDir = path.join(dir, 'claude');
    this.memoryDir = path.join(dir, 'memory');
    this.projectDir = path.join(dir, 'project');
    this.projectId = projectFolderName(this.projectDir);
  }

  /** `onBegin` hears what is called next, so that somebody else knows what hangs. */
  static async make(distDir: string, onBegin: (what: string) => void): Promise<FuzzHome> {
    const dir = await realpath(await mkdtemp(path.join(tmpdir(), 'keepit-fuzz-')));
    const home = new FuzzHome(dir, distDir, onBegin);
    await mkdir(home.sessionsDir, { recursive: true });
    await mkdir(home.projectDir);
    return home;
  }

  get sessionsDir(): string {
    return path.join(this.claudeDir, 'projects', this.projectId);
  }

  async dispose(): Promise<void> {
    await this.close();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The next call opens memory anew, as another process would; until then all share one, as in a window. */
  async close(): Promise<void> {
    await this.opened?.dispose();
    this.opened = undefined;
  }

  /** Runs one command line; a finding unless it ended as CLI.md allows. */
  async keepit(...args: string[]): Promise<{ code: number; json: unknown }> {
    this.onBegin(`keepit ${args.join(' ')}`);
    const [stdout, stderr] = [new Written(), new Written()];
    const code = await runCli(
      [...args, '--json'],
      await commandsFor(args),
      this.host(stdout, stderr),
      new AbortController().signal,
    );
    if (code !== 0 && code !== 1) throw new Finding(`keepit ${args.join(' ')} ended with ${code}\n${stderr.text}`);
    this.checkLog(`keepit ${args.join(' ')}`);
    if (args[0] === 'version' && args[1] === 'show') return { code, json: undefined };
    const json: unknown = JSON.parse(stdout.text);
    return { code, json };
  }

  /** Sends a hook its input, in a process as Claude Code does; what it asks the background for is then done here. */
  async hook(event: string, input: unknown): Promise<void> {
    this.onBegin(`hook ${event}`);
    const args = ['--import', NO_BACKGROUND, path.join(this.distDir, 'hook.js'), 'hook', event];
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    const { status, stderr } = spawnSync(process.execPath, args, {
      input: text,
      env: { ...process.env, CLAUDE_CONFIG_DIR: this.claudeDir, CLAUDE_MEMORY_DIR: this.memoryDir },
      encoding: 'utf8',
      timeout: 60_000,
    });
    if (status !== 0 || stderr !== '') throw new Finding(`hook ${event} ended with ${status}: ${stderr}`);
    await this.keepit('hook-work', `--project=${this.projectId}`);
    const log = await readFile(path.join(this.memoryDir, 'logs', 'hooks.log'), 'utf8').catch(() => '');
    const bug = log.split('\n').find((line) => BUG.test(line));
    if (bug !== undefined) throw new Finding(`hook ${event} logged ${bug}`);
  }

  /** What background work could not do stands in the activity of sessions. */
  async checkActivity(): Promise<void> {
    const folder = path.join(this.memoryDir, 'projects', this.projectId, 'activity');
    for (const name of await readdir(folder).catch(() => [])) {
      const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
      const bug = text.split('\n').find((line) => BUG.test(problemIn(line)));
      if (bug !== undefined) throw new Finding(`the background noted ${bug}`);
    }
  }

  /** Calls tools, and reads what resources there are, through the protocol. */
  async mcp(calls: readonly { name: string; arguments: Record<string, unknown> }[]): Promise<void> {
    this.onBegin('mcp');
    const memory = this.open();
    const server = createMemoryServer({
      version: '0',
      openMemory: () => Promise.resolve(memory.service),
      folders: () => Promise.resolve([this.projectDir]),
      pathOf: (uri) => (uri === pathToFileURL(this.projectDir).href ? this.projectDir : undefined),
    });
    const client = new Client({ name: 'fuzz', version: '0' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    try {
      for (const call of calls) {
        this.onBegin(`mcp ${JSON.stringify(call)}`);
        const { content } = answerSchema.parse(await client.callTool(call));
        const bug = content.find(({ text }) => text?.includes('This is a bug in Keepit') === true);
        if (bug !== undefined) throw new Finding(`mcp ${JSON.stringify(call)}: ${bug.text ?? ''}`);
      }
      this.onBegin('mcp resources');
      const { resources } = await client.listResources();
      for (const { uri } of resources.slice(0, 5)) {
        await client.readResource({ uri }).catch((error: unknown) => {
          if (BUG.test(errorText(error))) throw new Finding(`mcp ${uri}: ${errorText(error)}`);
        });
      }
    } finally {
      await client.close();
      await server.close();
    }
    this.checkLog('mcp');
  }

  /** Sends requests to the HTTP server; a finding is an answer that names a bug. */
  async http(requests: readonly { method: string; path: string; body?: unknown }[]): Promise<void> {
    this.onBegin('http');
    const ending = new AbortController();
    const { memoryDir } = this;
    const options = { memory: this.open().service, routes, port: 0, memoryDir, version: '0', log: this.log() };
    const { url, token, ended } = await serve({ ...options, signal: ending.signal });
    try {
      for (const { method, path: route, body } of requests) {
        const asked = `${method} ${route} ${JSON.stringify(body)}`;
        this.onBegin(`http ${asked}`);
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' };
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const response = await fetch(`${url}/api/memory${route}`, { method: method.toUpperCase(), headers, ...sent });
        const text = await response.text();
        if (response.status === 500 || text.includes('"code":"bug"')) {
          throw new Finding(`http ${asked}: ${text.slice(0, 500)}`);
        }
      }
    } finally {
      ending.abort();
      await ended;
    }
    this.checkLog('http');
  }

  /** Every file that Keepit has written, of the store and in the project, and Claude Code's settings. */
  async documents(): Promise<string[]> {
    const files: string[] = [];
    for (const root of [this.memoryDir, this.projectDir]) {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      files.push(...entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)));
    }
    return files.sort();
  }

  async change(file: string, change: (bytes: Buffer) => Buffer): Promise<void> {
    const bytes = await readFile(file);
    if (bytes.length <= MAX_FILE_BYTES) await writeFile(file, change(bytes));
  }

  private host(stdout: CliStream, stderr: CliStream): CliHost {
    return {
      env: {},
      cwd: this.projectDir,
      version: '0',
      locale: 'en',
      stdout,
      stderr,
      ask: undefined,
      now: () => new Date(),
      openMemory: () => ({ memory: this.open().service, dispose: () => Promise.resolve() }),
    };
  }

  private open(): Memory {
    this.opened ??= createMemory(this.memoryOptions());
    return this.opened;
  }

  private memoryOptions() {
    const { claudeDir, memoryDir, distDir } = this;
    return { claudeDir, memoryDir, distDir, log: this.log() };
  }

  /** Errors that somebody caught and logged are findings too, unless they are expected ones. */
  private log(): Log {
    const note = (message: string, cause?: unknown): void => {
      const isExpected = cause instanceof KeepitError || isAbortError(cause);
      const text = cause instanceof Error ? (cause.stack ?? cause.message) : '';
      if (!isExpected && BUG.test(`${message} ${text}`)) this.bugs.push(`${message}\n${text}`);
    };
    return { debug: () => undefined, info: () => undefined, warn: note, error: note };
  }

  private checkLog(what: string): void {
    const [bug] = this.bugs.splice(0);
    if (bug !== undefined) throw new Finding(`${what} logged ${bug}`);
  }
}

/** What a line of activity calls a problem: beside it stands what sessions said, and they speak of errors too. */
function problemIn(line: string): string {
  try {
    return activitySchema.safeParse(JSON.parse(line)).data?.problem ?? '';
  } catch {
    return ''; // a line that is torn off
  }
}

class Written implements CliStream {
  readonly isTty = false;
  readonly columns = 80;
  text = '';

  write(text: string): Promise<void> {
    this.text += text;
    return Promise.resolve();
  }
}
