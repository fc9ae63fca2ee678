import * as z from 'zod/mini';
import { count, text } from '../model/fields';
import { sessionStatsSchema } from '../transcript/sessionStats';

/** A transcript as it was when it was last read. */
export const cachedTranscriptSchema = z.object({
  bytes: count,
  mtimeMs: z.number(),
  stats: sessionStatsSchema,
});
export type CachedTranscript = z.infer<typeof cachedTranscriptSchema>;

/** All that is remembered of one project's transcripts between runs, by absolute path. */
export const projectCacheSchema = z.object({
  transcripts: z.record(text, cachedTranscriptSchema),
  /** The session that an agent file beside the sessions belongs to. It stands in the file's first record, which never changes. */
  agentParents: z.record(text, text),
});
export type ProjectCache = z.infer<typeof projectCacheSchema>;

/** What is remembered of transcripts between runs, so that an unchanged file is not opened again. Losing it costs time only: nothing here throws. */
export interface StatsCache {
  /**
   * All that is known of a project's files. A damaged cache is empty. Every call gives new records, which the caller may change; the entries in them it may not.
   * With `folder`, it may be empty where no session of the project was ever there.
   */
  load(projectId: string, folder?: string): Promise<ProjectCache>;
  /**
   * Loads, changes and saves while nobody else does, and gives back what is known then. `change` gets what other processes
   * have saved meanwhile, and is to keep what of it still holds; it may be called more than once.
   */
  update(projectId: string, change: (cache: ProjectCache) => ProjectCache): Promise<ProjectCache>;
}

export function emptyProjectCache(): ProjectCache {
  return { transcripts: {}, agentParents: {} };
}
