import type { TreeView } from 'vscode';
import type { Log } from '../../core/model/host';
import type { Formats } from '../../core/text/formats';
import type { TreeNode } from '../../core/presentation/treeNode';
import { commandIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { Proposals } from '../proposals';
import type { NodeTreeProvider } from '../sessions/nodeTree';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import type { Settings } from '../settings';
import type { TranscriptCommands } from '../transcript/transcriptCommands';
import { Enabling } from './enabling';
import { FactCommands, ForeignCommands } from './factCommands';
import type { KnowledgeHandlers } from './knowledgeCommands';
import { KnowledgeModel } from './knowledgeModel';
import { KnowledgeView } from './knowledgeView';
import { LayerBuilds, LiveLayers } from './layerBuilds';
import { NotebookCommands, NotebookTransfer } from './notebookCommands';
import { SourceOpener } from './sourceOpener';

export interface KnowledgeSurroundings {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly targets: SessionTargets;
  readonly transcripts: TranscriptCommands;
  readonly proposals: Proposals;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: Log;
}

/** Composes all that has to do with what is known of projects. Loaded on demand. */
export class KnowledgeRoom {
  readonly handlers: KnowledgeHandlers;
  private readonly model: KnowledgeModel;
  private readonly view: KnowledgeView;
  private readonly builds: LayerBuilds;
  private readonly live: LiveLayers;

  constructor(surroundings: KnowledgeSurroundings, tree: NodeTreeProvider, treeView: TreeView<TreeNode>) {
    const knowledge = new KnowledgeModel({ ...surroundings, sessions: surroundings.model });
    const builds = new LayerBuilds({ ...surroundings, knowledge });
    const enabling = new Enabling({ ...surroundings, knowledge, builds });
    const shared = { ...surroundings, knowledge, enabling, builds };
    const selection = (): readonly TreeNode[] => treeView.selection;
    const facts = new FactCommands({ ...shared, selection });
    const foreign = new ForeignCommands(shared);
    const opener = new SourceOpener({ ...surroundings, selection });
    const notebook = new NotebookCommands(shared);
    const transfer = new NotebookTransfer(shared);
    this.model = knowledge;
    this.view = new KnowledgeView({
      ...surroundings,
      model: knowledge,
      sessions: surroundings.model,
      tree,
      view: treeView,
    });
    this.builds = builds;
    this.live = new LiveLayers({ ...surroundings, builds });
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
      [commandIds.filterKnowledge]: () => this.view.filter(),
      [commandIds.clearKnowledgeFilter]: () => this.view.clearFilter(),
      [commandIds.showMoreKnowledge]: (args) => this.view.showMore(args),
      [commandIds.summarizeSession]: (args) => notebook.summarize(args),
      [commandIds.synthesizeMemory]: (args) => notebook.synthesize(args),
      [commandIds.recallMemory]: (args) => notebook.recall(args),
      [commandIds.exportNotebook]: (args) => transfer.export(args),
      [commandIds.importNotebook]: (args) => transfer.import(args),
    };
  }

  /** What is under a row that came without its children. */
  childrenOf(node: TreeNode): Promise<TreeNode[]> {
    return this.view.childrenOf(node);
  }

  dispose(): void {
    this.live.dispose();
    this.builds.dispose();
    this.view.dispose();
    this.model.dispose();
  }
}
