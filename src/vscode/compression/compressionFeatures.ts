import { commands, type Disposable, type Uri } from 'vscode';
import { ORIGINAL } from '../../core/versions/diff/types';
import type { Log } from '../../core/model/host';
import type { Formats } from '../../core/text/formats';
import type { SessionRef } from '../../core/sessions/results';
import type { Feature } from '../feature';
import { commandIds } from '../ids';
import type { KeepitChanges, KeepitListings } from '../keepits/keepitChanges';
import type { MemoryHost } from '../memory/memoryHost';
import type { RegisterFirst } from '../memory/registerFirst';
import type { AnthropicKey } from '../models/anthropicKey';
import type { Notifier } from '../notifier';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import type { SessionViews } from '../sessions/sessionViews';
import type { Settings } from '../settings';
import type { TranscriptCommands } from '../transcript/transcriptCommands';
import type { TranscriptDocuments } from '../transcript/transcriptDocuments';
import { VersionDiffs } from '../versionDiff/versionDiffs';
import { CompressionCommands } from './compressionCommands';
import { CompressionRunner } from './compressionRunner';
import { CompressionSource, ModelProviders } from './compressionSource';
import { ManageVersions } from './manageVersions';
import type { VersionChanges } from './versionChanges';
import { VersionCommands } from './versionCommands';
import { VersionDocuments, VersionFiles } from './versionFiles';
import { VersionsModel } from './versionsModel';
import { VersionsView } from './versionsView';
import { VersionTargets } from './versionTargets';

export interface CompressionSurroundings {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly views: SessionViews;
  readonly targets: SessionTargets;
  readonly documents: TranscriptDocuments;
  readonly transcripts: TranscriptCommands;
  readonly listings: KeepitListings;
  readonly changes: KeepitChanges;
  readonly versions: VersionChanges;
  readonly registering: RegisterFirst;
  readonly key: AnthropicKey;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: Log;
  readonly extensionUri: Uri;
}

/** Composes all that has to do with compressed versions; what it owns goes to `subscriptions`. */
export function compressionFeatures(shared: CompressionSurroundings, subscriptions: Disposable[]): Feature[] {
  const { host, model, views, versions, settings, formats, transcripts, documents, log } = shared;
  const versionsModel = new VersionsModel({
    ...shared,
    versions,
    selected: () => {
      const [row, ...others] = views.selection;
      return others.length > 0 ? undefined : row?.session;
    },
    onDidSelect: views.onDidSelect,
  });
  subscriptions.push(versionsModel);
  const view = new VersionsView(versionsModel, formats);
  const targets = new VersionTargets({ model: versionsModel, formats, selection: () => view.selection });
  const runner = new CompressionRunner({
    ...shared,
    versions,
    reveal: async (session, versionId) => {
      versionsModel.choose(session);
      await view.reveal(versionId);
    },
    show: showVersion,
  });
  const versionCommands = new VersionCommands({ ...shared, targets, versions, transcriptDocuments: documents });
  const shown = (): VersionsModel['session'] => versionsModel.session;
  return [
    view,
    new VersionFiles({ documents: new VersionDocuments(host), versions, settings, log }),
    versionCommands,
    new CompressionCommands({
      ...shared,
      versions,
      runner,
      shown,
      choose: (session) => versionsModel.choose(session),
      picker: {
        pick: async (session, options) => {
          const { LevelPicker } = await import('./levelPicker');
          return new LevelPicker(host, settings, formats).pick(session, options);
        },
      },
      source: new CompressionSource({ ...shared, providers: new ModelProviders(shared.key.get) }),
      showVersion,
      showKeepit: async (ref, viewColumn) => {
        const session = model.find(ref);
        const found = await shared.listings.find(ref);
        if (session === undefined || found === undefined) return false;
        return transcripts.showMessage(session, found.messageUuid, { viewColumn });
      },
    }),
    new VersionDiffs({ ...shared, versions, shown, versionTargets: targets, targets: shared.targets }),
    new ManageVersions({
      ...shared,
      shown,
      delete: (target, force) => versionCommands.deleteNow(target, force),
    }),
  ];
}

/** Through the commands: what a row's menu does, and what a message's button does, is the same. */
async function showVersion(
  { projectId, sessionId }: SessionRef,
  versionId: string,
  as: 'text' | 'comparison',
): Promise<void> {
  const version = { projectId, sessionId, versionId };
  if (as === 'text') await commands.executeCommand(commandIds.openVersion, { version });
  else await commands.executeCommand(commandIds.compareVersions, { version, against: ORIGINAL });
}
