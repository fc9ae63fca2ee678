import { Disposable, type TreeItemCheckboxState, type TreeView, type Uri } from 'vscode';
import type { Log } from '../../core/model/host';
import type { Formats } from '../../core/text/formats';
import type { TreeNode } from '../../core/presentation/treeNode';
import { ClaudeTerminal } from '../composition/claudeTerminal';
import { commandIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { NodeTreeProvider } from '../sessions/nodeTree';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { Settings } from '../settings';
import { ActivityCommands } from './activityCommands';
import { ChangeReview, SetupCommands } from './setupCommands';
import { HookSwitches } from './hookSwitches';
import type { InsideHandlers } from './insideCommands';
import { InsideModel } from './insideModel';
import { InsideView } from './insideView';

export interface InsideSurroundings {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: Log;
}

/** Composes all that has to do with what Keepit does inside Claude Code. Loaded on demand. */
export class InsideRoom {
  readonly handlers: InsideHandlers;
  private readonly switches: HookSwitches;
  private readonly view: InsideView;
  private readonly activity: ActivityCommands;
  private readonly owned: Disposable;

  constructor(surroundings: InsideSurroundings, tree: NodeTreeProvider, treeView: TreeView<TreeNode>) {
    const { host, settings, formats, notifier, log } = surroundings;
    const sessions = surroundings.model;
    const model = new InsideModel({ host, sessions, log, view: treeView });
    const review = new ChangeReview();
    const terminal = new ClaudeTerminal(settings, notifier);
    const setup = new SetupCommands({ host, model, review, terminal, formats, notifier });
    this.switches = new HookSwitches({ host, model, notifier });
    this.view = new InsideView({ model, sessions, tree, view: treeView, formats });
    this.activity = new ActivityCommands({ host, sessions, formats, selection: () => treeView.selection });
    this.owned = Disposable.from(this.view, model, review);
    this.handlers = {
      [commandIds.setUpClaudeCode]: () => setup.setUp(),
      [commandIds.removeFromClaudeCode]: (args) => setup.remove(args),
      [commandIds.switchHook]: (args) => this.switches.turn(args),
      [commandIds.openActivity]: (args) => this.activity.open(args),
      [commandIds.copyActivity]: (args) => this.activity.copy(args),
      [commandIds.showMoreActivity]: (args) => this.view.showMore(args),
      [commandIds.openHookLog]: () => this.activity.openLog(),
    };
  }

  /** What hooks did in the session of a row. */
  childrenOf(node: TreeNode): TreeNode[] {
    return this.view.childrenOf(node);
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
