import { lstat, readFile, rm } from 'node:fs/promises';
import type { KeepitError } from '../core/text/keepitError';
import { createFile, placeNew } from '../node/files/atomicFile';
import { errorCode } from '../node/files/errorCode';
import { CliFailure } from './cliErrors';
import type { CommandContext } from './context';
import type { Fields, Inputs } from './fields';
import { linesOf, type Lines, type Page } from './page';
import type { RegisterResult } from '../core/sessions/results';

export type CommandGroup =
  'Sessions' | 'Memory' | 'Keepits' | 'Versions' | 'Compositions' | 'Knowledge' | 'Keepit itself';

/** What is to be said of a command: it stands in a file of `commands/`, and has a line in `commandTable.ts`. */
interface Definition<F extends Fields, R extends object> {
  /** What is typed: one word, or two such as `config get`. */
  readonly name: string;
  /** Where the help lists it: the table of commands says so. */
  readonly group?: CommandGroup;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What else is to be known, a paragraph each. */
  readonly details?: readonly string[];
  /** What it is given: options, flags and arguments, by names. `dryRun` is typed `--dry-run`. */
  readonly input?: F;
  /** Without the leading `keepit`. */
  readonly examples: readonly string[];
  /** Which options go together: throws before anything is looked up for the arguments. */
  check?(options: Partial<Inputs<F>>, wrong: CommandContext['wrong']): void;
  /** Does it. What it finds out is the one document of `--json`, unless `json` says otherwise. */
  run(input: Inputs<F>, context: CommandContext): Promise<R>;
  json?(result: R): object;
  /** The same for people; without it, fields and tables of the document. */
  text?(result: R, page: Page, input: Inputs<F>): Lines;
  /** A line for people that is no part of the answer; it goes to stderr. */
  notice?(result: R): string | undefined;
  /** Set when only a part could be done: the answer is printed all the same, and the exit code is 1. */
  failure?(result: R): KeepitError | undefined;
  /** What goes on once the answer is printed; the command ends with it. */
  until?(result: R): Promise<void> | undefined;
}

/** A command of `keepit`. Parsing, help, suggestions, JSON, exit codes and interruption come from the frame. */
export type Command = Definition<Fields, object>;

/** Puts a command together: what its input means follows from its fields, what is shown from what `run` answers. */
export function command<R extends object, F extends Fields = Fields>(definition: Definition<F, R>): Command {
  return definition;
}

/** What a command found out or did. */
export interface Answer {
  readonly json: object;
  readonly text: (page: Page) => string;
  readonly notice?: string | undefined;
  readonly failure?: KeepitError | undefined;
  readonly until?: Promise<void> | undefined;
}

/** Runs a command with what it was given: the words for each of its fields. */
export async function answer(
  command: Command,
  words: (name: string) => readonly string[],
  context: CommandContext,
): Promise<Answer> {
  const input = new Map<string, unknown>();
  // What has a place is mostly looked up; what is wrong with the rest is told before.
  const fields = Object.entries(command.input ?? {}).sort(([, a], [, b]) => Number(isPlaced(a)) - Number(isPlaced(b)));
  let isChecked = false;
  for (const [name, field] of fields) {
    if (isPlaced(field) && !isChecked) command.check?.(Object.fromEntries(input), context.wrong);
    isChecked ||= isPlaced(field);
    const called = isPlaced(field) ? `<${name}>` : `--${kebab(name)}`;
    input.set(name, await field.from(words(name), called, context));
  }
  const given = Object.fromEntries(input);
  const result = await command.run(given, input.get('yes') === true ? { ...context, confirm: undefined } : context);
  const json = command.json?.(result) ?? result;
  return {
    json,
    text: (page) => linesOf(command.text?.(result, page, given) ?? page.document(json)).join('\n'),
    notice: command.notice?.(result),
    failure: command.failure?.(result),
    until: command.until?.(result),
  };
}

function isPlaced({ arity }: Fields[string]): boolean {
  return arity !== undefined;
}

/** `dryRun` as it is typed: `dry-run`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Goes on where a person agrees, or none can be asked. Else throws `CliFailure`. */
export async function agree(
  question: string | (() => string | Promise<string>),
  subject: string,
  { confirm }: Pick<CommandContext, 'confirm'>,
  refused: CliFailure['reason'] = 'kept',
): Promise<void> {
  if (confirm !== undefined && !(await confirm(typeof question === 'string' ? question : await question())))
    throw new CliFailure(refused, subject);
}

/** As `agree`, for what can be brought back: not asked where the configuration says that it need not be. */
export async function agreeToDelete(
  question: string | (() => string | Promise<string>),
  subject: string,
  { confirm, memory }: Pick<CommandContext, 'confirm' | 'memory'>,
): Promise<void> {
  if (confirm !== undefined && (await memory.config.read()).ui.confirmDestructiveActions)
    await agree(question, subject, { confirm });
}

/** Writes a file that is not there yet, or says just that: who is killed after it may ask again. Returns what takes it back. */
export async function writeNew(file: string, text: string): Promise<() => Promise<void>> {
  try {
    await placeNew(file, (temporary) => createFile(temporary, (handle) => handle.writeFile(text)));
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST';
    if (isThere && (await says(file, text))) return () => Promise.resolve();
    throw new CliFailure(isThere ? 'file-exists' : 'file-not-written', file, '', { cause: error });
  }
  return async () => rm(file, { force: true }).catch(() => undefined); // the failure before it is the one to tell
}

async function says(file: string, text: string): Promise<boolean> {
  const stats = await lstat(file).catch(() => undefined); // opening a pipe would wait for ever
  if (stats?.isFile() !== true || stats.size !== Buffer.byteLength(text)) return false;
  return (await readFile(file, 'utf8').catch(() => undefined)) === text;
}

export type Failure = RegisterResult['failed'][number];

/** What went wrong, session by session. */
export function failedLines(failed: readonly Failure[], { bad }: Page): string[] {
  return failed.map(({ session, error }) => `${bad('✗ failed')}  ${session}: ${error}`);
}

/** The exit code of a bulk command tells that not all of it was done. */
export function failureOf(failed: readonly unknown[]): CliFailure | undefined {
  if (failed.length === 0) return undefined;
  return new CliFailure('partly-failed', failed.length === 1 ? '1 session' : `${failed.length} sessions`);
}
