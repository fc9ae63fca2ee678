import type { StatsCache } from '../../../src/core/sessions/statsCache';
import { emptyProjectCache, projectCacheSchema } from '../../../src/core/sessions/statsCache';
import type { ProjectCache } from '../../../src/core/sessions/statsCache';

/** A cache in memory that goes through JSON, as the real one does. */
export class FakeStatsCache implements StatsCache {
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
