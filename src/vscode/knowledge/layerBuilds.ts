import { EventEmitter, workspace, type Disposable, type Event } from 'vscode';
import { isAbortError, errorText } from '../../core/text/keepitError';
import type { BuildResult } from '../../core/knowledge/layerBuilder';
import type { EnableOptions } from '../../core/knowledge/layersService';
import type { Progress, SessionRef, DiscoveredProject, DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import { withProgressMessage } from '../progressMessage';
import type { KnowledgeTree } from './knowledgeTree';
import { sumOf } from '../../core/text/ownValue';

/** A project, and what people call it. */
export interface KnownProject {
  readonly projectId: string;
  readonly displayName: string;
}

/** So much is read in a moment. */
const FEW_BYTES = 2_000_000;

/** Brings layers up to date, and lets the view see it. */
export class LayerBuilds implements Disposable {
  private readonly cancelled = new EventEmitter<string>();
  /** The project whose build somebody has just cancelled. */
  readonly onDidCancel: Event<string> = this.cancelled.event;

  constructor(
    private readonly context: Uses<'memory' | 'model'>,
    private readonly knowledge: KnowledgeTree,
  ) {}

  dispose(): void {
    this.cancelled.dispose();
  }

  /**
   * Behind a message that shows how far it is, and can cancel it: what was layered until then stays, and undefined is the answer. With
   * `enabling` the project is remembered from now on.
   */
  async build({ projectId, displayName }: KnownProject, enabling?: EnableOptions): Promise<BuildResult | undefined> {
    const { memory, model } = this.context;
    const { knowledge } = this;
    const { layers } = memory;
    const titled = (progress: Progress): Progress => {
      const title = model.find({ projectId, sessionId: progress.label ?? '' })?.title;
      return title === undefined ? progress : { ...progress, label: title };
    };
    const follower = { isShort: this.newBytesIn(projectId) <= FEW_BYTES };
    try {
      return await knowledge.whileBuilding(() =>
        withProgressMessage(`Reading what was said in ${displayName}`, follower, (onProgress, signal) =>
          enabling === undefined
            ? layers.build(projectId, {}, (progress) => onProgress(titled(progress)), signal)
            : layers
                .remember(projectId, enabling, (progress) => onProgress(titled(progress)), signal)
                .then(({ built }) => built),
        ),
      );
    } catch (error) {
      if (!isAbortError(error)) throw error;
      this.cancelled.fire(projectId);
      return undefined;
    }
  }

  /** How much of a project's transcripts is not known yet, as far as the views know. */
  private newBytesIn(projectId: string): number {
    const { model } = this.context;
    const { knowledge } = this;
    const { status, sessions: layered = [] } = knowledge.content?.overview ?? {};
    const isShown = status?.projectId === projectId;
    const known = new Map(isShown ? layered.map(({ sessionId, sourceBytes }) => [sessionId, sourceBytes]) : []);
    const sessions = model.projects.find((project) => project.projectId === projectId)?.sessions ?? [];
    return sumOf(sessions, ({ sessionId, bytes }) => Math.max(0, bytes - (known.get(sessionId) ?? 0)));
  }

  /** Without a word; reads only these sessions. False where nobody has enabled it. */
  async buildQuietly(projectId: string, refs: readonly SessionRef[], signal: AbortSignal): Promise<boolean> {
    const { memory } = this.context;
    const { isEnabled, problem } = await memory.layers.status(projectId);
    if (!isEnabled || problem !== undefined) return false;
    await memory.layers.build(projectId, { refs }, undefined, signal);
    return true;
  }
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

  constructor(
    private readonly context: Uses<'model' | 'settings' | 'log'>,
    private readonly builds: LayerBuilds,
  ) {
    const { model, settings } = context;
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
  private schedule() {
    if (this.projects().every((project) => this.grownIn(project).length === 0)) return;
    const nowMs = performance.now();
    this.waitingSinceMs ??= nowMs;
    const leftMs = Math.max(0, this.waitingSinceMs + MAX_WAIT_MS - nowMs);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.work(), Math.min(REST_MS, leftMs));
  }

  private async work() {
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
  private rest(projectId: string) {
    const project = this.projects().find((one) => one.projectId === projectId);
    if (project === undefined) return;
    this.building?.abort();
    this.markDone(project.sessions);
  }

  /** False where nobody has enabled it. What failed counts as done, and is tried again when it has grown further. */
  private async build({ projectId, displayName }: DiscoveredProject, refs: readonly SessionRef[]): Promise<boolean> {
    const { log } = this.context;
    const { builds } = this;
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
    const { model, settings } = this.context;
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

  private markDone(sessions: readonly DiscoveredSession[]) {
    for (const session of sessions) this.done.set(session.sessionId, stampOf(session));
  }
}

function stampOf({ bytes, mtimeMs }: DiscoveredSession): string {
  return `${bytes} ${mtimeMs}`;
}
