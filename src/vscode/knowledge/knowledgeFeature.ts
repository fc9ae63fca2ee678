import { Disposable, type Command } from 'vscode';
import { commandIds, viewIds } from '../ids';
import type { TreeNode } from '../../core/presentation/treeNode';
import { registerCommands, type Feature } from '../feature';
import { LazyRoom } from '../lazyRoom';
import { NodeTree } from '../watchedTree';
import type { Context } from '../context';

/** The commands of what is known, and what each is called while it runs. */
export const knowledgeCommands = [
  { id: commandIds.enableKnowledge, doing: 'enabling Keepit in a project' },
  { id: commandIds.disableKnowledge, doing: 'disabling Keepit in a project' },
  { id: commandIds.buildLayers, doing: 'building layers' },
  { id: commandIds.openKnowledge, doing: 'going to a source' },
  { id: commandIds.confirmFact, doing: 'confirming a fact' },
  { id: commandIds.editFact, doing: 'editing a fact' },
  { id: commandIds.rejectFact, doing: 'rejecting a fact' },
  { id: commandIds.forgetFact, doing: 'forgetting a fact' },
  { id: commandIds.copyFact, doing: 'copying' },
  { id: commandIds.acceptForeign, doing: 'accepting what was found in a project' },
  { id: commandIds.filterKnowledge, doing: 'filtering what is known' },
  { id: commandIds.clearKnowledgeFilter, doing: 'filtering what is known' },
  { id: commandIds.showMoreKnowledge, doing: 'showing more' },
  { id: commandIds.summarizeSession, doing: 'summarizing' },
  { id: commandIds.synthesizeMemory, doing: 'synthesizing the project memory' },
  { id: commandIds.recallMemory, doing: 'recalling the project memory' },
  { id: commandIds.exportNotebook, doing: 'exporting the notebook' },
  { id: commandIds.importNotebook, doing: 'importing a notebook' },
] as const;

export type KnowledgeCommandId = (typeof knowledgeCommands)[number]['id'];

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
export type KnowledgeHandlers = Readonly<Record<KnowledgeCommandId, (args: readonly unknown[]) => unknown>>;

/** The view *Knowledge* and its commands. All that they need is loaded when sessions are known, or something is asked for. */
export class KnowledgeFeature implements Feature {
  readonly name = 'knowledge';

  constructor(private readonly context: Context) {}

  register(): Disposable {
    const { model, notifier } = this.context;
    const tree: NodeTree = new NodeTree(viewIds.knowledge, {
      commandOf: rowCommand,
      childrenOf: async (node) => (await room.open()).childrenOf(node),
    });
    const room = new LazyRoom(async () => {
      const { KnowledgeRoom } = await import('./knowledgeRoom');
      return new KnowledgeRoom(this.context, tree);
    });
    const begin = model.onDidChange(() => {
      begin.dispose();
      room.open().catch((error: unknown) => notifier.showError(error, 'loading what is known'));
    });
    const entries = knowledgeCommands.map(({ id, doing }) => {
      return { id, doing, run: async (...args: unknown[]) => (await room.open()).handlers[id](args) };
    });
    return Disposable.from(tree, begin, registerCommands(entries, notifier), room);
  }
}

function rowCommand(node: TreeNode): Command | undefined {
  if (node.more !== undefined) {
    return { command: commandIds.showMoreKnowledge, title: 'Show More', arguments: [node] };
  }
  if (node.contextValue === 'unbuilt') {
    return { command: commandIds.buildLayers, title: 'Build Layers', arguments: [node] };
  }
  if (node.message === undefined && node.file === undefined) return undefined;
  const { id, message, file } = node;
  const argument = { ...(message && { message }), ...(file !== undefined && { file }), id, from: 'row' };
  return { command: commandIds.openKnowledge, title: 'Go to Source', arguments: [argument] };
}
