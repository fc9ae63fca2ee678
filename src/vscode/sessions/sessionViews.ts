import {
  DataTransferItem,
  Disposable,
  EventEmitter,
  window,
  type DataTransfer,
  type TreeDragAndDropController,
  type Event,
} from 'vscode';
import { draggedText, sessionsIn, SESSIONS_MIME, type TreeNode } from '../../core/sessions/view/treeNode';
import type { SessionRef } from '../../core/sessions/results';
import { type Formats, joinParts } from '../../core/text/formats';
import { expiringSessions } from '../../core/sessions/view/memoryDialogs';
import { suggestedRows } from '../../core/search/view/suggestedRows';
import { isShown, projectTree, sessionTree, subAgentNode } from '../../core/sessions/view/sessionTree';
import type { Feature } from '../feature';
import { commandIds, contextKeys, viewIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { Settings } from '../settings';
import { ContextValues, NodeTree } from '../watchedTree';
import type { SessionsModel } from './sessionsModel';

/** Sessions can be dragged out of their view: into compositions. */
class SessionDrag implements TreeDragAndDropController<TreeNode> {
  readonly dragMimeTypes = [SESSIONS_MIME];
  readonly dropMimeTypes: readonly string[] = [];

  handleDrag(rows: readonly TreeNode[], transfer: DataTransfer): void {
    const sessions = rows.flatMap(({ kind, session, children }) => {
      if (kind === 'session') return session === undefined ? [] : [session];
      return kind === 'month' ? children.flatMap((child) => child.session ?? []) : [];
    });
    transfer.set(SESSIONS_MIME, new DataTransferItem(draggedText(sessions)));
  }
}

/** Takes sessions in that were dragged here. */
export class SessionDrop implements TreeDragAndDropController<TreeNode> {
  readonly dragMimeTypes: readonly string[] = [];
  readonly dropMimeTypes = [SESSIONS_MIME];

  constructor(private readonly onDrop: (row: TreeNode | undefined, sessions: readonly SessionRef[]) => Promise<void>) {}

  async handleDrop(row: TreeNode | undefined, transfer: DataTransfer): Promise<void> {
    // Under one name there may be two: what VS Code says of the rows, and what we do.
    const sessions = new Map<string, SessionRef>();
    for (const [, item] of transfer) {
      for (const session of sessionsIn(await item.asString())) sessions.set(session.sessionId, session);
    }
    if (sessions.size > 0) await this.onDrop(row, [...sessions.values()]);
  }
}

export interface SessionViewsOptions {
  readonly model: SessionsModel;
  readonly host: MemoryHost;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
}

const SAMPLE_BANNER = 'This window shows a sample memory; your own is untouched. Close the window to leave.';

/** The views *Projects* and *Sessions*. All that they show is made from the model, in one place, on every change. */
export class SessionViews implements Feature {
  readonly name = 'views';
  private readonly projects = new NodeTree(viewIds.projects, {
    commandOf: ({ projectId }) => ({
      command: commandIds.selectProject,
      title: 'Show Sessions',
      arguments: [projectId],
    }),
    view: { showCollapseAll: false, canSelectMany: false },
  });
  private readonly sessions = new NodeTree(viewIds.sessions, {
    commandOf: (node) =>
      node.session === undefined || node.contextValue.includes('problem')
        ? undefined
        : { command: commandIds.openTranscript, title: 'Open Transcript', arguments: [node] },
    childrenOf: (node) => this.subAgents(node),
    view: { dragAndDropController: new SessionDrag() },
  });
  private readonly context = new ContextValues();
  private readonly selected = new EventEmitter<void>();
  private suggested: Parameters<typeof suggestedRows>[0] = [];

  /** Fires when other rows are selected in the sessions view. */
  readonly onDidSelect: Event<void> = this.selected.event;

  constructor(private readonly options: SessionViewsOptions) {}

  /** The rows that are selected in the sessions view. */
  get selection(): readonly TreeNode[] {
    return this.sessions.view.selection;
  }

  /** The one session that is selected. */
  get selectedSession(): SessionRef | undefined {
    const [row, ...others] = this.selection;
    return others.length > 0 ? undefined : row?.session;
  }

  /** Whether somebody sees the sessions, now and from now on. */
  whenSessionsSeen(follow: (isVisible: boolean) => void): Disposable {
    const { view } = this.sessions;
    follow(view.visible);
    return view.onDidChangeVisibility(({ visible }) => follow(visible));
  }

  /** Shows these below all others. */
  suggest(suggested: Parameters<typeof suggestedRows>[0]): void {
    this.suggested = suggested;
    this.render();
  }

  register(): Disposable {
    const { model, settings, notifier } = this.options;
    const { projects, sessions } = this;
    const [projectsView, sessionsView] = [projects.view, sessions.view];
    const whenSeen = () => {
      if (projectsView.visible || sessionsView.visible) void this.lookAtAll();
    };
    whenSeen();
    return Disposable.from(
      projects,
      sessions,
      this.selected,
      projects.whileSeen(() => this.render()),
      sessions.whileSeen(() => {
        if (!projectsView.visible) this.render();
      }),
      sessionsView.onDidChangeSelection(() => this.selected.fire()),
      projectsView.onDidChangeVisibility(whenSeen),
      sessionsView.onDidChangeVisibility(whenSeen),
      model.onDidChange(() => this.render()),
      model.onDidFail((error) => notifier.showError(error, 'reading your sessions')),
      settings.onDidChange((names) => {
        if (names.has('retentionWarningDays')) this.render();
      }),
    );
  }

  /** The first look at all projects shows its progress where they will appear. */
  private async lookAtAll() {
    const { model } = this.options;
    await window.withProgress({ location: { viewId: viewIds.projects } }, () => model.wantAll());
    await model.countExactly();
  }

  private async subAgents({ session }: TreeNode): Promise<TreeNode[]> {
    const { host, formats, notifier } = this.options;
    if (session === undefined) return [];
    try {
      const agents = await host.service.sessions.subAgents(session);
      return agents.map((agent) => subAgentNode(session, agent, formats));
    } catch (error) {
      notifier.showError(error, 'reading sub-agents');
      return [];
    }
  }

  private render() {
    const { model, settings, formats } = this.options;
    const { defaultView: view, showTokenEstimates: showsEstimates } = model.ui;
    const context = { formats, nowMs: Date.now(), warningDays: settings.retentionWarningDays, showsEstimates };
    const shown = model.shownProject;
    const current = model.currentProject?.projectId;
    this.projects.showChanged(
      projectTree(
        model.projects.filter((project) => project.sessions.some(isShown) || project.problem !== undefined),
        {
          ...context,
          ...(current !== undefined && { currentProjectId: current }),
          ...(shown !== undefined && { shownProjectId: shown.projectId }),
        },
      ),
    );
    const rows = shown === undefined ? [] : sessionTree(shown, { ...context, view });
    const group = suggestedRows(this.suggested, (ref) => model.find(ref), context);
    // It comes later than the sessions: above them it would move what somebody is about to click on.
    this.sessions.showChanged([...rows, ...group]);
    this.describe();
    this.setContext();
  }

  private describe() {
    const { model, host, settings } = this.options;
    const { isSample } = host;
    const [projects, view] = [this.projects.view, this.sessions.view];
    projects.message = isSample ? SAMPLE_BANNER : '';
    projects.description = isSample ? 'Sample memory' : '';
    const project = model.shownProject;
    view.description = joinParts([project?.displayName, isSample ? 'sample' : '']);
    const losing = project === undefined ? 0 : expiringSessions(project, settings.retentionWarningDays).length;
    const tooltip = `${losing === 1 ? '1 session is' : `${losing} sessions are`} about to be deleted by Claude Code`;
    view.badge = losing === 0 ? undefined : { value: losing, tooltip };
  }

  private setContext() {
    const { host } = this.options;
    this.context.set({
      [contextKeys.projects]: this.projectsState(),
      [contextKeys.sessions]: this.sessionsState(),
      [contextKeys.isSample]: host.isSample,
    });
  }

  private projectsState(): string {
    const { model } = this.options;
    if (model.phase === 'failed') return 'failed';
    if (model.phase !== 'ready') return 'loading';
    if (this.projects.rows.length > 0) return 'ready';
    return model.isFolderMissing ? 'noFolder' : 'empty';
  }

  private sessionsState(): string {
    const { model } = this.options;
    if (model.phase === 'idle' || model.phase === 'loading') return 'loading';
    const project = model.shownProject;
    if (project === undefined) return 'noProject';
    return this.sessions.rows.length > 0 ? 'ready' : 'empty';
  }
}
