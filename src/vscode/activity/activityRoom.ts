import { Disposable, type TreeItemCheckboxState, type Uri } from 'vscode';
import type { TreeNode } from '../../core/sessions/view/treeNode';
import { ClaudeTerminal } from '../composition/claudeTerminal';
import type { Context } from '../context';
import type { NodeTree } from '../watchedTree';
import { ActivityCommands } from './activityCommands';
import { ChangeReview, SetupCommands } from './setupCommands';
import { HookSwitches, InsideTree } from './activityTree';
import type { InsideHandlers } from './activityFeature';

/** Composes all that has to do with what Keepit does inside Claude Code. Loaded on demand. */
export class InsideRoom {
  readonly handlers: InsideHandlers;
  private readonly tree: InsideTree;
  private readonly switches: HookSwitches;
  private readonly activity: ActivityCommands;
  private readonly owned: Disposable;

  constructor(context: Context, nodes: NodeTree) {
    const tree = new InsideTree(context, nodes);
    const review = new ChangeReview();
    const terminal = new ClaudeTerminal(context.settings, context.notifier);
    const setup = new SetupCommands(context, tree, review, terminal);
    this.tree = tree;
    this.switches = new HookSwitches(context, tree);
    this.activity = new ActivityCommands(context, tree);
    this.owned = Disposable.from(tree, review);
    this.handlers = {
      setUpClaudeCode: () => setup.setUp(),
      removeFromClaudeCode: (args) => setup.remove(args),
      switchHook: (args) => this.switches.turn(args),
      openActivity: (args) => this.activity.open(args),
      copyActivity: (args) => this.activity.copy(args),
      showMoreActivity: (args) => this.tree.showMore(args),
      openHookLog: () => this.activity.openLog(),
    };
  }

  /** What hooks did in the session of a row. */
  childrenOf(node: TreeNode): TreeNode[] {
    return this.tree.childrenOf(node);
  }

  /** What a hook did, as a document. */
  textOf(uri: Uri): Promise<string> {
    return this.activity.textOf(uri);
  }

  /** Boxes that were checked and unchecked. */
  async check(items: readonly (readonly [TreeNode, TreeItemCheckboxState])[]): Promise<void> {
    for (const [node, state] of items) await this.switches.set(node, state);
  }

  dispose(): void {
    this.owned.dispose();
  }
}
