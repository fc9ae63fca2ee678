import type { SummaryCache } from '../../../src/core/sessions/summaryCache';
import { emptyProjectCache, projectCacheSchema, scanStateSchema } from '../../../src/core/sessions/projectCache';
import type { ProjectCache, ScanState } from '../../../src/core/sessions/projectCache';

/** A cache in memory that goes through JSON, as the real one does. */
export class FakeSummaryCache implements SummaryCache {
  readonly #projects = new Map<string, string>();
  readonly #states = new Map<string, string>();
  saves = 0;

  async load(projectId: string): Promise<ProjectCache> {
    const json = this.#projects.get(projectId);
    return json === undefined ? emptyProjectCache() : projectCacheSchema.parse(JSON.parse(json));
  }

  async update(projectId: string, change: (cache: ProjectCache) => ProjectCache): Promise<ProjectCache> {
    const cache = change(await this.load(projectId));
    this.saves++;
    this.#projects.set(projectId, JSON.stringify(cache));
    return cache;
  }

  async loadState(_projectId: string, path: string): Promise<ScanState | undefined> {
    const json = this.#states.get(path);
    return json === undefined ? undefined : scanStateSchema.parse(JSON.parse(json));
  }

  async saveState(_projectId: string, path: string, state: ScanState): Promise<void> {
    this.#states.set(path, JSON.stringify(state));
  }

  clear(): void {
    this.#projects.clear();
    this.#states.clear();
  }
}
