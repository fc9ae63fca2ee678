import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { eventually } from './eventually';

/** Whether there is a tmux here, without which nobody can look at a terminal. */
export function hasTmux(): boolean {
  return process.platform !== 'win32' && spawnSync('tmux', ['-V']).status === 0;
}

/** A terminal of its own, in which a program runs; its server is nobody else's. */
export class Terminal {
  private readonly socket: string;

  constructor(dir: string) {
    this.socket = path.join(dir, 'tmux');
  }

  /** Only what is named is in the program's environment. */
  open(program: string, args: readonly string[], { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): void {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value ?? ''}`);
    const size = ['-x', '160', '-y', '50'];
    this.tmux(['new-session', '-d', '-c', cwd, ...size, 'env', '-i', ...variables, program, ...args]);
  }

  /** Types a line and sends it off, once it stands there. */
  async type(line: string): Promise<void> {
    this.tmux(['send-keys', '-l', line]);
    await this.shows(line);
    this.press('Enter');
  }

  press(...keys: string[]): void {
    this.tmux(['send-keys', ...keys]);
  }

  get screen(): string {
    return this.tmux(['capture-pane', '-p']);
  }

  async shows(words: string): Promise<void> {
    await eventually(
      `the terminal shows: ${words}`,
      () => this.screen.includes(words),
      () => this.screen,
    );
  }

  async hides(words: string): Promise<void> {
    await eventually(
      `the terminal no longer shows: ${words}`,
      () => !this.screen.includes(words),
      () => this.screen,
    );
  }

  /** Waits until the program has ended, which closes the terminal. */
  async closes(): Promise<void> {
    await eventually(
      'the program ends',
      () => spawnSync('tmux', ['-S', this.socket, 'has-session']).status !== 0,
      () => this.screen,
    );
  }

  dispose(): void {
    spawnSync('tmux', ['-S', this.socket, 'kill-server']);
  }

  private tmux(args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', this.socket, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tmux ${args[0] ?? ''}: ${stderr}`);
    return stdout;
  }
}
