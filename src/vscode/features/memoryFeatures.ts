import type { Memento } from 'vscode';
import type { Context } from '../context';
import type { Feature } from '../feature';
import { AutoRegister, ForgottenSessions } from './autoRegister';
import { BrowseCommands } from './browseCommands';
import { Doctor } from './doctor';
import { EmptyTrash, MemoryCommands } from './memoryCommands';
import { Retention } from './retention';
import { StatusBar } from './statusBar';
import { ModelTools } from '../tools/modelTools';

/** Composes what has to do with sessions as a whole: finding them, and keeping them in memory. */
export function memoryFeatures(context: Context, state: Memento, showLog: () => void): Feature[] {
  const { host, model, settings, formats, notifier, views } = context;
  const forgotten = new ForgottenSessions(state);
  const commands = new MemoryCommands(context, forgotten);
  return [
    views,
    new BrowseCommands(context, showLog),
    commands,
    new EmptyTrash(context),
    new StatusBar(model, settings, formats),
    new Retention(context, state, (refs) => commands.keep(refs)),
    new AutoRegister(context, forgotten),
    new Doctor(host, model, notifier),
    new ModelTools(context),
    context.proposals,
  ];
}
