import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/** A script of the tests, bundled to run in processes of its own. */
export class WorkerScript {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** `name` is a TypeScript file in `test/unit/support`. */
  static async build(name: string): Promise<WorkerScript> {
    const file = path.resolve('dist', 'test', `${name}-${process.pid}-${Math.floor(Math.random() * 1e9)}.mjs`);
    await build({
      entryPoints: [path.resolve('test', 'unit', 'support', `${name}.ts`)],
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'warning',
    });
    return new WorkerScript(file);
  }

  start(...args: string[]): Worker {
    return new Worker(spawn(process.execPath, [this.#file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  /** Through a shell, which can set limits first. */
  startAfter(shellCommand: string, ...args: string[]): Worker {
    const script = `${shellCommand}; exec "$0" "$@"`;
    const command = [process.execPath, this.#file, ...args];
    return new Worker(spawn('/bin/sh', ['-c', script, ...command], { stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  async dispose(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

/** A running script. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The whole lines that it has written so far. */
  get lines(): string[] {
    return this.#output.split('\n').slice(0, -1);
  }

  /** Waits for its first line. */
  async speaks(): Promise<void> {
    while (this.lines.length === 0) {
      if (this.#child.stdout === null || this.#child.exitCode !== null) throw new Error('The process ended silently');
      await Promise.race([once(this.#child.stdout, 'data'), this.#ended]);
    }
  }

  /** Waits for its end. */
  async ends(): Promise<string[]> {
    await this.#ended;
    return this.lines;
  }

  /** Ends it without any warning, and waits until it is gone. */
  async kill(): Promise<string[]> {
    this.#child.kill('SIGKILL');
    return this.ends();
  }
}
