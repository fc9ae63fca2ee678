import type { Disposable, Uri, ViewColumn } from 'vscode';
import type { Log } from '../../core/model/host';
import type { Formats } from '../../core/text/formats';
import type { KeepitRef, SessionRef } from '../../core/sessions/results';
import type { VersionChanges } from '../compression/versionChanges';
import type { Feature } from '../feature';
import type { KeepitChanges, KeepitListings } from '../keepits/keepitChanges';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { Proposals } from '../proposals';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import type { Settings } from '../settings';
import type { TranscriptCommands } from '../transcript/transcriptCommands';
import { ArrivalWatch } from './arrivalWatch';
import { ClaudeTerminal } from './claudeTerminal';
import { CompositionBuilders } from './compositionBuilders';
import { CompositionChanges } from './compositionChanges';
import { CompositionFiles } from './compositionFiles';
import { CompositionRunner } from './compositionRunner';
import { CompositionsModel } from './compositionsModel';
import { CompositionsView } from './compositionsView';
import { CompositionTargets } from './compositionTargets';
import { DeliveryCommands } from './deliveryCommands';
import { ImportWriting } from './importWriting';
import { SavedCommands, showComposition } from './savedCommands';

export interface CompositionSurroundings {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly targets: SessionTargets;
  readonly transcripts: TranscriptCommands;
  readonly listings: KeepitListings;
  readonly changes: KeepitChanges;
  readonly versions: VersionChanges;
  readonly proposals: Proposals;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: Log;
  readonly extensionUri: Uri;
}

/** Composes all that has to do with compositions; what it owns goes to `subscriptions`. */
export function compositionFeatures(shared: CompositionSurroundings, subscriptions: Disposable[]): Feature[] {
  const { host, model, settings, formats, notifier, log } = shared;
  const changes = new CompositionChanges(host);
  const compositions = new CompositionsModel({ host, model, changes, log });
  subscriptions.push(changes, compositions);
  const view: CompositionsView = new CompositionsView({
    model: compositions,
    sessions: model,
    formats,
    onDrop: (target, sessions) =>
      target === undefined ? builders.composeOf(sessions) : builders.addToSaved(target, sessions),
  });
  const compositionTargets: CompositionTargets = new CompositionTargets({
    model: compositions,
    formats,
    selection: () => view.selection,
  });
  const runner: CompositionRunner = new CompositionRunner({
    changes,
    formats,
    notifier,
    start: (place) => deliveries.start(place),
    open: (place) => showComposition(place),
  });
  const imports = new ImportWriting(shared.proposals, notifier);
  const terminal = new ClaudeTerminal(settings, notifier);
  const show = shower(shared);
  const arrivals = new ArrivalWatch({
    host,
    model,
    changes,
    notifier,
    log,
    show: (session) => shared.transcripts.show(session),
  });
  const own = { changes, runner, compositionTargets, arrivals, imports, terminal };
  const deliveries: DeliveryCommands = new DeliveryCommands({ ...shared, ...own });
  const builders: CompositionBuilders = new CompositionBuilders({
    ...shared,
    ...show,
    compositionTargets,
    compositions: changes,
    runner,
    deliver: (place, to) =>
      to === 'resume' ? deliveries.start(place) : to === 'clipboard' ? deliveries.copy(place) : deliveries.arm(place),
  });
  return [
    view,
    builders,
    new CompositionFiles({ host, changes, log }),
    new SavedCommands({ ...shared, ...own }),
    deliveries,
    arrivals,
  ];
}

/** Ways from the builder to what its sessions say. */
function shower({ model, listings, transcripts }: CompositionSurroundings) {
  return {
    showKeepit: async (ref: KeepitRef, viewColumn: ViewColumn): Promise<boolean> => {
      const session = model.find(ref);
      const found = await listings.find(ref);
      if (session === undefined || found === undefined) return false;
      return transcripts.showMessage(session, found.messageUuid, { viewColumn });
    },
    showSession: async (ref: SessionRef, viewColumn: ViewColumn): Promise<void> => {
      const session = model.find(ref);
      if (session !== undefined) await transcripts.show(session, { viewColumn });
    },
  };
}
