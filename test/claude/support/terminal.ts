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

  /** Types a line, sends it off once it stands there, and waits until it is taken. */
  async type(line: string): Promise<void> {
    this.press('C-u'); // a line that was taken may be left there, when much else goes on
    this.tmux(['send-keys', '-l', line]);
    await this.shows(line);
    const before = this.prompts.length;
    this.press('Enter');
    await eventually(
      `the terminal takes: ${line}`,
      () => !this.inputLine.includes(line) || this.prompts.length > before,
      () => this.screen,
    );
  }

  press(...keys: string[]): void {
    this.tmux(['send-keys', ...keys]);
  }

  /** Empty once the program has ended. */
  get screen(): string {
    return this.ask(['capture-pane', '-p']).stdout;
  }

  /** What was said, and at last the line in which one types. */
  private get prompts(): string[] {
    return this.screen.split('\n').filter((line) => line.startsWith('❯'));
  }

  private get inputLine(): string {
    return this.prompts.at(-1) ?? '';
  }

  private get hasClosed(): boolean {
    return this.ask(['has-session']).status !== 0;
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
    await eventually('the program ends', () => this.hasClosed);
  }

  dispose(): void {
    this.ask(['kill-server']);
  }

  private tmux(args: readonly string[]): void {
    const { status, stderr } = this.ask(args);
    if (status !== 0) throw new Error(`tmux ${args[0] ?? ''}: ${stderr}`);
  }

  private ask(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync('tmux', ['-S', this.socket, ...args], { encoding: 'utf8' });
  }
}
