import { Disposable, type Command } from 'vscode';
import { commandIds, viewIds } from '../ids';
import type { TreeNode } from '../../core/sessions/view/treeNode';
import { loadedCommands, registerCommands, type Feature, type LoadedCommands } from '../feature';
import { LazyFeature } from '../lazyFeature';
import { NodeTree } from '../watchedTree';
import type { Context } from '../context';
import type { KnowledgeUi } from './knowledgeUi';

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
const commands: LoadedCommands<KnowledgeUi> = {
  enableKnowledge: ({ enabling }, args) => enabling.enableMeant(args),
  disableKnowledge: ({ enabling }, args) => enabling.disableMeant(args),
  buildLayers: ({ enabling }, args) => enabling.buildMeant(args),
  openKnowledge: ({ opener }, args) => opener.open(args),
  confirmFact: ({ facts }, args) => facts.confirm(args),
  editFact: ({ facts }, args) => facts.edit(args),
  rejectFact: ({ facts }, args) => facts.reject(args),
  forgetFact: ({ facts }, args) => facts.forget(args),
  copyFact: ({ facts }, args) => facts.copy(args),
  promoteFact: ({ promote }, args) => promote.promote(args),
  acceptForeign: ({ foreign }, args) => foreign.accept(args),
  showMoreKnowledge: ({ tree }, args) => tree.showMore(args),
  summarizeSession: ({ notebook }, args) => notebook.summarize(args),
  synthesizeMemory: ({ notebook }, args) => notebook.synthesize(args),
  recallMemory: ({ notebook }, args) => notebook.recall(args),
  importMemoryIntoClaude: ({ promote }, args) => promote.importMemory(args),
  readSessions: ({ reading }, args) => reading.read(args),
};

/** The view *Knowledge* and its commands. All that they need is loaded when sessions are known, or something is asked for. */
export class KnowledgeFeature implements Feature {
  readonly name = 'knowledge';

  constructor(private readonly context: Context) {}

  register(): Disposable {
    const { model, notifier } = this.context;
    const tree: NodeTree = new NodeTree(viewIds.knowledge, {
      commandOf: rowCommand,
      childrenOf: async (node) => (await room.open()).tree.childrenOf(node),
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
        loadedCommands(commands, () => room.open()),
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
