import path from 'node:path';
import { Disposable, env, Uri, window, workspace, type ExtensionContext } from 'vscode';
import * as z from 'zod/mini';
import { Formats } from '../core/text/formats';
import { compositionFeatures } from './composition/compositionFeatures';
import { compressionFeatures } from './compression/compressionFeatures';
import { VersionChanges } from './compression/versionChanges';
import { AutoRegister, ForgottenSessions } from './features/autoRegister';
import { BrowseCommands } from './features/browseCommands';
import { Doctor } from './features/doctor';
import { EmptyTrash, MemoryCommands } from './features/memoryCommands';
import { Retention } from './features/retention';
import { Sample } from './features/sample';
import { StatusBar } from './features/statusBar';
import type { Context } from './context';
import { startFeatures } from './feature';
import { SAMPLE_FOLDER_VARIABLE } from './ids';
import { InsideFeature } from './inside/insideFeature';
import { KeepitChanges, KeepitListings } from './keepits/keepitChanges';
import { keepitFeatures } from './keepits/keepitFeatures';
import { KnowledgeFeature } from './knowledge/knowledgeFeature';
import { readerLocale } from './locale';
import { MemoryHost } from './memory/memoryHost';
import { RegisterFirst } from './memory/registerFirst';
import { SampleMemory } from './memory/sampleMemory';
import { AnthropicKey } from './models/anthropicKey';
import { KeyCommands } from './models/keyCommands';
import { Notifier, OutputLog } from './notifier';
import { Proposals } from './proposals';
import { SessionsModel } from './sessions/sessionsModel';
import { SessionTargets } from './sessions/sessionTargets';
import { SessionViews } from './sessions/sessionViews';
import { Settings } from './settings';
import { RecordDocuments } from './transcript/recordDocuments';
import { ModelTools } from './tools/modelTools';
import { TranscriptCommands } from './transcript/transcriptCommands';
import { TranscriptDocuments } from './transcript/transcriptDocuments';
import { TranscriptFiles, TranscriptProviders } from './transcript/transcriptFiles';

const manifestSchema = z.object({ version: z.string() });

/** Composes the extension; VS Code calls it once, after its own start, or as soon as one of our views is seen. */
export function activate(context: ExtensionContext): void {
  const channel = window.createOutputChannel('Keepit', { log: true });
  const log = new OutputLog(channel);
  const notifier = new Notifier(log);
  const settings = new Settings();
  const formats = new Formats({ locale: readerLocale(env.language) });
  const sample = new SampleMemory({
    source: path.join(context.extensionPath, 'media/sample'),
    folder: process.env[SAMPLE_FOLDER_VARIABLE] ?? path.join(context.globalStorageUri.fsPath, 'keepit-sample'),
    version: manifestSchema.parse(context.extension.packageJSON).version,
  });
  const key = new AnthropicKey(context.secrets);
  const host = new MemoryHost({ settings, log, sample: isOpen(sample) ? sample : undefined, key });
  const model = new SessionsModel(host, log);
  const forgotten = new ForgottenSessions(context.globalState);
  const views = new SessionViews({ model, host, settings, formats, notifier });
  const targets = new SessionTargets({ model, settings, formats, selection: () => views.selection });
  const documents = new TranscriptDocuments({ host, settings, formats });
  const records = new RecordDocuments();
  const listings = new KeepitListings(host);
  const registering = new RegisterFirst(host, model);
  const changes = new KeepitChanges(registering, listings);
  const versions = new VersionChanges(host);
  const transcripts = new TranscriptCommands({ documents, records, model, targets, notifier, log });
  const { extensionUri, subscriptions } = context;
  const own: Context = {
    ...{ host, model, settings, formats, notifier, log, extensionUri, views, targets },
    ...{ documents, transcripts, registering, listings, changes, versions, proposals: new Proposals() },
  };
  const memoryCommands = new MemoryCommands(own, forgotten);
  subscriptions.push(channel, settings, host, model, documents, changes, versions);
  subscriptions.push(
    ...startFeatures(
      [
        views,
        new BrowseCommands(own, () => channel.show()),
        memoryCommands,
        new TranscriptFiles(own),
        new TranscriptProviders(documents, settings),
        transcripts,
        ...keepitFeatures(own, subscriptions),
        ...compressionFeatures(own, key),
        ...compositionFeatures(own, subscriptions),
        ...[KnowledgeFeature, InsideFeature, ModelTools, EmptyTrash].map((Known) => new Known(own)),
        own.proposals,
        records,
        new StatusBar(model, settings, formats),
        new Retention(own, context.globalState, (refs) => memoryCommands.keep(refs)),
        new AutoRegister(own, forgotten),
        new KeyCommands(key, notifier),
        new Doctor(host, model, notifier),
        new Sample(own, sample, (session) => transcripts.show(session)),
      ],
      log,
    ),
  );
  // Activation only composes: what there is to look at is looked at afterwards.
  const firstLook = setImmediate(() => void model.refresh());
  subscriptions.push(new Disposable(() => clearImmediate(firstLook)));
}

/** Whether this window is on the sample. No other folder can make itself one, whatever is in it. */
function isOpen(sample: SampleMemory): boolean {
  const [folder, ...others] = workspace.workspaceFolders ?? [];
  return others.length === 0 && folder?.uri.toString() === Uri.file(sample.folder).toString();
}
