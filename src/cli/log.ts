import { errorText } from '../core/text/keepitError';
import type { Log } from '../core/model/host';
import type { CliStream } from './terminal';

/** Writes what nobody waits for: a line of the log, or progress. When nobody reads stderr any more, that is no failure. */
export function writeAside(stderr: CliStream, text: string): void {
  stderr.write(text).catch(() => {
    // The one place to complain at is the one that is gone.
  });
}

/** The core's log on stderr: warnings and errors always, the rest when `--verbose` asks for it. */
export function createLog(stderr: CliStream, isVerbose: boolean): Log {
  const write = (level: string, message: string) => {
    writeAside(stderr, `keepit: ${level}${message}\n`);
  };
  const writeVerbose = (message: string) => {
    if (isVerbose) write('', message);
  };
  return {
    debug: writeVerbose,
    info: writeVerbose,
    warn: (message) => write('warning: ', message),
    error: (message, cause) => write('', cause === undefined ? message : `${message}: ${errorText(cause)}`),
  };
}
