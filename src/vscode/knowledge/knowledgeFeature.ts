import { Disposable, window, type Command, type TreeView } from 'vscode';
import type { TreeNode } from '../../core/presentation/treeNode';
import { registerCommands, type Feature } from '../feature';
import { commandIds, viewIds } from '../ids';
import { LazyRoom } from '../lazyRoom';
import { NodeTreeProvider } from '../sessions/nodeTree';
import { knowledgeCommands } from './knowledgeCommands';
import type { KnowledgeSurroundings } from './knowledgeRoom';

/** The view *Knowledge* and its commands. All that they need is loaded when sessions are known, or something is asked for. */
export class KnowledgeFeature implements Feature {
  readonly name = 'knowledge';

  constructor(private readonly surroundings: KnowledgeSurroundings) {}

  register(): Disposable {
    const { model, notifier } = this.surroundings;
    const tree: NodeTreeProvider = new NodeTreeProvider({
      commandOf: rowCommand,
      childrenOf: async (node) => (await room.open()).childrenOf(node),
    });
    const view: TreeView<TreeNode> = window.createTreeView(viewIds.knowledge, {
      treeDataProvider: tree,
      showCollapseAll: true,
      canSelectMany: true,
    });
    const room = new LazyRoom(async () => {
      const { KnowledgeRoom } = await import('./knowledgeRoom');
      return new KnowledgeRoom(this.surroundings, tree, view);
    });
    const begin = model.onDidChange(() => {
      begin.dispose();
      room.open().catch((error: unknown) => notifier.showError(error, 'loading what is known'));
    });
    const entries = knowledgeCommands.map(({ id, doing }) => {
      return { id, doing, run: async (...args: unknown[]) => (await room.open()).handlers[id](args) };
    });
    return Disposable.from(tree, view, begin, registerCommands(entries, notifier), room);
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
