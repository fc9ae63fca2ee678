import { Disposable, window, workspace, type Command, type TreeView } from 'vscode';
import type { TreeNode } from '../../core/presentation/treeNode';
import { registerCommands, type Feature } from '../feature';
import { ACTIVITY_SCHEME, commandIds, viewIds } from '../ids';
import { LazyRoom } from '../lazyRoom';
import { NodeTreeProvider } from '../sessions/nodeTree';
import { insideCommands } from './insideCommands';
import type { InsideSurroundings } from './insideRoom';

/** The view *Inside Claude Code* and its commands. All that they need is loaded when the view is seen, or something is asked for. */
export class InsideFeature implements Feature {
  readonly name = 'inside Claude Code';

  constructor(private readonly surroundings: InsideSurroundings) {}

  register(): Disposable {
    const { model, notifier } = this.surroundings;
    const tree: NodeTreeProvider = new NodeTreeProvider({
      commandOf: rowCommand,
      childrenOf: async (node) => (await room.open()).childrenOf(node),
    });
    const view: TreeView<TreeNode> = window.createTreeView(viewIds.inside, {
      treeDataProvider: tree,
      showCollapseAll: true,
      canSelectMany: true,
      manageCheckboxStateManually: true,
    });
    const room = new LazyRoom(async () => {
      const { InsideRoom } = await import('./insideRoom');
      return new InsideRoom(this.surroundings, tree, view);
    });
    const whenSeen = (): void => {
      if (view.visible) room.open().catch((error: unknown) => notifier.showError(error, 'loading what hooks did'));
    };
    whenSeen();
    // A copy of the plugin that an older Keepit left behind is brought up to date once the first look is over.
    const begin = model.onDidChange(() => {
      if (model.phase !== 'ready') return;
      begin.dispose();
      void this.refreshSetup();
    });
    const entries = insideCommands.map(({ id, doing }) => {
      return { id, doing, run: async (...args: unknown[]) => (await room.open()).handlers[id](args) };
    });
    return Disposable.from(
      tree,
      view,
      begin,
      view.onDidChangeVisibility(whenSeen),
      view.onDidChangeCheckboxState(({ items }) => {
        const checked = room.open().then((opened) => opened.check(items));
        checked.catch((error: unknown) => notifier.showError(error, 'switching a hook'));
      }),
      workspace.registerTextDocumentContentProvider(ACTIVITY_SCHEME, {
        provideTextDocumentContent: async (uri) => (await room.open()).textOf(uri),
      }),
      registerCommands(entries, notifier),
      room,
    );
  }

  private async refreshSetup(): Promise<void> {
    const { host, log } = this.surroundings;
    try {
      if (await (await host.memory()).setup.refresh()) log.info('The plugin for Claude Code was brought up to date.');
    } catch (error) {
      log.warn(`The plugin for Claude Code was not brought up to date: ${String(error)}`);
    }
  }
}

function rowCommand(node: TreeNode): Command | undefined {
  const { id, label, more, toggle, firing, contextValue } = node;
  if (more !== undefined) return { command: commandIds.showMoreActivity, title: 'Show More', arguments: [{ more }] };
  if (toggle !== undefined) {
    return { command: commandIds.switchHook, title: 'Switch', arguments: [{ toggle, label }] };
  }
  if (firing !== undefined) {
    return { command: commandIds.openActivity, title: 'Open', arguments: [{ firing, id, from: 'row' }] };
  }
  // A session is unfolded: to look at what was given is what people come for.
  return contextValue === 'notSetUp' ? { command: commandIds.setUpClaudeCode, title: 'Set Up Claude Code' } : undefined;
}
