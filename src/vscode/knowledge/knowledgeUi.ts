import type { TreeNode } from '../../core/sessions/view/treeNode';
import type { Context } from '../context';
import type { NodeTree } from '../watchedTree';
import { Enabling } from './enabling';
import { FactCommands, ForeignCommands, PromoteCommands } from './factCommands';
import type { KnowledgeHandlers } from './knowledgeFeature';
import { KnowledgeTree, SourceOpener } from './knowledgeTree';
import { LayerBuilds, LiveLayers } from './layerBuilds';
import { NotebookCommands, NotebookTransfer } from './notebookCommands';
import { ReadingCommands } from './readingCommands';

/** Composes all that has to do with what is known of projects. Loaded on demand. */
export class KnowledgeUi {
  readonly handlers: KnowledgeHandlers;
  private readonly tree: KnowledgeTree;
  private readonly builds: LayerBuilds;
  private readonly live: LiveLayers;

  constructor(context: Context, nodes: NodeTree) {
    const tree = new KnowledgeTree(context, nodes);
    const builds = new LayerBuilds(context, tree);
    const enabling = new Enabling(context, builds);
    const facts = new FactCommands(context, tree, enabling);
    const foreign = new ForeignCommands(context, enabling);
    const opener = new SourceOpener(context, tree);
    const notebook = new NotebookCommands(context, enabling);
    const transfer = new NotebookTransfer(context, enabling);
    const promote = new PromoteCommands(context, facts, enabling);
    const reading = new ReadingCommands(context, enabling);
    this.tree = tree;
    this.builds = builds;
    this.live = new LiveLayers(context, builds);
    this.handlers = {
      enableKnowledge: (args) => enabling.enableMeant(args),
      disableKnowledge: (args) => enabling.disableMeant(args),
      buildLayers: (args) => enabling.buildMeant(args),
      openKnowledge: (args) => opener.open(args),
      confirmFact: (args) => facts.confirm(args),
      editFact: (args) => facts.edit(args),
      rejectFact: (args) => facts.reject(args),
      forgetFact: (args) => facts.forget(args),
      copyFact: (args) => facts.copy(args),
      promoteFact: (args) => promote.promote(args),
      acceptForeign: (args) => foreign.accept(args),
      filterKnowledge: () => this.tree.pickFilter(),
      clearKnowledgeFilter: () => this.tree.clearFilter(),
      showMoreKnowledge: (args) => this.tree.showMore(args),
      summarizeSession: (args) => notebook.summarize(args),
      synthesizeMemory: (args) => notebook.synthesize(args),
      recallMemory: (args) => notebook.recall(args),
      importMemoryIntoClaude: (args) => promote.importMemory(args),
      readSessions: (args) => reading.read(args),
      exportNotebook: (args) => transfer.export(args),
      importNotebook: (args) => transfer.import(args),
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
