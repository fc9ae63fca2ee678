import type { TreeNode } from '../../core/presentation/treeNode';
import { commandIds } from '../ids';
import type { Context } from '../context';
import type { NodeTree } from '../watchedTree';
import { Enabling } from './enabling';
import { FactCommands, ForeignCommands } from './factCommands';
import type { KnowledgeHandlers } from './knowledgeFeature';
import { KnowledgeTree, SourceOpener } from './knowledgeTree';
import { LayerBuilds, LiveLayers } from './layerBuilds';
import { NotebookCommands, NotebookTransfer } from './notebookCommands';

/** Composes all that has to do with what is known of projects. Loaded on demand. */
export class KnowledgeRoom {
  readonly handlers: KnowledgeHandlers;
  private readonly tree: KnowledgeTree;
  private readonly builds: LayerBuilds;
  private readonly live: LiveLayers;

  constructor(context: Context, nodes: NodeTree) {
    const tree = new KnowledgeTree(context, nodes);
    const builds = new LayerBuilds(context, tree);
    const enabling = new Enabling(context, tree, builds);
    const facts = new FactCommands(context, tree, enabling);
    const foreign = new ForeignCommands(context, tree, enabling);
    const opener = new SourceOpener(context, tree);
    const notebook = new NotebookCommands(context, tree, enabling);
    const transfer = new NotebookTransfer(context, tree, enabling);
    this.tree = tree;
    this.builds = builds;
    this.live = new LiveLayers(context, builds);
    this.handlers = {
      [commandIds.enableKnowledge]: (args) => enabling.enableMeant(args),
      [commandIds.disableKnowledge]: (args) => enabling.disableMeant(args),
      [commandIds.buildLayers]: (args) => enabling.buildMeant(args),
      [commandIds.openKnowledge]: (args) => opener.open(args),
      [commandIds.confirmFact]: (args) => facts.confirm(args),
      [commandIds.editFact]: (args) => facts.edit(args),
      [commandIds.rejectFact]: (args) => facts.reject(args),
      [commandIds.forgetFact]: (args) => facts.forget(args),
      [commandIds.copyFact]: (args) => facts.copy(args),
      [commandIds.acceptForeign]: (args) => foreign.accept(args),
      [commandIds.filterKnowledge]: () => this.tree.pickFilter(),
      [commandIds.clearKnowledgeFilter]: () => this.tree.clearFilter(),
      [commandIds.showMoreKnowledge]: (args) => this.tree.showMore(args),
      [commandIds.summarizeSession]: (args) => notebook.summarize(args),
      [commandIds.synthesizeMemory]: (args) => notebook.synthesize(args),
      [commandIds.recallMemory]: (args) => notebook.recall(args),
      [commandIds.exportNotebook]: (args) => transfer.export(args),
      [commandIds.importNotebook]: (args) => transfer.import(args),
    };
  }

  /** What is under a row that came without its children. */
  childrenOf(node: TreeNode): Promise<TreeNode[]> {
    return this.tree.childrenOf(node);
  }

  dispose(): void {
    this.live.dispose();
    this.builds.dispose();
    this.tree.dispose();
  }
}
