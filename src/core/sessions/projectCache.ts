import * as z from 'zod/mini';
import { transcriptDigestSchema } from './transcriptDigest';
import { count } from '../model/count';

/** A transcript as it was when it was last read. */
export const cachedTranscriptSchema = z.object({
  bytes: count,
  mtimeMs: z.number(),
  digest: transcriptDigestSchema,
  /** Leaves that titles in other files name, and whether this file has them. */
  leaves: z.record(z.string(), z.boolean()),
});
export type CachedTranscript = z.infer<typeof cachedTranscriptSchema>;

/** All that is remembered of one project's transcripts between runs, by absolute path. */
export const projectCacheSchema = z.object({
  transcripts: z.record(z.string(), cachedTranscriptSchema),
  /** The session that an agent file beside the sessions belongs to. It stands in the file's first record, which never changes. */
  agentParents: z.record(z.string(), z.string()),
});
export type ProjectCache = z.infer<typeof projectCacheSchema>;

/** What is known of a transcript after one more reading of it: of two readings of the same bytes the exact one. */
export function mergeTranscript(known: CachedTranscript | undefined, read: CachedTranscript): CachedTranscript {
  if (known?.bytes !== read.bytes || known.mtimeMs !== read.mtimeMs) return read;
  const digest = known.digest.counting === 'exact' ? known.digest : read.digest;
  return { ...read, digest, leaves: { ...known.leaves, ...read.leaves } };
}

export function emptyProjectCache(): ProjectCache {
  return { transcripts: {}, agentParents: {} };
}
