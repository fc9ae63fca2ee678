import path from 'node:path';
import { EventEmitter, workspace, type Disposable, type Event } from 'vscode';
import { errorText, isAbortError } from '../../core/text/keepitError';
import { defaultConfig, type Config } from '../../core/model/config';
import type { Log } from '../../core/model/host';
import { isShown } from '../../core/sessions/view/sessionTree';
import type { DiscoveredProject, DiscoveredSession, SessionRef, TokenFigure } from '../../core/sessions/results';
import { titleOf } from '../../core/text/formats';
import type { Memory } from '../../node/createMemory';
import type { MemoryHost } from '../memory/memoryHost';
import { isFolder } from '../../node/hostProbe';

/** `idle`: nothing has been asked for yet. */
export type Phase = 'idle' | 'loading' | 'ready' | 'failed';

interface Look {
  /** Undefined for all projects. */
  readonly ids: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Shows what is known at once; the figures follow. */
  readonly isFirst?: boolean;
}

const COUNT_REPORT_MS = 700;

/**
 * What the views, the status bar and the warnings know about sessions. At the start only the workspace's own project is
 * looked at; all projects are, once somebody wants to see them. A newer answer supersedes an older one.
 */
export class SessionsModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly failed = new EventEmitter<unknown>();
  private readonly subscriptions: Disposable[] = [];
  /** Projects that something was written for while another look was under way. */
  private readonly changedIds = new Set<string>();
  private byId = new Map<string, DiscoveredProject>();
  private loading: AbortController | undefined;
  private counting: AbortController | undefined;
  private watching: Disposable | undefined;
  private following: { readonly projectId: string; readonly follower: Disposable } | undefined;
  private memory: Memory | undefined;
  private currentPhase: Phase = 'idle';
  private areAllWanted = false;
  private chosenProjectId: string | undefined;
  /** In the order of the workspace's folders. */
  private workspaceProjectIds: readonly string[] = [];
  private hasNoFolder = false;
  private currentUi: Config['ui'] = defaultConfig('').ui;

  readonly onDidChange: Event<void> = this.changed.event;
  /** A discovery failed as a whole. */
  readonly onDidFail: Event<unknown> = this.failed.event;

  constructor(
    private readonly host: MemoryHost,
    private readonly log: Log,
  ) {
    this.subscriptions.push(
      host.onDidChange(() => void this.startAnew()),
      workspace.onDidChangeWorkspaceFolders(() => void this.startAnew()),
    );
  }

  get phase(): Phase {
    return this.currentPhase;
  }

  /** There is no folder that Claude Code could have left sessions in. */
  get isFolderMissing(): boolean {
    return this.hasNoFolder;
  }

  get projects(): readonly DiscoveredProject[] {
    return [...this.byId.values()];
  }

  /** The project of this workspace, the first where it has several; undefined when Claude Code was never used in it. */
  get currentProject(): DiscoveredProject | undefined {
    return this.workspaceProjects[0];
  }

  /** Those of all folders of the workspace in which Claude Code was used. */
  get workspaceProjects(): readonly DiscoveredProject[] {
    return this.workspaceProjectIds.flatMap((id) => this.byId.get(id) ?? []);
  }

  /** The project whose sessions are shown: the chosen one, else the workspace's. */
  get shownProject(): DiscoveredProject | undefined {
    const chosen = this.chosenProjectId === undefined ? undefined : this.byId.get(this.chosenProjectId);
    if (chosen !== undefined) return chosen;
    return this.currentProject ?? (this.host.isSample ? this.largestProject() : undefined);
  }

  /** How the user wants to see and handle things, here and on the command line. */
  get ui(): Readonly<Config['ui']> {
    return this.currentUi;
  }

  showProject(projectId: string): void {
    this.chosenProjectId = projectId;
    this.follow();
    this.changed.fire();
  }

  find(ref: SessionRef): DiscoveredSession | undefined {
    return this.byId.get(ref.projectId)?.sessions.find(({ sessionId }) => sessionId === ref.sessionId);
  }

  /** Those of other projects are looked at when they are needed. */
  async findAnywhere(ref: SessionRef): Promise<DiscoveredSession | undefined> {
    if (this.find(ref) === undefined) await this.reload([ref.projectId]);
    return this.find(ref);
  }

  titleOf(ref: SessionRef): string | undefined {
    const session = this.find(ref);
    return session === undefined ? undefined : titleOf(session);
  }

  /** Looks at the workspace's project, or at all when they have been asked for. Never rejects: failures are events. */
  async refresh(): Promise<void> {
    this.loading?.abort();
    this.setPhase('loading');
    await this.lookOnce(async (signal) => {
      const memory = await this.host.memory();
      this.watch(memory);
      this.workspaceProjectIds = await this.resolveWorkspace(memory);
      const look = { ids: this.startIds(), signal };
      if (this.byId.size === 0) await this.discover(memory, { ...look, isFirst: true });
      await this.discover(memory, look);
    });
    await this.lookAgain();
  }

  /** From now on all projects are wanted; the first time they are looked for at once. */
  async wantAll(): Promise<void> {
    if (this.areAllWanted) return;
    this.areAllWanted = true;
    await this.refresh();
  }

  /** Looks again at projects that something was written for. */
  async reload(projectIds: readonly string[]): Promise<void> {
    for (const id of projectIds) this.changedIds.add(id);
    await this.lookAgain();
  }

  /** Counts the shown project's sessions exactly, newest first, in the background; a newer call supersedes. */
  async countExactly(): Promise<void> {
    this.counting?.abort();
    const sessions = this.shownProject?.sessions.filter((session) => session.tokens.kind === 'estimate') ?? [];
    const wanted = sessions.filter((session) => isShown(session) && session.problem === undefined && !session.isLive);
    if (wanted.length === 0) return;
    const controller = new AbortController();
    this.counting = controller;
    const report = this.reporter();
    try {
      await this.host.service.sessions.countExact(
        wanted,
        (ref, figure) => this.take(ref, figure, report),
        controller.signal,
      );
    } catch (error) {
      if (!isAbortError(error)) this.log.warn(`Exact counts stay estimates: ${String(error)}`);
    }
  }

  dispose(): void {
    this.loading?.abort();
    this.counting?.abort();
    this.endWatching();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
    this.failed.dispose();
  }

  private reporter(): () => void {
    let lastMs = Date.now();
    return () => {
      if (Date.now() - lastMs < COUNT_REPORT_MS) return;
      lastMs = Date.now();
      this.changed.fire();
    };
  }

  private take(ref: SessionRef, figure: TokenFigure, report: () => void) {
    const session = this.find(ref);
    if (session === undefined) return;
    session.tokens = figure;
    report();
  }

  private largestProject(): DiscoveredProject | undefined {
    return [...this.byId.values()].sort((a, b) => b.sessions.length - a.sessions.length)[0];
  }

  private async startAnew() {
    this.byId = new Map();
    this.chosenProjectId = undefined;
    this.endWatching();
    await this.refresh();
  }

  private async lookOnce(look: (signal: AbortSignal) => Promise<void>) {
    const controller = new AbortController();
    this.loading = controller;
    try {
      await look(controller.signal);
    } catch (error) {
      if (controller.signal.aborted || isAbortError(error)) return;
      this.setPhase('failed');
      this.failed.fire(error);
    } finally {
      if (this.loading === controller) this.loading = undefined;
    }
  }

  /** Looks at the projects that changed meanwhile, one look at a time. */
  private async lookAgain() {
    while (this.changedIds.size > 0 && this.loading === undefined) {
      const ids = [...this.changedIds];
      this.changedIds.clear();
      await this.lookOnce(async (signal) => this.discover(await this.host.memory(), { ids, signal }));
    }
  }

  private async discover(memory: Memory, look: Look) {
    const { projects } = await memory.service.sessions.discover(
      {
        ...(look.ids !== undefined && { projectIds: look.ids }),

        ...(look.isFirst === true && { isFirstLook: true }),
      },
      look.signal,
    );
    const hasNoFolder = projects.length === 0 && !(await isFolder(path.join(memory.claudeDir, 'projects')));
    const ui = await this.readUi(memory);
    if (look.signal.aborted) return;
    this.currentUi = ui;
    this.hasNoFolder = hasNoFolder;
    this.merge(projects, look.ids);
    this.memory = memory;
    this.follow();
    this.setPhase(look.isFirst === true ? 'loading' : 'ready');
  }

  private async readUi({ service: memory }: Memory): Promise<Config['ui']> {
    try {
      return (await memory.config.read()).ui;
    } catch (error) {
      this.log.warn(`Sessions are shown as they are by default: ${errorText(error)}`);
      return defaultConfig('').ui;
    }
  }

  /** Undefined for all. */
  private startIds(): readonly string[] | undefined {
    if (this.areAllWanted || this.host.isSample) return undefined;
    return this.workspaceProjectIds;
  }

  private merge(projects: readonly DiscoveredProject[], ids: readonly string[] | undefined) {
    const merged = ids === undefined ? new Map<string, DiscoveredProject>() : new Map(this.byId);
    for (const id of ids ?? []) merged.delete(id); // a project that is gone is not in the answer
    for (const project of projects) merged.set(project.projectId, project);
    this.byId = merged;
  }

  private setPhase(phase: Phase) {
    this.currentPhase = phase;
    this.changed.fire();
  }

  private watch(memory: Memory) {
    if (this.watching !== undefined) return;
    this.watching = memory.watch((projectIds) => {
      const known = projectIds.filter(
        (id) => this.areAllWanted || this.byId.has(id) || this.workspaceProjectIds.includes(id),
      );
      if (known.length > 0) void this.reload(known);
    });
  }

  /** The command line and other windows change what is in memory of the project that is shown, which its manifest tells, and settings. */
  private follow() {
    const projectId = this.shownProject?.projectId;
    const { memory } = this;
    if (memory === undefined || projectId === this.following?.projectId) return;
    this.following?.follower.dispose();
    this.following = undefined;
    if (projectId === undefined) return;
    const names = ['config.json', path.join('projects', projectId, 'manifest.json')];
    const followers = names.map((name) =>
      memory.follow(path.join(memory.memoryDir, name), () => void this.reload([projectId])),
    );
    this.following = { projectId, follower: { dispose: () => followers.forEach((follower) => follower.dispose()) } };
  }

  private endWatching() {
    this.watching?.dispose();
    this.watching = undefined;
    this.following?.follower.dispose();
    this.following = undefined;
    this.memory = undefined;
  }

  private async resolveWorkspace({ service: memory }: Memory): Promise<string[]> {
    const ids = new Set<string>();
    for (const folder of workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme !== 'file') continue; // a virtual workspace has no folder that Claude Code could work in
      const projectId = await memory.sessions.resolveProject(folder.uri.fsPath);
      if (projectId !== undefined) ids.add(projectId);
    }
    return [...ids];
  }
}
