import { Disposable, workspace, type Command } from 'vscode';
import { commandIds, ACTIVITY_SCHEME, viewIds } from '../ids';
import type { TreeNode } from '../../core/sessions/view/treeNode';
import { loadedCommands, registerCommands, type Feature, type LoadedCommands } from '../feature';
import { LazyFeature } from '../lazyFeature';
import { NodeTree } from '../watchedTree';
import type { Context } from '../context';
import type { InsideRoom } from './activityRoom';

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
const commands: LoadedCommands<InsideRoom> = {
  setUpClaudeCode: ({ setup }) => setup.setUp(),
  removeFromClaudeCode: ({ setup }, args) => setup.remove(args),
  switchHook: ({ switches }, args) => switches.turn(args),
  openActivity: ({ activity }, args) => activity.open(args),
  copyActivity: ({ activity }, args) => activity.copy(args),
  showMoreActivity: ({ tree }, args) => tree.showMore(args),
  openHookLog: ({ activity }) => activity.openLog(),
};

/** The view *Inside Claude Code* and its commands. All that they need is loaded when the view is seen, or something is asked for. */
export class InsideFeature implements Feature {
  readonly name = 'inside Claude Code';

  constructor(private readonly context: Context) {}

  register(): Disposable {
    const { model, notifier } = this.context;
    const tree: NodeTree = new NodeTree(viewIds.inside, {
      commandOf: rowCommand,
      childrenOf: async (node) => (await room.open()).tree.childrenOf(node),
      view: { manageCheckboxStateManually: true },
    });
    const { view } = tree;
    const room = new LazyFeature(async () => {
      const { InsideRoom } = await import('./activityRoom');
      return new InsideRoom(this.context, tree);
    });
    const whenSeen = () => {
      if (view.visible) room.open().catch((error: unknown) => notifier.showError(error, 'loading what hooks did'));
    };
    whenSeen();
    // A copy of the plugin that an older Keepit left behind is brought up to date once the first look is over.
    const begin = model.onDidChange(() => {
      if (model.phase !== 'ready') return;
      begin.dispose();
      void this.refreshSetup();
    });
    return Disposable.from(
      tree,
      begin,
      view.onDidChangeVisibility(whenSeen),
      view.onDidChangeCheckboxState(({ items }) => {
        const checked = room.open().then(({ switches }) => switches.check(items));
        checked.catch((error: unknown) => notifier.showError(error, 'switching a hook'));
      }),
      workspace.registerTextDocumentContentProvider(ACTIVITY_SCHEME, {
        provideTextDocumentContent: async (uri) => (await room.open()).activity.textOf(uri),
      }),
      registerCommands(
        notifier,
        loadedCommands(commands, () => room.open()),
      ),
      room,
    );
  }

  private async refreshSetup() {
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
