import * as z from 'zod/mini';
import { count, text, texts, optionalText } from '../model/fields';

const counts = z.record(text, count);

/** Which counter made a figure: `exact` is o200k_base. */
const countingSchema = z.enum(['exact', 'estimate']);
export type Counting = z.infer<typeof countingSchema>;

/** Everything that can name the session. `bestTitle` applies the order custom > ai > summary > first words. */
const titlesSchema = z.object({
  custom: optionalText,
  ai: optionalText,
  /** The last `summary` whose leaf is in this file. */
  summary: optionalText,
  /** The beginning of the first human message, one line, at most 200 characters. */
  firstWords: optionalText,
  /** `summary` lines with a leaf that this file does not own: titles of the sessions that do. */
  foreign: z.array(z.object({ leafUuid: text, title: text })),
});
export type SessionTitles = z.infer<typeof titlesSchema>;

/** What to call a session. `adopted` is a title that another file's `summary` line gave to a leaf of this one. */
export function bestTitle(titles: SessionTitles, adopted?: string): string | undefined {
  return titles.custom ?? titles.ai ?? titles.summary ?? adopted ?? titles.firstWords;
}

/** One compaction by Claude Code; the history before it stays part of the conversation. */
const compactionSchema = z.object({
  uuid: text,
  line: count,
  timestamp: optionalText,
  trigger: optionalText,
  preTokens: z.optional(z.number()),
  postTokens: z.optional(z.number()),
});

/** What a transcript tells about its session, over all whole lines, live or not. */
const metaSchema = z.object({
  /** Seen session ids, in order of appearance. */
  sessionIds: texts,
  /** The ids other than the newest: history copied from there by a resume or fork, or the parent of an agent file. */
  copiedFrom: texts,
  firstCwd: optionalText,
  /** Lines per working directory. */
  cwds: counts,
  /** The last one seen. */
  gitBranch: optionalText,
  /** Claude Code versions, in order of appearance. */
  versions: texts,
  /** API messages per model, `<synthetic>` left out. */
  models: counts,
  /** Earliest and latest valid timestamp: file order is not time order. */
  firstTimestamp: optionalText,
  lastTimestamp: optionalText,
  compactions: z.array(compactionSchema),
  /** The agent that the whole file belongs to (an `agent-*.jsonl`). */
  agentId: optionalText,
});
export type SessionMeta = z.infer<typeof metaSchema>;

/** A line that could not be read, and why; lines begin with 1. */
const problemSchema = z.object({ line: count, error: text });

/** Every line of the input, accounted for: `lines = used + Σ skipped + brokenCount`. */
const accountSchema = z.object({
  lines: count,
  used: count,
  /** Lines per reason: blank, duplicate, progress, file-history-snapshot, unknown type `x` … */
  skipped: counts,
  brokenCount: count,
  /** The first 1,000 broken lines. */
  broken: z.array(problemSchema),
  /** Lines counted as used although a part of them was damaged (a torn record glued to a whole one); the first 1,000. */
  salvaged: z.array(problemSchema),
});
export type ReadingAccount = z.infer<typeof accountSchema>;

/** Bytes and lines that were read: less than the file has when its last line was not whole yet. */
const endSchema = z.object({ offset: count, line: count });
export type ReadingEnd = z.infer<typeof endSchema>;

/** What a transcript tells about the model's own counting, newest pairs last: `[model's tokens, our tokens]` by model. */
const usagePairsSchema = z.record(text, z.array(z.tuple([count, count])));

/** The figures of a transcript without its words: what lists, registration and sync need, and what is remembered between runs. */
export const sessionStatsSchema = z.object({
  /** Equal to `messages.length`, `turns.length` of the conversation. */
  messages: count,
  turns: count,
  /** Tokens of all that the model would read of the live conversation: prose, tool calls and their results. */
  tokens: count,
  /** Those of them that are results of tools. */
  resultTokens: count,
  counting: countingSchema,
  toolSteps: count,
  inlineAgents: count,
  /** What looks like a keepit marker in live messages, by its weight as written (lower case); the grammar is `core/keepits`'s. */
  keepitCandidates: counts,
  /** Ids of the records with which the conversation rested for a while, or ends. */
  leaves: texts,
  titles: titlesSchema,
  meta: metaSchema,
  account: accountSchema,
  usagePairs: usagePairsSchema,
  end: endSchema,
});
export type SessionStats = z.infer<typeof sessionStatsSchema>;
