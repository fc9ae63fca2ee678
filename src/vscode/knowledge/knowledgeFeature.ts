import { Disposable, type Command } from 'vscode';
import { commandIds, viewIds } from '../ids';
import type { TreeNode } from '../../core/sessions/view/treeNode';
import { loadedCommands, registerCommands, type CommandHandler, type Feature } from '../feature';
import { LazyFeature } from '../lazyFeature';
import { NodeTree } from '../watchedTree';
import type { Context } from '../context';

/** The commands of what is known. */
const knowledgeCommands = [
  'enableKnowledge',
  'disableKnowledge',
  'buildLayers',
  'openKnowledge',
  'confirmFact',
  'editFact',
  'rejectFact',
  'forgetFact',
  'copyFact',
  'promoteFact',
  'acceptForeign',
  'filterKnowledge',
  'clearKnowledgeFilter',
  'showMoreKnowledge',
  'summarizeSession',
  'synthesizeMemory',
  'recallMemory',
  'importMemoryIntoClaude',
  'readSessions',
  'exportNotebook',
  'importNotebook',
] as const;

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
export type KnowledgeHandlers = Readonly<Record<(typeof knowledgeCommands)[number], CommandHandler>>;

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
    const room = new LazyFeature(async () => {
      const { KnowledgeUi } = await import('./knowledgeUi');
      return new KnowledgeUi(this.context, tree);
    });
    const begin = model.onDidChange(() => {
      begin.dispose();
      room.open().catch((error: unknown) => notifier.showError(error, 'loading what is known'));
    });
    return Disposable.from(
      tree,
      begin,
      registerCommands(
        notifier,
        loadedCommands(knowledgeCommands, async () => (await room.open()).handlers),
      ),
      room,
    );
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
