import { commands, Disposable, QuickPickItemKind, window, type QuickPickItem, type TreeView } from 'vscode';
import { weightPresets } from '../../core/keepits/weights';
import type { Formats } from '../../core/text/formats';
import {
  describeKeepitFilter,
  isFilteringKeepits,
  noKeepitFilter,
  type KeepitFilter,
} from '../../core/presentation/keepitFilter';
import { presetTitle } from '../../core/presentation/keepitOutlook';
import { keepitTree } from '../../core/presentation/keepitTree';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { TreeNode } from '../../core/presentation/treeNode';
import { registerCommands, type Feature } from '../feature';
import { ContextValues } from '../contextValues';
import { pickFilter } from '../filterPicker';
import { commandIds, contextKeys, viewIds } from '../ids';
import type { Notifier } from '../notifier';
import { NodeTreeProvider } from '../sessions/nodeTree';
import type { KeepitsModel } from './keepitsModel';

export interface KeepitsViewOptions {
  readonly model: KeepitsModel;
  readonly formats: Formats;
  readonly notifier: Notifier;
}

interface WeightItem extends QuickPickItem {
  readonly least?: KeepitFilter['least'];
}

/** The view *Keepits*. All that it shows is made from the model, in one place, on every change. */
export class KeepitsView implements Feature {
  readonly name = 'keepits view';
  private readonly tree = new NodeTreeProvider({
    commandOf: (node) =>
      node.keepit === undefined
        ? undefined
        : {
            command: commandIds.openKeepit,
            title: 'Go to Keepit',
            arguments: [{ keepit: node.keepit, id: node.id, from: 'row' }],
          },
  });
  private readonly context = new ContextValues();
  private view: TreeView<TreeNode> | undefined;

  constructor(private readonly options: KeepitsViewOptions) {}

  /** The rows that are selected. */
  get selection(): readonly TreeNode[] {
    return this.view?.selection ?? [];
  }

  register(): Disposable {
    const { model, notifier } = this.options;
    const view = window.createTreeView(viewIds.keepits, {
      treeDataProvider: this.tree,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.view = view;
    this.render();
    model.want(view.visible);
    return Disposable.from(
      view,
      this.tree,
      view.onDidChangeVisibility(({ visible }) => model.want(visible)),
      model.onDidChange(() => this.render()),
      registerCommands(
        [
          { id: commandIds.filterKeepits, doing: 'filtering keepits', run: () => this.filter() },
          { id: commandIds.clearKeepitFilter, doing: 'filtering keepits', run: () => model.setFilter(noKeepitFilter) },
          {
            id: commandIds.showProjectKeepits,
            doing: 'showing keepits',
            run: () => model.showWholeProject(true),
          },
          {
            id: commandIds.showSessionKeepits,
            doing: 'showing keepits',
            run: () => model.showWholeProject(false),
          },
        ],
        notifier,
      ),
    );
  }

  private render(): void {
    const { model, formats } = this.options;
    const { scope, filter, rows } = model;
    const isOneSession = scope?.session !== undefined;
    this.tree.show(keepitTree(rows, { formats, filter, isOneSession }));
    const { view } = this;
    if (view !== undefined) {
      view.description = scope?.session === undefined ? (scope?.project.displayName ?? '') : titleOf(scope.session);
      // A message would take the place of the welcome text that says what to do when nothing matches.
      const isFiltered = isFilteringKeepits(filter) && this.tree.rows.length > 0;
      view.message = isFiltered ? `Filter: ${describeKeepitFilter(filter)}` : '';
    }
    this.context.set({
      [contextKeys.keepits]: this.state(),
      [contextKeys.isFilteringKeepits]: isFilteringKeepits(filter),
      [contextKeys.isWholeProject]: model.isWholeProject,
    });
  }

  private state(): string {
    const { model } = this.options;
    if (!model.hasLooked) return 'loading';
    if (this.tree.rows.length > 0) return 'ready';
    if (model.scope === undefined) return 'noProject';
    if (model.rows.length > 0) return 'nothingMatches';
    return model.scope.session === undefined ? 'empty' : 'emptySession';
  }

  /** Narrows the view while the words are typed; the list below them narrows by weight. Escape brings the old filter back. */
  private async filter(): Promise<void> {
    const { model } = this.options;
    const before = model.filter;
    const picked = await pickFilter<WeightItem>({
      title: 'Keepit: Filter Keepits',
      placeholder: 'Words of what is marked, or of the session’s title; then choose how heavy',
      text: before.text,
      items: weightItems,
      isActive: ({ kind, least }) => kind === undefined && least === before.least,
      onText: (text) => model.setFilter({ ...model.filter, text }),
    });
    model.setFilter(picked === undefined ? before : { text: picked.text, least: picked.item?.least });
    if (picked !== undefined) await commands.executeCommand(`${viewIds.keepits}.focus`);
  }
}

const weightItems: readonly WeightItem[] = [
  { label: 'All weights' },
  { label: 'At least', kind: QuickPickItemKind.Separator },
  ...weightPresets.map(({ name, weight }) => ({
    label: name === 'pinned' ? 'Pinned only' : `${presetTitle(name)} and above`,
    description: weight.toFixed(2),
    least: name,
  })),
];
