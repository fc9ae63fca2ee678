import type { Context } from '../context';
import { type Feature, commandFeature } from '../feature';
import type { AnthropicKey } from '../models/anthropicKey';
import { KeyCommands } from '../models/keyCommands';
import { VersionDiffs } from '../versionDiff/versionDiffs';
import { Aging } from './aging';
import { CompressionCommands } from './compressionCommands';
import { CompressionRunner } from './compressionRunner';
import { CompressionSource, ModelProviders } from './compressionSource';
import { ManageVersions, VersionCommands } from './versionCommands';
import { VersionFiles } from './versionFiles';
import { VersionsTree } from './versionsTree';

/** Composes all that has to do with compressed versions. */
export function compressionFeatures(context: Context, key: AnthropicKey): Feature[] {
  const tree = new VersionsTree(context);
  const runner = new CompressionRunner(context, tree);
  const commands = new VersionCommands(context, tree);
  const source = new CompressionSource(context, new ModelProviders(key.get));
  return [
    tree,
    new VersionFiles(context),
    new CompressionCommands(context, runner, tree, source),
    new VersionDiffs(context, tree),
    new Aging(context),
    commandFeature(
      context.notifier,
      commands,
      new ManageVersions(context, tree, commands),
      new KeyCommands(key, context.notifier),
    ),
  ];
}
