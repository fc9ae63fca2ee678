import path from 'node:path';
import { EventEmitter, window, type Disposable, type Event, type TreeView } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import { StoreError } from '../../core/model/storeError';
import type { HookSession } from '../../core/claude/hooks/hooksService';
import type { MemoryService } from '../../core/memory';
import type { HookActivity } from '../../core/model/hookActivity';
import type { Log } from '../../core/model/host';
import type { InsideSession } from '../../core/presentation/insideRows';
import { type InsideSwitches, INSIDE_PAGE, type InsideContent } from '../../core/presentation/insideTree';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { DiscoveredProject } from '../../core/sessions/results';
import type { Memory } from '../../node/createMemory';
import { Lookout } from '../lookout';
import type { MemoryHost } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';
import { FolderFollower } from './folderFollower';

export interface InsideModelOptions {
  readonly host: MemoryHost;
  readonly sessions: SessionsModel;
  readonly log: Log;
  /** Nothing is read while nobody looks. */
  readonly view: Pick<TreeView<TreeNode>, 'visible' | 'onDidChangeVisibility'>;
}

/** Hooks write several lines in a row; each is soon seen, and all are read together. */
const SETTLE_MS = 200;

/**
 * What Keepit does inside Claude Code: where it is set up, what is switched on, and what hooks did in the sessions of the shown project.
 * It is read while the view is seen, as soon as a hook, a command line or another window has written something.
 */
export class InsideModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private readonly limits = new Map<string, number>();
  private readonly known = new Map<string, { readonly stamp: string; readonly activity: readonly HookActivity[] }>();
  private readonly lookout = new Lookout((isSuperseded) => this.lookUnlessSuperseded(isSuperseded), SETTLE_MS);
  private shownAnew = 0;
  private looked: InsideContent | undefined;
  private shownId: string | undefined;
  private failure: string | undefined;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: InsideModelOptions) {
    const { host, sessions, view } = options;
    this.subscriptions = [
      sessions.onDidChange(() => this.onSessions()),
      host.onDidChange(() => this.forget()),
      view.onDidChangeVisibility(() => this.lookout.want(view.visible)),
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.refresh();
      }),
    ];
    this.lookout.want(view.visible);
  }

  /** Undefined before the first look. */
  get content(): InsideContent | undefined {
    return this.looked;
  }

  /** Why nothing could be read. */
  get problem(): string | undefined {
    return this.failure;
  }

  /** The project that is shown. */
  get project(): DiscoveredProject | undefined {
    return this.options.sessions.shownProject;
  }

  get projectId(): string | undefined {
    return this.project?.projectId;
  }

  /** Grows when rows have to be shown anew that are as they were. */
  get revision(): number {
    return this.shownAnew;
  }

  limitOf(group: string): number {
    return this.limits.get(group) ?? INSIDE_PAGE;
  }

  showMore(group: string): void {
    this.limits.set(group, this.limitOf(group) + INSIDE_PAGE);
    this.shownAnew += 1;
    this.refresh();
  }

  /** Reads again, soon: many changes at once are one. */
  refresh(): void {
    this.lookout.lookSoon();
  }

  /** As {@link look}, for boxes that VS Code has changed already, whether what they stand for was changed or not. */
  async lookAnew(): Promise<void> {
    this.shownAnew += 1;
    await this.look();
  }

  /** Reads now; settles when it is shown. */
  look(): Promise<void> {
    return this.lookout.lookNow();
  }

  dispose(): void {
    this.lookout.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private async lookUnlessSuperseded(isSuperseded: () => boolean): Promise<void> {
    const { host, log } = this.options;
    const { projectId } = this;
    try {
      const memory = await host.memory();
      const looked = await this.read(memory, projectId);
      if (isSuperseded()) return;
      this.failure = undefined;
      this.looked = looked;
      this.shownId = projectId;
      this.follow(memory, projectId);
    } catch (error) {
      if (isSuperseded()) return;
      log.warn(`What hooks did could not be read: ${errorText(error)}`);
      this.failure = errorText(error);
    }
    this.changed.fire();
  }

  /** Their titles are known at once; somebody may have asked for a look at everything. */
  private onSessions(): void {
    if (this.projectId !== this.shownId) this.forget();
    else this.refresh();
    this.changed.fire();
  }

  private forget(): void {
    this.limits.clear();
    this.known.clear();
    this.refresh();
  }

  private async read({ service, setup }: Memory, projectId: string | undefined): Promise<InsideContent> {
    const [status, switches, sessions] = await Promise.all([
      setup.status(),
      switchesOf(service, projectId),
      projectId === undefined ? [] : service.hooks.sessions(projectId),
    ]);
    const limit = this.limitOf('sessions');
    const shown = await Promise.all(sessions.slice(0, limit).map((session) => this.withActivity(service, session)));
    const rest = sessions.slice(limit).map((session) => ({ ...session, activity: [] }));
    return { setup: status, switches, sessions: [...shown, ...rest] };
  }

  /** A session in which nothing has happened since is not read again. */
  private async withActivity(service: MemoryService, session: HookSession): Promise<InsideSession> {
    const { projectId, sessionId, firings, lastAt } = session;
    const stamp = `${projectId} ${firings} ${lastAt}`;
    let known = this.known.get(sessionId);
    if (known?.stamp !== stamp) {
      known = { stamp, activity: await service.hooks.activity(projectId, sessionId) };
      this.known.set(sessionId, known);
    }
    return { ...session, activity: known.activity };
  }

  /** Hooks, the command line and other windows write these. */
  private follow(memory: Memory, projectId: string | undefined): void {
    const { memoryDir, service } = memory;
    const own = new Set(['config.json', 'claude-setup.json']);
    this.lookout.follow(`${memoryDir} ${projectId ?? ''}`, (onChanged) => {
      const setup = new FolderFollower(memoryDir, { isWanted: (name) => own.has(name), onChanged });
      if (projectId === undefined) return [setup];
      const isManifest = (name: string): boolean => name === 'manifest.json';
      const isActivity = (name: string): boolean => name.endsWith('.jsonl');
      const folder = path.join(memoryDir, 'projects', projectId);
      return [
        setup,
        new FolderFollower(folder, { isWanted: isManifest, onChanged }),
        new FolderFollower(service.hooks.activityFolder(projectId), { isWanted: isActivity, onChanged }),
      ];
    });
  }
}

/** A project that has something in memory decides for itself whether new sessions are added. */
async function switchesOf(service: MemoryService, projectId: string | undefined): Promise<InsideSwitches> {
  const { hooks, defaults } = await service.readConfig();
  const own = projectId === undefined ? undefined : await ownSettings(service, projectId);
  const newSessions =
    own === undefined
      ? { isOn: defaults.autoRegisterSessions, key: 'defaults.autoRegisterSessions' }
      : { isOn: own.autoRegisterNewSessions, key: 'project.autoRegisterNewSessions' };
  return { hooks, newSessions };
}

async function ownSettings(
  service: MemoryService,
  projectId: string,
): Promise<{ autoRegisterNewSessions: boolean } | undefined> {
  try {
    return await service.projectSettings(projectId);
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'not-found') return undefined; // nothing of it is in memory yet
    throw error;
  }
}
