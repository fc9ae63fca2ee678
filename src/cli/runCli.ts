import { Formats } from '../core/text/formats';
import { KeepitError, isAbortError } from '../core/text/keepitError';
import { errorCode } from '../node/files/errorCode';
import { escapedControls } from '../core/text/cleanText';
import { BrokenPipeError, ProgressLine, Style, type CliStream, wantsColor } from './terminal';
import type { MemoryService } from '../core/memory';
import { answer, type Answer, type Command } from './command';
import type { CommandContext } from './context';
import { Page } from './page';
import { CliFailure, UsageError, exitCodes, type ExitCode } from './cliErrors';
import { asksForJson, parseCommandLine, renderHelp, wordsOf, type Said } from './commandLine';
import { createLog, writeAside } from './log';
import { Scope } from './scope';

/** What the command line needs from its process; tests make one of their own. */
export interface CliHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** Of dates and figures. */
  readonly locale: string;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  /** Asks a person; undefined without a terminal to ask on. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  now(): Date;
  /** Called once, and only when a command runs. */
  readonly openMemory: (options: { isVerbose: boolean }) => OpenMemory;
}

/** The facade, and what ends it. */
export interface OpenMemory {
  readonly memory: MemoryService;
  readonly dispose: () => Promise<void>;
}

/** Runs one command line to its end, output written; the one boundary for everything that can go wrong. */
export async function runCli(
  argv: readonly string[],
  commands: readonly Command[],
  host: CliHost,
  signal: AbortSignal,
): Promise<ExitCode> {
  const isJson = asksForJson(argv);
  try {
    const invocation = parseCommandLine(argv, commands);
    if (invocation.kind === 'version') {
      await host.stdout.write(`${host.version}\n`);
      return exitCodes.done;
    }
    if (invocation.kind === 'help') {
      const stream = invocation.isAsked ? host.stdout : host.stderr;
      const page = pageOf(host, stream, !argv.includes('--no-color'));
      await stream.write(`${renderHelp(commands, invocation.subject, page)}\n`);
      return invocation.isAsked ? exitCodes.done : exitCodes.usage;
    }
    return await runCommand(invocation.command, invocation.said, host, signal);
  } catch (error) {
    return report(error, isJson, host);
  }
}

async function runCommand(command: Command, said: Said, host: CliHost, signal: AbortSignal): Promise<ExitCode> {
  const { options } = said;
  const isJson = options.has('json');
  const progress = new ProgressLine(
    { isTty: host.stderr.isTty, columns: host.stderr.columns, write: (text) => writeAside(host.stderr, text) },
    () => host.now().getTime(),
  );
  const { memory, dispose } = host.openMemory({ isVerbose: options.has('verbose') });
  try {
    const context: CommandContext = {
      memory,
      scope: new Scope(memory, {
        project: options.get('project')?.at(-1),
        allProjects: options.has('all-projects'),
        cwd: host.cwd,
        currentSession: host.env.CLAUDE_CODE_SESSION_ID,
      }),
      onProgress: progress.onProgress,
      formats: new Formats(host),
      ...(isJson ? { ask: undefined, confirm: undefined } : questions(host, progress, signal)),
      isJson,
      log: createLog(host.stderr, options.has('verbose')),
      signal,
      wrong: (message) => new UsageError(message, { command: command.name }),
    };
    const found = await answer(command, wordsOf(command, said), context);
    progress.clear();
    await writeAnswer(found, isJson, pageOf(host, host.stdout, !options.has('no-color')), host);
    await found.until;
    return found.failure === undefined ? exitCodes.done : exitCodes.failure;
  } finally {
    progress.clear();
    await dispose();
  }
}

function questions(
  { ask: askHost }: CliHost,
  progress: ProgressLine,
  signal: AbortSignal,
): Pick<CommandContext, 'ask' | 'confirm'> {
  if (askHost === undefined) return { ask: undefined, confirm: undefined };
  const ask = async (question: string): Promise<string> => {
    progress.clear();
    return (await askHost(question, signal)).trim();
  };
  return { ask, confirm: async (question) => /^y(es)?$/i.test(await ask(`${question} [y/N]`)) };
}

async function writeAnswer({ json, text, failure, notice }: Answer, isJson: boolean, page: Page, host: CliHost) {
  if (notice !== undefined) await host.stderr.write(`keepit: ${notice}\n`);
  if (isJson) {
    const document = failure === undefined ? json : { ...json, ...errorDocument(failure) };
    await host.stdout.write(`${jsonText(document, host.stdout)}\n`);
    return;
  }
  await host.stdout.write(`${text(page)}\n`);
  if (failure !== undefined) await host.stderr.write(`keepit: ${failure.message} ${failure.hint}\n`);
}

async function report(error: unknown, isJson: boolean, host: CliHost): Promise<ExitCode> {
  try {
    return await reportTo(error, isJson, host);
  } catch (second) {
    if (second instanceof BrokenPipeError) return exitCodes.done;
    if (!(second instanceof CliFailure)) throw second;
    await host.stderr.write(`keepit: ${second.message} ${second.hint}\n`);
    return exitCodes.failure;
  }
}

async function reportTo(found: unknown, isJson: boolean, host: CliHost): Promise<ExitCode> {
  const error = isSystemError(found) ? new CliFailure('file-failed', found.message, '', { cause: found }) : found;
  if (error instanceof BrokenPipeError) return exitCodes.done;
  if (isAbortError(error)) {
    await host.stderr.write('keepit: interrupted; what was under way was taken back, what was done before it stays.\n');
    return exitCodes.interrupted;
  }
  if (error instanceof KeepitError) {
    if (isJson) await host.stdout.write(`${jsonText(errorDocument(error), host.stdout)}\n`);
    else await host.stderr.write(`keepit: ${error.message} ${error.hint}\n`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failure;
  }
  await host.stderr.write(`keepit: this is a bug, please report it.\n${stackOf(error)}\n`);
  if (isJson) {
    const message = error instanceof Error ? error.message : String(error);
    const document = { error: { code: 'bug', message, hint: 'The stack is on stderr; please report it.' } };
    await host.stdout.write(`${jsonText(document, host.stdout)}\n`);
  }
  return exitCodes.bug;
}

/** Disks fail, and files may be closed to us: nothing of that is a bug of ours, wherever it is met. */
function isSystemError(error: unknown): error is Error {
  return errorCode(error) !== undefined && !(error instanceof KeepitError);
}

function errorDocument({ code, message, hint }: KeepitError): {
  error: { code: string; message: string; hint: string };
} {
  return { error: { code, message, hint } };
}

/** Indented for people at a terminal, with what it must not get written as JSON can; in one line for programs. */
function jsonText(document: object, { isTty }: CliStream): string {
  return isTty ? escapedControls(JSON.stringify(document, null, 2)) : JSON.stringify(document);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

function pageOf(host: CliHost, stream: CliStream, mayColor: boolean): Page {
  return new Page({
    style: new Style(mayColor && wantsColor(stream.isTty, host.env)),
    width: stream.isTty ? stream.columns : Infinity,
    formats: new Formats(host),
    nowMs: host.now().getTime(),
  });
}
