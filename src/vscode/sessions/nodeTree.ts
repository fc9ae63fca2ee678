import {
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  type Command,
  type Disposable,
  type Event,
  type TreeDataProvider,
} from 'vscode';
import type { NodeIcon, TreeNode } from '../../core/presentation/treeNode';

const collapsibleStates: Record<TreeNode['fold'], TreeItemCollapsibleState> = {
  none: TreeItemCollapsibleState.None,
  collapsed: TreeItemCollapsibleState.Collapsed,
  expanded: TreeItemCollapsibleState.Expanded,
};

export interface NodeTreeOptions {
  /** What a click on a row does. */
  readonly commandOf: (node: TreeNode) => Command | undefined;
  /** The children of a foldable row that came without them; called when it is unfolded. */
  readonly childrenOf?: (node: TreeNode) => Promise<TreeNode[]>;
}

/** Shows rows that the core has computed; it decides nothing about them. */
export class NodeTreeProvider implements TreeDataProvider<TreeNode>, Disposable {
  private readonly changed = new EventEmitter<void>();
  private roots: readonly TreeNode[] = [];
  private shown: string | undefined;
  private parents = new Map<string, TreeNode>();
  readonly onDidChangeTreeData: Event<void> = this.changed.event;

  constructor(private readonly options: NodeTreeOptions) {}

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

  dispose(): void {
    this.changed.dispose();
  }
}

function themeIcon({ id, color }: NodeIcon): ThemeIcon {
  return color === undefined ? new ThemeIcon(id) : new ThemeIcon(id, new ThemeColor(color));
}
