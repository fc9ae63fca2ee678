import { Disposable, EventEmitter, window, type Event, type TreeView } from 'vscode';
import type { Formats } from '../../core/text/formats';
import { expiringSessions } from '../../core/presentation/memoryDialogs';
import {
  describeFilter,
  isFiltering,
  isShown,
  projectTree,
  sessionTree,
  subAgentNode,
} from '../../core/presentation/sessionTree';
import type { TreeNode } from '../../core/presentation/treeNode';
import { SessionDrag } from '../composition/sessionDrop';
import { ContextValues } from '../contextValues';
import type { Feature } from '../feature';
import { commandIds, contextKeys, viewIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { Settings } from '../settings';
import { NodeTreeProvider } from './nodeTree';
import type { SessionsModel } from './sessionsModel';

export interface SessionViewsOptions {
  readonly model: SessionsModel;
  readonly host: MemoryHost;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
}

/** Ages such as "5 min ago" are written anew this often while a view is to be seen. */
const AGE_REFRESH_MS = 60_000;

const SAMPLE_BANNER = 'This window shows a sample memory; your own is untouched. Close the window to leave.';

/** The views *Projects* and *Sessions*. All that they show is made from the model, in one place, on every change. */
export class SessionViews implements Feature {
  readonly name = 'views';
  private readonly projects = new NodeTreeProvider({
    commandOf: (node) => ({
      command: commandIds.selectProject,
      title: 'Show Sessions',
      arguments: [node.projectId],
    }),
  });
  private readonly sessions = new NodeTreeProvider({
    commandOf: (node) =>
      node.session === undefined || node.contextValue.includes('problem')
        ? undefined
        : { command: commandIds.openTranscript, title: 'Open Transcript', arguments: [node] },
    childrenOf: (node) => this.subAgents(node),
  });
  private readonly context = new ContextValues();
  private readonly selected = new EventEmitter<void>();
  private projectsView: TreeView<TreeNode> | undefined;
  private sessionsView: TreeView<TreeNode> | undefined;

  /** Fires when other rows are selected in the sessions view. */
  readonly onDidSelect: Event<void> = this.selected.event;

  constructor(private readonly options: SessionViewsOptions) {}

  /** The rows that are selected in the sessions view. */
  get selection(): readonly TreeNode[] {
    return this.sessionsView?.selection ?? [];
  }

  register(): Disposable {
    const { model, settings, notifier } = this.options;
    const projectsView = window.createTreeView(viewIds.projects, { treeDataProvider: this.projects });
    const sessionsView = window.createTreeView(viewIds.sessions, {
      treeDataProvider: this.sessions,
      showCollapseAll: true,
      canSelectMany: true,
      dragAndDropController: new SessionDrag(),
    });
    this.projectsView = projectsView;
    this.sessionsView = sessionsView;
    const ages = setInterval(() => {
      if (projectsView.visible || sessionsView.visible) this.render();
    }, AGE_REFRESH_MS);
    const whenSeen = (): void => {
      if (projectsView.visible || sessionsView.visible) void this.lookAtAll();
    };
    whenSeen();
    return Disposable.from(
      projectsView,
      sessionsView,
      this.projects,
      this.sessions,
      this.selected,
      sessionsView.onDidChangeSelection(() => this.selected.fire()),
      projectsView.onDidChangeVisibility(whenSeen),
      sessionsView.onDidChangeVisibility(whenSeen),
      model.onDidChange(() => this.render()),
      model.onDidFail((error) => notifier.showError(error, 'reading your sessions')),
      settings.onDidChange((names) => {
        if (names.has('retentionWarningDays')) this.render();
      }),
      new Disposable(() => clearInterval(ages)),
    );
  }

  /** The first look at all projects shows its progress where they will appear. */
  private async lookAtAll(): Promise<void> {
    const { model } = this.options;
    await window.withProgress({ location: { viewId: viewIds.projects } }, () => model.wantAll());
    await model.countExactly();
  }

  private async subAgents({ session }: TreeNode): Promise<TreeNode[]> {
    const { host, formats, notifier } = this.options;
    if (session === undefined) return [];
    try {
      const { service } = await host.memory();
      const agents = await service.subAgents(session);
      return agents.map((agent) => subAgentNode(session, agent, formats));
    } catch (error) {
      notifier.showError(error, 'reading sub-agents');
      return [];
    }
  }

  private render(): void {
    const { model, settings, formats } = this.options;
    const { defaultView: view, showTokenEstimates: showsEstimates } = model.ui;
    const context = { formats, nowMs: Date.now(), warningDays: settings.retentionWarningDays, showsEstimates };
    const shown = model.shownProject;
    const current = model.currentProject?.projectId;
    this.projects.show(
      projectTree(
        model.projects.filter((project) => project.sessions.some(isShown) || project.problem !== undefined),
        {
          ...context,
          ...(current !== undefined && { currentProjectId: current }),
          ...(shown !== undefined && { shownProjectId: shown.projectId }),
        },
      ),
    );
    this.sessions.show(shown === undefined ? [] : sessionTree(shown, { ...context, view, filter: model.filter }));
    this.describe();
    this.setContext();
  }

  private describe(): void {
    const { model, host, settings } = this.options;
    const { isSample } = host;
    if (this.projectsView !== undefined) {
      this.projectsView.message = isSample ? SAMPLE_BANNER : '';
      this.projectsView.description = isSample ? 'Sample memory' : '';
    }
    const view = this.sessionsView;
    if (view === undefined) return;
    const project = model.shownProject;
    view.description = [project?.displayName, isSample ? 'sample' : ''].filter(Boolean).join(' · ');
    // A message would take the place of the welcome text that says what to do when nothing matches.
    const hasRows = this.sessions.rows.length > 0;
    view.message = isFiltering(model.filter) && hasRows ? `Filter: ${describeFilter(model.filter)}` : '';
    const losing = project === undefined ? 0 : expiringSessions(project, settings.retentionWarningDays).length;
    const tooltip = `${losing === 1 ? '1 session is' : `${losing} sessions are`} about to be deleted by Claude Code`;
    view.badge = losing === 0 ? undefined : { value: losing, tooltip };
  }

  private setContext(): void {
    const { model, host } = this.options;
    this.context.set({
      [contextKeys.projects]: this.projectsState(),
      [contextKeys.sessions]: this.sessionsState(),
      [contextKeys.isFiltering]: isFiltering(model.filter),
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
    if (this.sessions.rows.length > 0) return 'ready';
    if (!project.sessions.some(isShown)) return 'empty';
    return model.filter.state === 'inMemory' && model.filter.text.trim() === '' ? 'nothingInMemory' : 'nothingMatches';
  }
}
