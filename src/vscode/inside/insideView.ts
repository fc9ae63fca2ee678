import type { Disposable, TreeView } from 'vscode';
import * as z from 'zod/mini';
import { oneLine } from '../../core/text/cleanText';
import type { Formats } from '../../core/text/formats';
import { firingRows, insideSummary, insideTree, type InsideTreeOptions } from '../../core/presentation/insideTree';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { TreeNode } from '../../core/presentation/treeNode';
import { ContextValues } from '../contextValues';
import { contextKeys } from '../ids';
import type { NodeTreeProvider } from '../sessions/nodeTree';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { InsideModel } from './insideModel';

export interface InsideViewOptions {
  readonly model: InsideModel;
  readonly sessions: SessionsModel;
  readonly tree: NodeTreeProvider;
  readonly view: TreeView<TreeNode>;
  readonly formats: Formats;
}

const moreSchema = z.object({ more: z.string() });
const PROBLEM_LENGTH = 200;
/** Ages such as "5 min ago" are written anew this often while the view is to be seen. */
const AGE_REFRESH_MS = 60_000;

/** What the view *Inside Claude Code* shows, made from the model, in one place, on every change. */
export class InsideView implements Disposable {
  private readonly context = new ContextValues();
  private readonly subscription: Disposable;
  private readonly ages: NodeJS.Timeout;

  constructor(private readonly options: InsideViewOptions) {
    this.subscription = options.model.onDidChange(() => this.render());
    this.ages = setInterval(() => {
      if (options.view.visible) this.render();
    }, AGE_REFRESH_MS);
    this.render();
  }

  showMore([row]: readonly unknown[]): void {
    const parsed = moreSchema.safeParse(row);
    if (parsed.success) this.options.model.showMore(parsed.data.more);
  }

  /** What hooks did in a session. */
  childrenOf({ session }: TreeNode): TreeNode[] {
    const found = this.options.model.content?.sessions.find(({ sessionId }) => sessionId === session?.sessionId);
    return found === undefined ? [] : firingRows(found, this.treeOptions());
  }

  dispose(): void {
    clearInterval(this.ages);
    this.subscription.dispose();
  }

  private render(): void {
    const { model, tree, view, formats } = this.options;
    const { content, problem } = model;
    const rows = content === undefined ? [] : insideTree(content, this.treeOptions());
    // All that hooks did in a session is in the figures and the tooltip of its row.
    tree.showChanged(rows, model.revision);
    view.description = content === undefined ? '' : insideSummary(content, formats);
    view.message = problem === undefined ? '' : `What hooks did cannot be read: ${oneLine(problem, PROBLEM_LENGTH)}`;
    this.context.set({
      [contextKeys.inside]: this.state(),
      [contextKeys.isSetUp]: (content?.setup.installs.length ?? 0) > 0,
    });
  }

  private state(): string {
    const { model, tree } = this.options;
    if (model.problem !== undefined) return 'failed';
    if (model.content === undefined) return 'loading';
    return tree.rows.length === 0 ? 'notSetUp' : 'ready';
  }

  private treeOptions(): InsideTreeOptions {
    const { model, sessions, formats } = this.options;
    return {
      formats,
      nowMs: Date.now(),
      folder: model.project?.originalPath,
      limitOf: (group) => model.limitOf(group),
      titleOf: (ref) => {
        const session = sessions.find(ref);
        return session === undefined ? undefined : titleOf(session);
      },
    };
  }
}
