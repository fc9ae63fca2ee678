import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { createMemory } from '../node/createMemory';
import { BrokenPipeError, guarded, terminalText, type CliStream } from './terminal';
import { CliFailure, exitCodes } from './cliErrors';
import { runCli, type CliHost } from './runCli';
import { createLog } from './log';
import { commandsFor } from './commandTable';

const DEFAULT_COLUMNS = 80;

/** Of the build. */
declare const KEEPIT_VERSION: string;

function streamOf(stream: NodeJS.WriteStream): CliStream {
  // Each write reports its own failure; without a listener the same failure would end the process with a stack.
  stream.on('error', () => undefined);
  return {
    isTty: stream.isTTY,
    columns: stream.columns > 0 ? stream.columns : DEFAULT_COLUMNS,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(isBrokenPipe(error) ? new BrokenPipeError({ cause: error }) : notWritten(error));
        });
      }),
  };
}

/** A full disk, a terminal that has gone: nothing of ours. */
function notWritten(error: Error): Error {
  return 'code' in error ? new CliFailure('answer-not-written', String(error.code), '', { cause: error }) : error;
}

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}

async function askOnTerminal(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(terminalText(`${question} `, true), { signal });
  } catch (error) {
    process.stderr.write('\n'); // Ctrl-C and Ctrl-D leave the cursor behind the question
    throw error;
  } finally {
    terminal.close();
  }
}

/** Ctrl-C lets the step at hand come to its end; a second one does not wait for it. Writes are atomic either way. */
function signalOfProcess(): AbortSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // many transcripts are read at once, each with an ear for Ctrl-C
  const onSignal = (code: number) => () => {
    if (controller.signal.aborted) process.exit(code);
    process.exitCode = code;
    controller.abort();
  };
  process.on('SIGINT', onSignal(exitCodes.interrupted));
  process.on('SIGTERM', onSignal(exitCodes.terminated));
  return controller.signal;
}

/**
 * Node 20 has nothing between its interpreter and its optimizing compiler, and calls the compiler so early that a command which is over
 * within a second spends more time on compiling than on its work. Later versions compile in smaller steps. And of the little that such a command
 * leaves to be cleared away, no share is worth waking another thread.
 */
function spareThreads() {
  setFlagsFromString('--no-parallel-scavenge');
  if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=1000000');
}

const LONGEST_END_MS = 1000;

async function main() {
  spareThreads();
  const stdout = guarded(streamOf(process.stdout));
  const stderr = guarded(streamOf(process.stderr));
  const host: CliHost = {
    env: process.env,
    cwd: process.cwd(),
    version: KEEPIT_VERSION,
    get locale() {
      return new Intl.PluralRules().resolvedOptions().locale; // only text for people has a use for it; formats of dates take longer to tell it
    },
    stdout,
    stderr,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined,
    now: () => new Date(),
    openMemory: ({ isVerbose }) => {
      const memory = createMemory({ log: createLog(stderr, isVerbose) });
      return { memory: memory.service, dispose: () => memory.dispose() };
    },
  };
  const signal = signalOfProcess();
  const argv = process.argv.slice(2);
  const code = await runCli(argv, await commandsFor(argv), host, signal);
  const ended = signal.aborted ? Number(process.exitCode) : code;
  if (ended === exitCodes.done) process.exit(ended);
  // What was at work beside what has failed comes to its end, so that nothing is left half-written.
  process.exitCode = ended;
  setTimeout(() => process.exit(), LONGEST_END_MS).unref();
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(terminalText(`keepit: ${text}\n`, process.stderr.isTTY));
  process.exit(exitCodes.bug);
});
