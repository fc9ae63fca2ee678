import { workspace, type Disposable } from 'vscode';
import { errorText, isAbortError } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import type { DiscoveredProject, DiscoveredSession, SessionRef } from '../../core/sessions/results';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { Settings } from '../settings';
import type { LayerBuilds } from './layerBuilds';

export interface LiveLayersOptions {
  readonly model: SessionsModel;
  readonly settings: Settings;
  readonly builds: LayerBuilds;
  readonly log: Log;
}

/** While a session is written to all the time, its layers follow this often; else as soon as it has rested for a while. */
const REST_MS = 4_000;
const MAX_WAIT_MS = 60_000;

/** Lets the layers of the workspace's projects grow with their sessions, where they are enabled, and where nobody has turned this off. */
export class LiveLayers implements Disposable {
  private readonly subscriptions: Disposable[];
  private building: AbortController | undefined;
  /** Sessions as they were when their layers were last brought up to date, or could not be. */
  private readonly done = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private waitingSinceMs: number | undefined;
  private isWorking = false;

  constructor(private readonly options: LiveLayersOptions) {
    const { model, settings, builds } = options;
    this.subscriptions = [
      model.onDidChange(() => this.schedule()),
      settings.onDidChange((names) => {
        if (names.has('layersAutoBuild')) this.schedule();
      }),
      workspace.onDidGrantWorkspaceTrust(() => this.schedule()),
      builds.onDidCancel((projectId) => this.rest(projectId)),
    ];
    this.schedule();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.building?.abort();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Changes are many while a session is written to; they are taken in together. */
  private schedule(): void {
    if (this.projects().every((project) => this.grownIn(project).length === 0)) return;
    const nowMs = performance.now();
    this.waitingSinceMs ??= nowMs;
    const leftMs = Math.max(0, this.waitingSinceMs + MAX_WAIT_MS - nowMs);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.work(), Math.min(REST_MS, leftMs));
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    this.waitingSinceMs = undefined;
    let hasGrown = false;
    for (const project of this.projects()) {
      const grown = this.grownIn(project);
      if (grown.length === 0 || !(await this.build(project, grown))) continue;
      this.markDone(grown);
      hasGrown = true;
    }
    this.isWorking = false;
    if (hasGrown) this.schedule(); // they may have grown further meanwhile
  }

  /** What somebody did not want to be read is not read behind their back: only what is said from now on. */
  private rest(projectId: string): void {
    const project = this.projects().find((one) => one.projectId === projectId);
    if (project === undefined) return;
    this.building?.abort();
    this.markDone(project.sessions);
  }

  /** False where nobody has enabled it. What failed counts as done, and is tried again when it has grown further. */
  private async build({ projectId, displayName }: DiscoveredProject, refs: readonly SessionRef[]): Promise<boolean> {
    const { builds, log } = this.options;
    this.building = new AbortController();
    try {
      return await builds.buildQuietly(projectId, refs, this.building.signal);
    } catch (error) {
      if (!isAbortError(error)) log.warn(`The layers of ${displayName} did not grow: ${errorText(error)}`);
      return !isAbortError(error);
    }
  }

  /** Only what is the user's own, in folders that are trusted. */
  private projects(): readonly DiscoveredProject[] {
    const { model, settings } = this.options;
    if (!settings.buildsLayers || !workspace.isTrusted) return [];
    return model.workspaceProjects;
  }

  private grownIn({ sessions }: DiscoveredProject): DiscoveredSession[] {
    return sessions.filter((session) => {
      return (
        session.messages > 0 && session.problem === undefined && this.done.get(session.sessionId) !== stampOf(session)
      );
    });
  }

  private markDone(sessions: readonly DiscoveredSession[]): void {
    for (const session of sessions) this.done.set(session.sessionId, stampOf(session));
  }
}

function stampOf({ bytes, mtimeMs }: DiscoveredSession): string {
  return `${bytes} ${mtimeMs}`;
}
