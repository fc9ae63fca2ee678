import { Disposable, window, type ExtensionContext } from 'vscode';
import { compositionFeatures } from './composition/compositionFeatures';
import { compressionFeatures } from './compression/compressionFeatures';
import { makeContext } from './context';
import { startFeatures } from './feature';
import { memoryFeatures } from './features/memoryFeatures';
import { carriedSample, isOpen, Sample } from './features/sample';
import { InsideFeature } from './activity/activityFeature';
import { keepitFeatures } from './keepits/keepitFeatures';
import { KnowledgeFeature } from './knowledge/knowledgeFeature';
import { MemoryHost } from './memory/memoryHost';
import { AnthropicKey } from './models/anthropicKey';
import { OutputLog } from './notifier';
import { Settings } from './settings';
import { transcriptFeatures } from './transcript/transcriptFiles';

/** Composes the extension; VS Code calls it once, after its own start, or as soon as one of our views is seen. */
export function activate(extension: ExtensionContext): void {
  const { subscriptions, secrets, globalState, extensionUri } = extension;
  const channel = window.createOutputChannel('Keepit', { log: true });
  const log = new OutputLog(channel);
  const settings = new Settings();
  const sample = carriedSample(extension);
  const key = new AnthropicKey(secrets);
  const host = new MemoryHost({ settings, log, sample: isOpen(sample) ? sample : undefined, key });
  const context = makeContext({ host, settings, log, extensionUri });
  const { model, documents, listings } = context;
  subscriptions.push(channel, settings, host, model, documents, listings);
  const features = [
    ...memoryFeatures(context, globalState, () => channel.show()),
    ...transcriptFeatures(context),
    ...keepitFeatures(context, subscriptions),
    ...compressionFeatures(context, key),
    ...compositionFeatures(context),
    new KnowledgeFeature(context),
    new InsideFeature(context),
    new Sample(context, sample),
  ];
  subscriptions.push(...startFeatures(features, log));
  // Activation only composes: what there is to look at is looked at afterwards.
  const firstLook = setImmediate(() => void model.refresh());
  subscriptions.push(new Disposable(() => clearImmediate(firstLook)));
}
