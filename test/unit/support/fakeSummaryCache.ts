import type { SummaryCache } from '../../../src/core/sessions/summaryCache';
import { emptyProjectCache, projectCacheSchema } from '../../../src/core/sessions/summaryCache';
import type { ProjectCache } from '../../../src/core/sessions/summaryCache';

/** A cache in memory that goes through JSON, as the real one does. */
export class FakeSummaryCache implements SummaryCache {
  readonly #projects = new Map<string, string>();
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

  clear(): void {
    this.#projects.clear();
  }
}
