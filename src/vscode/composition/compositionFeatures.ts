import type { Context } from '../context';
import { type Feature, commandFeature } from '../feature';
import { ArrivalWatch } from './arrivalWatch';
import { CompositionBuilders } from './compositionBuilders';
import { CompositionFiles } from './compositionFiles';
import { CompositionRunner } from './compositionRunner';
import { CompositionsTree } from './compositionsTree';
import { CompositionCommands } from './compositionCommands';

/** Composes all that has to do with compositions. */
export function compositionFeatures(context: Context): Feature[] {
  const compositions: CompositionsTree = new CompositionsTree(context, (target, sessions) =>
    target === undefined ? builders.composeOf(sessions) : builders.addToSaved(target, sessions),
  );
  const runner: CompositionRunner = new CompositionRunner(context, (place) => deliveries.start(place));
  const arrivals = new ArrivalWatch(context);
  const deliveries: CompositionCommands = new CompositionCommands(context, {
    runner,
    compositions,
    tellArrival: (place) => arrivals.tell(place),
  });
  const builders: CompositionBuilders = new CompositionBuilders(context, compositions, { runner, deliveries });
  return [
    compositions,
    builders,
    new CompositionFiles(context),
    commandFeature(context.notifier, deliveries),
    arrivals,
  ];
}
