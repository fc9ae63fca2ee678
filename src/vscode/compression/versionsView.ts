import { Disposable, window, type TreeView } from 'vscode';
import type { Formats } from '../../core/text/formats';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { TreeNode } from '../../core/presentation/treeNode';
import { versionTree } from '../../core/presentation/versionTree';
import { ContextValues } from '../contextValues';
import type { Feature } from '../feature';
import { commandIds, contextKeys, viewIds } from '../ids';
import { NodeTreeProvider } from '../sessions/nodeTree';
import type { VersionsModel } from './versionsModel';

/** Ages such as "5 min ago" are written anew this often while the view is to be seen. */
const AGE_REFRESH_MS = 60_000;

/** The view *Versions*. All that it shows is made from the model, in one place, on every change. */
export class VersionsView implements Feature {
  readonly name = 'versions view';
  private readonly tree = new NodeTreeProvider({
    commandOf: (node) =>
      node.version === undefined
        ? undefined
        : {
            command: commandIds.openVersion,
            title: 'Open Version',
            arguments: [{ version: node.version, id: node.id, from: 'row' }],
          },
  });
  private readonly context = new ContextValues();
  private view: TreeView<TreeNode> | undefined;

  constructor(
    private readonly model: VersionsModel,
    private readonly formats: Formats,
  ) {}

  /** The rows that are selected. */
  get selection(): readonly TreeNode[] {
    return this.view?.selection ?? [];
  }

  register(): Disposable {
    const { model } = this;
    const view = window.createTreeView(viewIds.versions, {
      treeDataProvider: this.tree,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.view = view;
    this.render();
    model.want(view.visible);
    const ages = setInterval(() => {
      if (view.visible) this.render();
    }, AGE_REFRESH_MS);
    return Disposable.from(
      view,
      this.tree,
      view.onDidChangeVisibility(({ visible }) => model.want(visible)),
      model.onDidChange(() => this.render()),
      new Disposable(() => clearInterval(ages)),
    );
  }

  /** Selects a version in the view, and opens the view when it is closed. The focus stays where it is. */
  async reveal(versionId: string): Promise<void> {
    this.model.want(true);
    await this.model.lookNow();
    const row = this.tree.rows
      .flatMap(({ children }) => children)
      .find(({ version }) => version?.versionId === versionId);
    if (row !== undefined) await this.view?.reveal(row, { select: true, focus: false });
    this.model.want(this.view?.visible ?? false);
  }

  private render(): void {
    const { shown, session, problem } = this.model;
    const listing = shown?.listing;
    const nodes =
      shown === undefined || listing === undefined
        ? []
        : versionTree(listing, {
            session: { projectId: shown.session.projectId, sessionId: shown.session.sessionId },
            formats: this.formats,
            nowMs: Date.now(),
            wordsOf: (markerId) => shown.words.get(markerId),
          });
    this.tree.showChanged(nodes);
    if (this.view !== undefined) {
      this.view.description = session === undefined ? '' : titleOf(session);
      this.view.message = problem === undefined ? '' : `The versions could not be read: ${problem}`;
    }
    this.context.set({ [contextKeys.versions]: this.state() });
  }

  private state(): string {
    const { model } = this;
    if (!model.hasLooked) return 'loading';
    if (model.problem !== undefined) return 'failed';
    if (this.tree.rows.length > 0) return 'ready';
    if (model.shown === undefined) return 'noSession';
    return model.shown.listing === undefined ? 'notInMemory' : 'empty';
  }
}
