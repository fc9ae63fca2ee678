import { terminalText, BrokenPipeError, type CliStream } from '../../../../src/cli/terminal';
import type { CliHost } from '../../../../src/cli/runCli';

/** A stream that keeps what is written to it, or breaks like the pipe of a reader that has left. */
export class FakeStream implements CliStream {
  text = '';
  readonly isTty: boolean;
  readonly columns = 80;
  private readonly failure: Error | undefined;

  constructor(options: { isTty?: boolean; isBroken?: boolean; failure?: Error } = {}) {
    this.isTty = options.isTty ?? false;
    this.failure = options.isBroken === true ? new BrokenPipeError() : options.failure;
  }

  async write(text: string): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.text += terminalText(text, this.isTty);
  }
}

/** A process for one command line. */
export class FakeHost implements CliHost {
  readonly env: Record<string, string | undefined>;
  readonly cwd = '/home/ada/src/ledger';
  readonly version = '1.2.3';
  readonly locale = 'en';
  readonly stdout: FakeStream;
  readonly stderr: FakeStream;
  readonly ask: CliHost['ask'];
  readonly openMemory: CliHost['openMemory'];

  constructor(
    openMemory: CliHost['openMemory'],
    options: Partial<Pick<FakeHost, 'stdout' | 'stderr' | 'env' | 'ask'>> = {},
  ) {
    this.openMemory = openMemory;
    this.stdout = options.stdout ?? new FakeStream();
    this.stderr = options.stderr ?? new FakeStream();
    this.env = options.env ?? {};
    this.ask = options.ask;
  }

  now(): Date {
    return new Date('2026-11-18T12:00:00Z');
  }
}
