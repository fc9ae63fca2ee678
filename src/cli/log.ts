import { errorText } from '../core/errors';
import type { Log } from '../core/ports';
import type { CliStream } from './runCli';

/** The core's log on stderr: warnings and errors always, the rest when `--verbose` asks for it. */
export function createLog(stderr: CliStream, isVerbose: boolean): Log {
  const write = (level: string, message: string): void => {
    stderr.write(`keepit: ${level}${message}\n`).catch(() => {
      // Nobody reads stderr any more: a log line is not worth failing for.
    });
  };
  const writeVerbose = (message: string): void => {
    if (isVerbose) write('', message);
  };
  return {
    debug: writeVerbose,
    info: writeVerbose,
    warn: (message) => write('warning: ', message),
    error: (message, cause) => write('', cause === undefined ? message : `${message}: ${errorText(cause)}`),
  };
}
