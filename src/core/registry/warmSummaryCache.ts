import type { SummaryCache } from '../ports';
import type { ProjectCache, ScanState } from './projectCache';

/**
 * Keeps at hand what was loaded or saved last, so that a project's digests are parsed once in a process. What another
 * process saves meanwhile is not seen: that costs time only, as losing a cache always does.
 */
export class WarmSummaryCache implements SummaryCache {
  private readonly projects = new Map<string, Promise<ProjectCache>>();

  constructor(private readonly cold: SummaryCache) {}

  async load(projectId: string): Promise<ProjectCache> {
    let project = this.projects.get(projectId);
    if (project === undefined) {
      project = this.cold.load(projectId);
      this.projects.set(projectId, project);
    }
    return copyOf(await project);
  }

  async save(projectId: string, cache: ProjectCache): Promise<void> {
    const project = copyOf(cache);
    this.projects.set(projectId, Promise.resolve(project));
    await this.cold.save(projectId, project);
  }

  async loadState(projectId: string, path: string): Promise<ScanState | undefined> {
    return this.cold.loadState(projectId, path);
  }

  async saveState(projectId: string, path: string, state: ScanState): Promise<void> {
    await this.cold.saveState(projectId, path, state);
  }
}

/** Callers may add and replace entries; the entries themselves they leave as they are. */
function copyOf({ transcripts, agentParents }: ProjectCache): ProjectCache {
  return { transcripts: { ...transcripts }, agentParents: { ...agentParents } };
}
