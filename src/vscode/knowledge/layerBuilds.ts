import { EventEmitter, type Disposable, type Event } from 'vscode';
import { isAbortError } from '../../core/text/keepitError';
import type { BuildResult } from '../../core/knowledge/layerBuilder';
import type { Progress, SessionRef } from '../../core/sessions/results';
import type { MemoryHost } from '../memory/memoryHost';
import { withProgressMessage } from '../progressMessage';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { KnowledgeModel } from './knowledgeModel';

/** A project, and what people call it. */
export interface KnownProject {
  readonly projectId: string;
  readonly displayName: string;
}

export interface LayerBuildsOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly knowledge: KnowledgeModel;
}

/** So much is read in a moment. */
const FEW_BYTES = 2_000_000;

/** Brings layers up to date, and lets the view see it. */
export class LayerBuilds implements Disposable {
  private readonly cancelled = new EventEmitter<string>();
  /** The project whose build somebody has just cancelled. */
  readonly onDidCancel: Event<string> = this.cancelled.event;

  constructor(private readonly options: LayerBuildsOptions) {}

  dispose(): void {
    this.cancelled.dispose();
  }

  /** Behind a message that shows how far it is, and can cancel it: what was layered until then stays, and undefined is the answer. */
  async build({ projectId, displayName }: KnownProject): Promise<BuildResult | undefined> {
    const { host, knowledge, model } = this.options;
    const { layers } = (await host.memory()).service;
    const titled = (progress: Progress): Progress => {
      const title = model.find({ projectId, sessionId: progress.label ?? '' })?.title;
      return title === undefined ? progress : { ...progress, label: title };
    };
    const follower = { isShort: this.newBytesIn(projectId) <= FEW_BYTES };
    try {
      return await knowledge.whileBuilding(() =>
        withProgressMessage(`Reading what was said in ${displayName}`, follower, (onProgress, signal) =>
          layers.build(projectId, {}, (progress) => onProgress(titled(progress)), signal),
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
    const { knowledge, model } = this.options;
    const { status, sessions: layered = [] } = knowledge.content?.overview ?? {};
    const isShown = status?.projectId === projectId;
    const known = new Map(isShown ? layered.map(({ sessionId, sourceBytes }) => [sessionId, sourceBytes]) : []);
    const sessions = model.projects.find((project) => project.projectId === projectId)?.sessions ?? [];
    return sessions.reduce((sum, { sessionId, bytes }) => sum + Math.max(0, bytes - (known.get(sessionId) ?? 0)), 0);
  }

  /** Without a word; reads only these sessions. False where nobody has enabled it. */
  async buildQuietly(projectId: string, refs: readonly SessionRef[], signal: AbortSignal): Promise<boolean> {
    const { service } = await this.options.host.memory();
    const { isEnabled, problem } = await service.layers.status(projectId);
    if (!isEnabled || problem !== undefined) return false;
    const { layered } = await service.layers.build(projectId, { refs }, undefined, signal);
    if (layered.length > 0) this.options.knowledge.refresh();
    return true;
  }
}
