import type { Disposable } from 'vscode';
import type { Context } from '../context';
import type { Feature } from '../feature';
import { ArrivalWatch } from './arrivalWatch';
import { CompositionBuilders } from './compositionBuilders';
import { CompositionChanges } from './compositionChanges';
import { CompositionFiles } from './compositionFiles';
import { CompositionRunner } from './compositionRunner';
import { CompositionsTree } from './compositionsTree';
import { DeliveryCommands } from './deliveryCommands';
import { SavedCommands } from './savedCommands';

/** Composes all that has to do with compositions; what it owns goes to `subscriptions`. */
export function compositionFeatures(context: Context, subscriptions: Disposable[]): Feature[] {
  const changes = new CompositionChanges(context.host);
  subscriptions.push(changes);
  const compositions: CompositionsTree = new CompositionsTree(context, changes, (target, sessions) =>
    target === undefined ? builders.composeOf(sessions) : builders.addToSaved(target, sessions),
  );
  const runner: CompositionRunner = new CompositionRunner(context, changes, (place) => deliveries.start(place));
  const arrivals = new ArrivalWatch(context, changes, (session) => context.transcripts.show(session));
  const deliveries: DeliveryCommands = new DeliveryCommands(context, { changes, runner, compositions, arrivals });
  const builders: CompositionBuilders = new CompositionBuilders(context, compositions, changes, { runner, deliveries });
  return [
    compositions,
    builders,
    new CompositionFiles(context, changes),
    new SavedCommands(context, changes, runner, compositions),
    deliveries,
    arrivals,
  ];
}
