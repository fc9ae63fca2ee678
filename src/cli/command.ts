import { rm, writeFile } from 'node:fs/promises';
import type { StoredComposition } from '../core/compositions/compositions';
import { CompositionError } from '../core/compositions/compositionError';
import type { KeepitError } from '../core/text/keepitError';
import type { Log } from '../core/model/host';
import type { OnProgress } from '../core/sessions/results';
import type { Formats } from '../core/text/formats';
import { errorCode } from '../node/files/errorCode';
import { CliFailure } from './cliErrors';
import type { CommandInput } from './commandInput';
import type { MemoryService } from '../core/memory';
import type { Scope } from './scope';
import type { Style } from './terminal';

/** One argument of a command; only the last one may take several words. */
export interface ArgumentSpec {
  name: string;
  help: string;
  arity: 'one' | 'optional' | 'any';
}

export interface OptionSpec {
  type: 'boolean' | 'string';
  /** What stands for the value in the help, such as `N`; for options of type string. */
  value?: string;
  short?: string;
  help: string;
}

export function flag(help: string, short?: string): OptionSpec {
  return { type: 'boolean', help, ...(short !== undefined && { short }) };
}

/** `value` is what stands for it in the help, such as `N`. */
export function valued(value: string, help: string, short?: string): OptionSpec {
  return { type: 'string', value, help, ...(short !== undefined && { short }) };
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/**
 * A command of `keepit`: it stands in a file of `commands/`, and has a line in `commandTable.ts`. Parsing, help, suggestions, JSON, exit
 * codes and interruption come from the frame.
 */
export interface Command {
  /** What is typed: one word, or two such as `config get`. */
  readonly name: string;
  readonly group: 'Sessions' | 'Memory' | 'Keepits' | 'Versions' | 'Compositions' | 'Knowledge' | 'Keepit itself';
  /** One line for the list of commands. */
  readonly summary: string;
  /** What else is to be known, a paragraph each. */
  readonly details?: readonly string[];
  readonly args?: readonly ArgumentSpec[];
  readonly options?: OptionSpecs;
  /** Without the leading `keepit`. */
  readonly examples: readonly string[];
  run(input: CommandInput, context: CommandContext): Promise<Answer>;
}

/** What a command may use. */
export interface CommandContext {
  readonly memory: MemoryService;
  /** The projects and sessions that the command line speaks of. */
  readonly scope: Scope;
  readonly onProgress: OnProgress;
  readonly formats: Formats;
  /** Asks a person; undefined where nobody can be asked: no terminal, or `--json`. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** As `confirm`, for an answer in words; '' is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What a command found out or did. */
export interface Answer {
  /** The one document of `--json`. */
  readonly json: object;
  /** The same for people; made only when it is wanted. */
  text(page: Page): string;
  /** A line for people that is no part of the answer; it goes to stderr. */
  readonly notice?: string | undefined;
  /** Set when only a part could be done: the answer is printed all the same, and the exit code is 1. */
  readonly failure?: KeepitError | undefined;
  /** What goes on once the answer is printed; the command ends with it. */
  readonly until?: Promise<void>;
}

/** What text for people is written on. */
export interface Page {
  readonly style: Style;
  /** Columns; Infinity where there is no terminal. */
  readonly width: number;
  readonly formats: Formats;
  readonly nowMs: number;
}

/**
 * Whether something may be deleted that can be brought back. Asked on a terminal, unless `--yes` or the configuration says that it need not be.
 */
export async function mayDelete(
  question: () => string | Promise<string>,
  input: Pick<CommandInput, 'has'>,
  { confirm, memory }: Pick<CommandContext, 'confirm' | 'memory'>,
): Promise<boolean> {
  if (confirm === undefined || input.has('yes')) return true;
  const { ui } = await memory.config.read();
  return !ui.confirmDestructiveActions || confirm(await question());
}

/**
 * The composition of a name: that of the project which the command line speaks of, else the only one of that name there is. Throws
 * `CompositionError`.
 */
export async function namedComposition(name: string, { scope, memory }: CommandContext): Promise<StoredComposition> {
  const projectId = await scope.projectId();
  if (projectId !== undefined) {
    const own = (await memory.compositions.list(projectId)).find(({ record }) => record.name === name);
    if (own !== undefined) return own;
  }
  const all = (await memory.compositions.list()).filter(({ record }) => record.name === name);
  const [only] = all;
  if (only === undefined) throw new CompositionError('unknown', name);
  if (all.length > 1) throw new CompositionError('ambiguous', name, all.map((one) => one.projectId).join(', '));
  return only;
}

/** Writes a file that is not there yet. Returns what takes it back. */
export async function writeNew(file: string, text: string): Promise<() => Promise<void>> {
  const remove = async () => rm(file, { force: true }).catch(() => undefined); // the failure before it is the one to tell
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return remove;
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST';
    if (!isThere) await remove();
    throw new CliFailure(isThere ? 'file-exists' : 'file-not-written', file, { cause: error });
  }
}
