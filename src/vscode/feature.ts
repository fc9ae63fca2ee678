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

/** Registers commands whose failures are shown to the user; what VS Code gets back is always settled. */
export function registerCommands(
  notifier: Notifier,
  handlers: Readonly<Partial<Record<CommandName, CommandHandler>>>,
): Disposable {
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

/** Commands whose work is loaded when one of them is called. */
export function loadedCommands<Name extends CommandName>(
  names: readonly Name[],
  load: () => Promise<Readonly<Record<Name, CommandHandler>>>,
): Partial<Record<CommandName, CommandHandler>> {
  return Object.fromEntries(
    names.map((name) => [name, async (args: readonly unknown[]) => (await load())[name](args)]),
  );
}
