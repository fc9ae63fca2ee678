import type { Disposable, Uri } from 'vscode';
import type { Log } from '../../core/model/host';
import type { Formats } from '../../core/text/formats';
import { DecayPanels } from '../decayPanel/decayPanels';
import type { Feature } from '../feature';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import type { SessionViews } from '../sessions/sessionViews';
import type { Settings } from '../settings';
import type { TranscriptCommands } from '../transcript/transcriptCommands';
import type { TranscriptDocuments } from '../transcript/transcriptDocuments';
import type { KeepitChanges, KeepitListings } from './keepitChanges';
import { KeepitCommands } from './keepitCommands';
import { KeepitsModel } from './keepitsModel';
import { KeepitsView } from './keepitsView';
import { KeepitTargets } from './keepitTargets';
import { MarkCommands } from './markCommands';
import { MarkDecorations, MarkProviders } from './markProviders';
import { MarkerDiagnostics, MarkerWriting } from './markerWriting';
import { MarkSources } from './markSources';

export interface KeepitSurroundings {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly views: SessionViews;
  readonly targets: SessionTargets;
  readonly documents: TranscriptDocuments;
  readonly transcripts: TranscriptCommands;
  readonly listings: KeepitListings;
  readonly changes: KeepitChanges;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: Log;
  readonly extensionUri: Uri;
}

/** Composes all that has to do with keepits; what it owns goes to `subscriptions`. */
export function keepitFeatures(shared: KeepitSurroundings, subscriptions: Disposable[]): Feature[] {
  const { host, model, views, settings, log, listings, changes } = shared;
  const sources = new MarkSources({ ...shared, listings, changes });
  const keepits = new KeepitsModel({
    host,
    model,
    listings,
    changes,
    log,
    selected: () => {
      const [row, ...others] = views.selection;
      return others.length > 0 ? undefined : row?.session;
    },
    onDidSelect: views.onDidSelect,
  });
  subscriptions.push(sources, keepits);
  const view = new KeepitsView({ ...shared, model: keepits });
  const targets = new KeepitTargets({ model: keepits, listings, sources, selection: () => view.selection });
  const commands = new KeepitCommands({ ...shared, targets, changes, sources });
  return [
    view,
    new MarkDecorations(sources, settings),
    new MarkProviders(sources, settings),
    new MarkerDiagnostics(sources),
    new MarkerWriting(host),
    commands,
    new MarkCommands({ ...shared, changes, sources }),
    new DecayPanels({
      ...shared,
      changes,
      shown: () => keepits.scope,
      showKeepit: (ref, viewColumn) => commands.show(ref, { viewColumn }),
    }),
  ];
}
