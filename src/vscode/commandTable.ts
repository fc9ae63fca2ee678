import { commands, Disposable } from 'vscode';
import type { CommandId } from './ids';
import type { Notifier } from './notifier';

/** A command's work. Arguments come from menus, key bindings and other extensions, and are to be parsed. */
export type CommandHandler = (...args: unknown[]) => unknown;

/** A command, what it is called while it runs (for messages: "adding to memory"), and its work. */
export interface CommandEntry {
  readonly id: CommandId;
  readonly doing: string;
  readonly run: CommandHandler;
}

/** Registers commands whose failures are shown to the user; what VS Code gets back is always settled. */
export function registerCommands(entries: readonly CommandEntry[], notifier: Notifier): Disposable {
  return Disposable.from(
    ...entries.map(({ id, doing, run }) =>
      commands.registerCommand(id, async (...args: unknown[]): Promise<unknown> => {
        try {
          return await run(...args);
        } catch (error) {
          notifier.showError(error, doing);
          return undefined;
        }
      }),
    ),
  );
}
