import type { Context } from '../context';
import type { NodeTree } from '../watchedTree';
import { Enabling, ReadingCommands } from './enabling';
import { FactCommands, ForeignCommands, PromoteCommands } from './factCommands';
import { KnowledgeTree, SourceOpener } from './knowledgeTree';
import { LayerBuilds, LiveLayers } from './layerBuilds';
import { NotebookCommands } from './notebookCommands';

/** Composes all that has to do with what is known of projects. Loaded on demand. */
export class KnowledgeUi {
  readonly tree: KnowledgeTree;
  readonly enabling: Enabling;
  readonly facts: FactCommands;
  readonly foreign: ForeignCommands;
  readonly opener: SourceOpener;
  readonly notebook: NotebookCommands;
  readonly promote: PromoteCommands;
  readonly reading: ReadingCommands;
  private readonly builds: LayerBuilds;
  private readonly live: LiveLayers;

  constructor(context: Context, nodes: NodeTree) {
    this.tree = new KnowledgeTree(context, nodes);
    this.builds = new LayerBuilds(context, this.tree);
    this.enabling = new Enabling(context, this.builds);
    this.facts = new FactCommands(context, this.tree, this.enabling);
    this.foreign = new ForeignCommands(context, this.enabling);
    this.opener = new SourceOpener(context, this.tree);
    this.notebook = new NotebookCommands(context, this.enabling);
    this.promote = new PromoteCommands(context, this.facts, this.enabling);
    this.reading = new ReadingCommands(context, this.enabling);
    this.live = new LiveLayers(context, this.builds);
  }

  dispose(): void {
    this.live.dispose();
    this.builds.dispose();
    this.tree.dispose();
  }
}
