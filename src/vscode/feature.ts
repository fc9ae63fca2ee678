import { Disposable, commands } from 'vscode';
import type { Log } from '../core/model/host';
import type { CommandId } from './ids';
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
