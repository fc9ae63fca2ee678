import { Disposable, commands } from 'vscode';
import type { Log } from '../core/model/host';
import { commandIds, commandsDoing, type CommandName } from './ids';
import type { Notifier } from './notifier';

/** A part of the extension that stands on its own. */
export interface Feature {
  /** For the log, when it cannot start. */
  readonly name: string;
  /** Registers everything with VS Code; what it returns ends all of it. Called once. */
  register(): Disposable;
}

/** Starts each feature. One that throws is logged, and the others still start. */
export function startFeatures(features: readonly Feature[], log: Log): Disposable[] {
  const started: Disposable[] = [];
  for (const feature of features) {
    try {
      started.push(feature.register());
    } catch (error) {
      log.error(`The feature “${feature.name}” could not start; the others go on without it.`, error);
    }
  }
  return started;
}

/** A command's work. Arguments come from menus, key bindings and other extensions, and are to be parsed. */
export type CommandHandler = (args: readonly unknown[]) => unknown;

export type CommandHandlers = Readonly<Partial<Record<CommandName, CommandHandler>>>;

/** Registers commands whose failures are shown to the user; what VS Code gets back is always settled. */
export function registerCommands(notifier: Notifier, handlers: CommandHandlers): Disposable {
  return Disposable.from(
    ...Object.entries(handlers).map(([name, run]) =>
      commands.registerCommand(commandIds[name as CommandName], async (...args: unknown[]): Promise<unknown> => {
        try {
          return await run(args);
        } catch (error) {
          notifier.showError(error, commandsDoing[name as CommandName]);
          return undefined;
        }
      }),
    ),
  );
}

/** Does nothing but commands. */
export interface CommandSet {
  readonly commands: CommandHandlers;
}

export function commandFeature(notifier: Notifier, ...sets: readonly CommandSet[]): Feature {
  return {
    name: 'commands',
    register: () => Disposable.from(...sets.map(({ commands: handlers }) => registerCommands(notifier, handlers))),
  };
}

/** What commands do with what is loaded when one of them is called. */
export type LoadedCommands<T> = Readonly<
  Partial<Record<CommandName, (loaded: T, args: readonly unknown[]) => unknown>>
>;

export function loadedCommands<T>(commands: LoadedCommands<T>, load: () => Promise<T>): CommandHandlers {
  return Object.fromEntries(
    Object.entries(commands).map(([name, run]) => [name, async (args: readonly unknown[]) => run(await load(), args)]),
  );
}
