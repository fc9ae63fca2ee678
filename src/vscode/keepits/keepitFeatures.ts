import type { Disposable } from 'vscode';
import type { Context } from '../context';
import { DecayPanels } from '../decayPanel/decayPanels';
import { type Feature, commandFeature } from '../feature';
import { KeepitCommands } from './keepitCommands';
import { KeepitsTree } from './keepitsTree';
import { MarkCommands } from './markCommands';
import { MarkerDiagnostics, MarkerWriting } from './markerWriting';
import { MarkDecorations, MarkProviders } from './markProviders';
import { MarkSources } from './markSources';

/** Composes all that has to do with keepits; what it owns goes to `subscriptions`. */
export function keepitFeatures(context: Context, subscriptions: Disposable[]): Feature[] {
  const { memory, settings } = context;
  const sources = new MarkSources(context);
  subscriptions.push(sources);
  const keepits = new KeepitsTree(context, sources);
  const commands = new KeepitCommands(context, keepits, sources);
  return [
    keepits,
    new MarkDecorations(sources, settings),
    new MarkProviders(sources),
    new MarkerDiagnostics(sources),
    new MarkerWriting(memory),
    commandFeature(context.notifier, commands, new MarkCommands(context, sources)),
    new DecayPanels(context, keepits, commands),
  ];
}
