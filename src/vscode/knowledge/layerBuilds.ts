import type { BuildResult } from '../../core/layers/layerBuilder';
import type { SessionRef } from '../../core/registry/results';
import type { MemoryHost, MemoryName } from '../memory/memoryHost';
import { withProgressMessage } from '../progressMessage';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { KnowledgeModel } from './knowledgeModel';

/** A project in one of the memories, and what people call it. */
export interface KnownProject {
  readonly memory: MemoryName;
  readonly projectId: string;
  readonly displayName: string;
}

export interface LayerBuildsOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly knowledge: KnowledgeModel;
}

/** So many are read in a moment. */
const FEW_SESSIONS = 5;

/** Brings layers up to date, and lets the view see it. */
export class LayerBuilds {
  constructor(private readonly options: LayerBuildsOptions) {}

  /** Behind a message that shows how far it is, and can cancel it: what was layered until then stays. */
  async build({ memory, projectId, displayName }: KnownProject): Promise<BuildResult> {
    const { host, knowledge, model } = this.options;
    const { service } = await host.named(memory);
    const sessions = model.projects.find((project) => project.projectId === projectId)?.sessions ?? [];
    const isShort = sessions.length <= FEW_SESSIONS;
    try {
      return await withProgressMessage(`Reading what was said in ${displayName}`, { isShort }, (onProgress, signal) =>
        service.layers.build(
          projectId,
          {},
          (progress) => {
            const title = model.find({ projectId, sessionId: progress.label ?? '' })?.title;
            onProgress({ ...progress, ...(title !== undefined && { label: title }) });
          },
          signal,
        ),
      );
    } finally {
      knowledge.refresh();
    }
  }

  /** Without a word; reads only these sessions. False where nobody has enabled it. */
  async buildQuietly(projectId: string, refs: readonly SessionRef[], signal: AbortSignal): Promise<boolean> {
    const { service } = await this.options.host.named('own');
    const { isEnabled, problem } = await service.layers.status(projectId);
    if (!isEnabled || problem !== undefined) return false;
    const { layered } = await service.layers.build(projectId, { refs }, undefined, signal);
    if (layered.length > 0) this.options.knowledge.refresh();
    return true;
  }
}
