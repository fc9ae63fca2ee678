import * as z from 'zod/mini';
import { summarizerStateSchema } from '../transcript/readingState';

const count = z.number().check(z.nonnegative());
const counts = z.record(z.string(), count);

/** What is remembered of a transcript's reading: the figures of `TranscriptSummary`, flat, without what only the reader needs. */
export const transcriptDigestSchema = z.object({
  messages: count,
  turns: count,
  /** Estimated tokens of all that the model would read of the live conversation. */
  tokens: count,
  inlineAgents: count,
  /** What looks like a keepit marker, by its weight as written. */
  keepitCandidates: counts,
  titles: z.object({
    custom: z.optional(z.string()),
    ai: z.optional(z.string()),
    summary: z.optional(z.string()),
    firstWords: z.optional(z.string()),
  }),
  /** Titles for sessions of other files, by the leaf that those own. */
  foreignTitles: z.array(z.object({ leafUuid: z.string(), title: z.string() })),
  /** Working directories by the number of lines in them. */
  cwds: counts,
  gitBranch: z.optional(z.string()),
  versions: z.array(z.string()),
  models: z.array(z.string()),
  copiedFrom: z.array(z.string()),
  firstTimestamp: z.optional(z.string()),
  lastTimestamp: z.optional(z.string()),
  account: z.object({
    lines: count,
    used: count,
    skipped: counts,
    brokenCount: count,
    broken: z.array(z.object({ line: count, error: z.string() })),
  }),
  /** Bytes and lines that were read: less than the file has when its last line was not whole yet. */
  end: z.object({ offset: count, line: count }),
});
export type TranscriptDigest = z.infer<typeof transcriptDigestSchema>;

/** A transcript as it was when it was last read. */
export const cachedTranscriptSchema = z.object({
  bytes: count,
  mtimeMs: z.number(),
  digest: transcriptDigestSchema,
  /** Exact tokens, once they have been counted for this very size and date. */
  exactTokens: z.optional(count),
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

export function emptyProjectCache(): ProjectCache {
  return { transcripts: {}, agentParents: {} };
}

/** What reading on from the end of the last scan needs, kept apart from the digest because it grows with the transcript. */
export const scanStateSchema = z.object({
  reader: summarizerStateSchema,
  /** Hashes of the first bytes and of the last ones that were read: a file that was rewritten is recognised by them. */
  headHash: z.string(),
  tailHash: z.string(),
});
export type ScanState = z.infer<typeof scanStateSchema>;
