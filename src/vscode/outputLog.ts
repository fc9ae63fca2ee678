import type { LogOutputChannel } from 'vscode';
import type { Log } from '../core/model/host';

/** The log of the extension, in VS Code's Output view; its level is the user's choice there. */
export class OutputLog implements Log {
  constructor(private readonly channel: LogOutputChannel) {}

  debug(message: string): void {
    this.channel.debug(message);
  }

  info(message: string): void {
    this.channel.info(message);
  }

  warn(message: string): void {
    this.channel.warn(message);
  }

  error(message: string, cause?: unknown): void {
    if (cause === undefined) this.channel.error(message);
    else this.channel.error(message, cause instanceof Error ? (cause.stack ?? cause.message) : cause);
  }
}
