import { Disposable, workspace, type Command } from 'vscode';
import { commandIds, ACTIVITY_SCHEME, viewIds } from '../ids';
import type { TreeNode } from '../../core/presentation/treeNode';
import { registerCommands, type Feature } from '../feature';
import { LazyRoom } from '../lazyRoom';
import { NodeTree } from '../watchedTree';
import type { Context } from '../context';

/** The commands of what Keepit does inside Claude Code, and what each is called while it runs. */
export const insideCommands = [
  { id: commandIds.setUpClaudeCode, doing: 'setting up Claude Code' },
  { id: commandIds.removeFromClaudeCode, doing: 'removing Keepit from Claude Code' },
  { id: commandIds.switchHook, doing: 'switching a hook' },
  { id: commandIds.openActivity, doing: 'opening what a hook did' },
  { id: commandIds.copyActivity, doing: 'copying' },
  { id: commandIds.showMoreActivity, doing: 'showing more' },
  { id: commandIds.openHookLog, doing: 'opening the log of hooks' },
] as const;

export type InsideCommandId = (typeof insideCommands)[number]['id'];

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
export type InsideHandlers = Readonly<Record<InsideCommandId, (args: readonly unknown[]) => unknown>>;

/** The view *Inside Claude Code* and its commands. All that they need is loaded when the view is seen, or something is asked for. */
export class InsideFeature implements Feature {
  readonly name = 'inside Claude Code';

  constructor(private readonly context: Context) {}

  register(): Disposable {
    const { model, notifier } = this.context;
    const tree: NodeTree = new NodeTree(viewIds.inside, {
      commandOf: rowCommand,
      childrenOf: async (node) => (await room.open()).childrenOf(node),
      view: { manageCheckboxStateManually: true },
    });
    const { view } = tree;
    const room = new LazyRoom(async () => {
      const { InsideRoom } = await import('./insideRoom');
      return new InsideRoom(this.context, tree);
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
    const { host, log } = this.context;
    try {
      if (await (await host.memory()).service.setup.refresh())
        log.info('The plugin for Claude Code was brought up to date.');
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
