import {
  commands,
  Disposable,
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  window,
  type Command,
  type Event,
  type TreeDataProvider,
  type TreeView,
  type TreeViewOptions,
} from 'vscode';
import * as z from 'zod/mini';
import type { Log } from '../core/model/host';
import type { NodeIcon, TreeNode } from '../core/sessions/view/treeNode';
import { errorText } from '../core/text/keepitError';
import type { Memory } from '../node/createMemory';
import { VisibleRefresh } from './visibleRefresh';
import type { MemoryHost } from './memory/memoryHost';

const collapsibleStates: Record<TreeNode['fold'], TreeItemCollapsibleState> = {
  none: TreeItemCollapsibleState.None,
  collapsed: TreeItemCollapsibleState.Collapsed,
  expanded: TreeItemCollapsibleState.Expanded,
};

/** Ages such as "5 min ago" are written anew this often while a view is to be seen. */
const AGE_REFRESH_MS = 60_000;

export interface NodeTreeOptions {
  /** What a click on a row does. */
  readonly commandOf: (node: TreeNode) => Command | undefined;
  /** The children of a foldable row that came without them; called when it is unfolded. */
  readonly childrenOf?: (node: TreeNode) => Promise<TreeNode[]>;
  /** What is special about the view. */
  readonly view?: Partial<TreeViewOptions<TreeNode>>;
}

/** A view of rows that the core has computed; it decides nothing about them. */
export class NodeTree implements TreeDataProvider<TreeNode>, Disposable {
  private readonly changed = new EventEmitter<void>();
  private roots: readonly TreeNode[] = [];
  private shown: string | undefined;
  private parents = new Map<string, TreeNode>();
  readonly onDidChangeTreeData: Event<void> = this.changed.event;
  readonly view: TreeView<TreeNode>;

  constructor(
    viewId: string,
    private readonly options: NodeTreeOptions,
  ) {
    const usual = { treeDataProvider: this, showCollapseAll: true, canSelectMany: true };
    this.view = window.createTreeView(viewId, { ...usual, ...options.view });
  }

  get rows(): readonly TreeNode[] {
    return this.roots;
  }

  /**
   * As `show`, but rows that are as they were stay: renewed ones would be unknown to a menu that was opened on them. `more` is what else
   * their children depend on.
   */
  showChanged(roots: readonly TreeNode[], more?: unknown): void {
    const text = JSON.stringify([roots, more]);
    if (text === this.shown) return;
    this.show(roots);
    this.shown = text;
  }

  show(roots: readonly TreeNode[]): void {
    this.shown = undefined;
    this.roots = roots;
    this.parents = new Map(roots.flatMap((root) => root.children.map((child) => [child.id, root] as const)));
    this.changed.fire();
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node === undefined) return [...this.roots];
    if (node.children.length > 0 || node.fold === 'none') return [...node.children];
    const children = (await this.options.childrenOf?.(node)) ?? [];
    for (const child of children) this.parents.set(child.id, node);
    return children;
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.parentOf(node.id);
  }

  parentOf(id: string): TreeNode | undefined {
    return this.parents.get(id);
  }

  getTreeItem(node: TreeNode): TreeItem {
    const item = new TreeItem(node.label, collapsibleStates[node.fold]);
    item.id = node.id;
    item.description = node.description;
    item.contextValue = node.contextValue;
    item.accessibilityInformation = { label: node.spoken };
    item.tooltip = new MarkdownString(node.tooltip, true);
    if (node.icon !== undefined) item.iconPath = themeIcon(node.icon);
    if (node.toggle !== undefined) {
      item.checkboxState = node.toggle.isOn ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked;
    }
    const command = this.options.commandOf(node);
    if (command !== undefined) item.command = command;
    return item;
  }

  /** Calls this now and then while the view is seen: rows say how long ago something was. */
  whileSeen(render: () => void): Disposable {
    const ages = setInterval(() => {
      if (this.view.visible) render();
    }, AGE_REFRESH_MS);
    return new Disposable(() => clearInterval(ages));
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }
}

function themeIcon({ id, color }: NodeIcon): ThemeIcon {
  return color === undefined ? new ThemeIcon(id) : new ThemeIcon(id, new ThemeColor(color));
}

/** Tells VS Code what `when` clauses ask for; only what has changed. */
export class ContextValues {
  private readonly told = new Map<string, string | boolean>();

  set(values: Readonly<Record<string, string | boolean>>): void {
    for (const [key, value] of Object.entries(values)) {
      if (this.told.get(key) === value) continue;
      this.told.set(key, value);
      void commands.executeCommand('setContext', key, value);
    }
  }
}

export interface WatchedTreeOptions {
  readonly host: MemoryHost;
  readonly log: Log;
  readonly tree: NodeTree;
  /** For the log, when it cannot be read. */
  readonly what: string;
  readonly settleMs?: number;
}

/**
 * A view of something in memory. It is read while somebody sees the view, and again when this window, another one, a hook or the command
 * line has changed it. All that is shown is made of what was read last, in one place, on every change.
 */
export abstract class WatchedTree<T> implements Disposable {
  protected readonly tree: NodeTree;
  protected readonly contextValues = new ContextValues();
  protected readonly whenVisible: VisibleRefresh;
  /** What was read last; undefined before, and after a failure. */
  protected found: T | undefined;
  /** Why it could not be read. */
  protected problem: string | undefined;
  protected hasLooked = false;
  private readonly subscriptions: Disposable[] = [];

  protected constructor(private readonly watched: WatchedTreeOptions) {
    this.tree = watched.tree;
    this.whenVisible = new VisibleRefresh((isSuperseded) => this.look(isSuperseded), watched.settleMs);
  }

  /** The rows that are selected. */
  get selection(): readonly TreeNode[] {
    return this.tree.view.selection;
  }

  dispose(): void {
    this.whenVisible.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  protected abstract read(memory: Memory, isSuperseded: () => boolean): Promise<T>;
  /** Follows what others write of what was read. */
  protected abstract follow(memory: Memory, found: T): void;
  protected abstract render(): void;

  /** From now on the view shows it; with `isAlwaysWanted` it is read also while nobody sees the view. */
  protected begin(subscriptions: readonly Disposable[], { isAlwaysWanted = false } = {}): void {
    const { tree, whenVisible } = this;
    const { view } = tree;
    this.subscriptions.push(
      ...subscriptions,
      tree.whileSeen(() => this.render()),
      view.onDidChangeVisibility(({ visible }) => {
        if (!isAlwaysWanted) whenVisible.setVisible(visible);
      }),
      this.watched.host.onDidChange(() => this.forget()),
    );
    this.render();
    whenVisible.setVisible(view.visible || isAlwaysWanted);
  }

  /** What was read is of another memory. */
  protected forget(): void {
    this.found = undefined;
    this.hasLooked = false;
    this.whenVisible.lookSoon();
  }

  /** What is left of what was read before. */
  protected afterFailure(): T | undefined {
    return undefined;
  }

  private async look(isSuperseded: () => boolean) {
    const { host, log, what } = this.watched;
    try {
      const memory = await host.memory();
      const found = await this.read(memory, isSuperseded);
      if (isSuperseded()) return;
      this.problem = undefined;
      this.found = found;
      this.follow(memory, found);
    } catch (error) {
      if (isSuperseded()) return;
      log.warn(`${what} could not be read: ${errorText(error)}`);
      this.problem = errorText(error);
      this.found = this.afterFailure();
    }
    this.hasLooked = true;
    this.render();
  }
}

/** What a click on a row passes, and nothing else; `id` is the row's own. */
const clickSchema = z.object({ from: z.literal('row'), id: z.string() });
/** What our own key bindings pass. */
const keySchema = z.object({ from: z.literal('selection') });

/** VS Code does not tell a view whether its row was clicked once or twice: the command of the row is simply run twice. */
const DOUBLE_CLICK_MS = 600;

/** Tells clicks that look from clicks that go, as in the search view: the first one leaves the focus in the list. */
export class RowClicks {
  private last: { id: string; atMs: number } | undefined;

  /** Whether this is a single click on a row, or the first of two. */
  isFirst(argument: unknown): boolean {
    const row = clickSchema.safeParse(argument);
    if (!row.success) return false;
    const { id } = row.data;
    const atMs = performance.now();
    const isSecond = this.last?.id === id && atMs - this.last.atMs < DOUBLE_CLICK_MS;
    this.last = isSecond ? undefined : { id, atMs };
    return !isSecond;
  }
}

/** Whether a key was pressed in the view: on a row of another kind that means nothing, and is no mistake. */
export function isFromKey(argument: unknown): boolean {
  return keySchema.safeParse(argument).success;
}

/**
 * The rows that a command is about: for a key those that are selected, for a menu the rows that it was opened on, else what the command was
 * called with. Undefined when it was called with nothing, as from the palette.
 */
export function rowsMeant(
  [first, rows]: readonly unknown[],
  selection: readonly unknown[],
): readonly unknown[] | undefined {
  if (isFromKey(first)) return selection;
  const many: readonly unknown[] = Array.isArray(rows) ? rows : [];
  if (many.length > 0) return many;
  return first === undefined ? undefined : [first];
}
