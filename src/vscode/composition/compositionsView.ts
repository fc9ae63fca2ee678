import { commands, Disposable, window, type TreeView } from 'vscode';
import { compositionTree } from '../../core/presentation/compositionTree';
import type { Formats } from '../../core/text/formats';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { CompositionRef, TreeNode } from '../../core/presentation/treeNode';
import type { SessionRef } from '../../core/sessions/results';
import type { Feature } from '../feature';
import { commandIds, contextKeys, viewIds } from '../ids';
import { NodeTreeProvider } from '../sessions/nodeTree';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { CompositionsModel } from './compositionsModel';
import { SessionDrop } from './sessionDrop';

export interface CompositionsViewOptions {
  readonly model: CompositionsModel;
  readonly sessions: SessionsModel;
  readonly formats: Formats;
  /** Sessions were dropped on a composition, or beside all of them. */
  readonly onDrop: (target: CompositionRef | undefined, sessions: readonly SessionRef[]) => Promise<void>;
}

/** Ages such as "5 min ago" are written anew this often while the view is to be seen. */
const AGE_REFRESH_MS = 60_000;

/** The view *Compositions*. All that it shows is made from the model, in one place, on every change. */
export class CompositionsView implements Feature {
  readonly name = 'compositions view';
  private readonly tree = new NodeTreeProvider({
    commandOf: (node) => {
      if (node.composition !== undefined) {
        const argument = { composition: node.composition, id: node.id, from: 'row' };
        return { command: commandIds.openComposition, title: 'Open Composition', arguments: [argument] };
      }
      return { command: commandIds.openTranscript, title: 'Open Transcript', arguments: [node] };
    },
  });
  private state: string | undefined;
  private view: TreeView<TreeNode> | undefined;

  constructor(private readonly options: CompositionsViewOptions) {}

  /** The rows that are selected. */
  get selection(): readonly TreeNode[] {
    return this.view?.selection ?? [];
  }

  register(): Disposable {
    const { model, sessions, onDrop } = this.options;
    const view = window.createTreeView(viewIds.compositions, {
      treeDataProvider: this.tree,
      showCollapseAll: true,
      canSelectMany: true,
      dragAndDropController: new SessionDrop((row, refs) => onDrop(row?.composition, refs)),
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
      sessions.onDidChange(() => this.render()),
      new Disposable(() => clearInterval(ages)),
    );
  }

  private render(): void {
    const { model, sessions, formats } = this.options;
    this.tree.showChanged(
      compositionTree(model.compositions, {
        formats,
        nowMs: Date.now(),
        armed: model.armed,
        titleOf: (ref) => {
          const session = sessions.find(ref);
          return session === undefined ? undefined : titleOf(session);
        },
      }),
    );
    if (this.view !== undefined) {
      this.view.description = sessions.shownProject?.displayName ?? '';
      this.view.message = model.problem === undefined ? '' : `The compositions could not be read: ${model.problem}`;
    }
    this.setState();
  }

  private setState(): void {
    const { model, sessions } = this.options;
    const state = !model.hasLooked
      ? 'loading'
      : sessions.shownProject === undefined
        ? 'noProject'
        : model.compositions.length > 0 || model.problem !== undefined
          ? 'ready'
          : 'empty';
    if (state === this.state) return;
    this.state = state;
    void commands.executeCommand('setContext', contextKeys.compositions, state);
  }
}
