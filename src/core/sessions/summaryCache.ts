import type { ProjectCache } from './projectCache';

/** What is remembered of transcripts between runs, so that an unchanged file is not opened again. Losing it costs time only: nothing here throws. */
export interface SummaryCache {
  /** All that is known of a project's files. A damaged cache is empty. Every call gives new records, which the caller may change; the entries in them it may not. */
  load(projectId: string): Promise<ProjectCache>;
  /**
   * Loads, changes and saves while nobody else does, and gives back what is known then. `change` gets what other processes
   * have saved meanwhile, and is to keep what of it still holds; it may be called more than once.
   */
  update(projectId: string, change: (cache: ProjectCache) => ProjectCache): Promise<ProjectCache>;
}
