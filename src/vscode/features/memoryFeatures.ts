import type { Memento } from 'vscode';
import type { Context } from '../context';
import { type Feature, commandFeature } from '../feature';
import { Archives } from './archives';
import { AutoRegister, ForgottenSessions, Retention, StatusBar } from './autoRegister';
import { BrowseCommands } from './browseCommands';
import { Configured } from './projectSettings';
import { Doctor } from './doctor';
import { Forgetting } from './forgetting';
import { Links } from './links';
import { EmptyTrash, MemoryCommands } from './memoryCommands';
import { ResumeCommands } from '../sessions/resumeCommands';
import { searchFeatures } from '../search/searchFeatures';
import { ModelTools } from '../tools/modelTools';

/** Composes what has to do with sessions as a whole: finding them, and keeping them in memory. */
export function memoryFeatures(context: Context, state: Memento, showLog: () => void): Feature[] {
  const forgotten = new ForgottenSessions(state);
  const commands = new MemoryCommands(context, forgotten);
  return [
    context.views,
    ...searchFeatures(context),
    new BrowseCommands(context, showLog),
    commandFeature(
      context.notifier,
      commands,
      new ResumeCommands(context),
      new EmptyTrash(context),
      new Forgetting(context),
      new Archives(context),
      new Doctor(context),
    ),
    new Links(context, state),
    new StatusBar(context),
    new Retention(context, state, (refs) => commands.keep(refs)),
    new AutoRegister(context, forgotten),
    new Configured(context),
    new ModelTools(context),
    context.proposals,
  ];
}
