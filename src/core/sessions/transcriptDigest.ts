import * as z from 'zod/mini';
import type { UsagePair } from '../transcript/calibration';
import type { TranscriptSummary } from '../transcript/types';
import { count } from '../model/count';

const counts = z.record(z.string(), count);

/** Which counter made a figure: `exact` is o200k_base. */
const countingSchema = z.enum(['exact', 'estimate']);
export type Counting = z.infer<typeof countingSchema>;

/** What a transcript tells about the model's own counting, newest pairs last: `[model's tokens, our tokens]` by model. */
const usagePairsSchema = z.record(z.string(), z.array(z.tuple([count, count])));
export type UsagePairs = z.infer<typeof usagePairsSchema>;

/** What is remembered of a transcript's reading: the figures of `TranscriptSummary`, flat, without what only the reader needs. */
export const transcriptDigestSchema = z.object({
  messages: count,
  turns: count,
  /** Tokens of all that the model would read of the live conversation: prose, tool calls and their results. */
  tokens: count,
  counting: countingSchema,
  toolSteps: count,
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
  /** The model that gave most of the answers. */
  mainModel: z.optional(z.string()),
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
  usagePairs: usagePairsSchema,
  /** Bytes and lines that were read: less than the file has when its last line was not whole yet. */
  end: z.object({ offset: count, line: count }),
});
export type TranscriptDigest = z.infer<typeof transcriptDigestSchema>;

/** Ratios settle long before this; more would only make the cache larger. */
const MAX_PAIRS_PER_MODEL = 200;

/** The newest pairs of each model. */
export function usagePairsOf(pairs: readonly UsagePair[]): UsagePairs {
  const all = new Map<string, UsagePairs[string]>();
  for (const { model, claudeTokens, counted } of pairs) {
    const own = all.get(model) ?? [];
    own.push([claudeTokens, counted]);
    all.set(model, own);
  }
  return Object.fromEntries([...all].map(([model, own]) => [model, own.slice(-MAX_PAIRS_PER_MODEL)]));
}

/** What is kept of a summary. */
export function digestOf(summary: TranscriptSummary, counting: Counting, usagePairs: UsagePairs): TranscriptDigest {
  const { facts, titles, account } = summary;
  return {
    messages: summary.messages,
    turns: summary.turns,
    tokens: summary.tokens + summary.resultTokens,
    counting,
    toolSteps: summary.toolSteps,
    inlineAgents: summary.inlineAgents,
    keepitCandidates: { ...summary.keepitCandidates },
    titles: { custom: titles.custom, ai: titles.ai, summary: titles.summary, firstWords: titles.firstWords },
    foreignTitles: titles.foreign.map(({ leafUuid, title }) => ({ leafUuid, title })),
    cwds: { ...facts.cwds },
    gitBranch: facts.gitBranch,
    versions: [...facts.versions],
    models: Object.keys(facts.models),
    mainModel: mostFrequent(facts.models),
    copiedFrom: [...facts.copiedFrom],
    firstTimestamp: facts.firstTimestamp,
    lastTimestamp: facts.lastTimestamp,
    account: {
      lines: account.lines,
      used: account.used,
      skipped: { ...account.skipped },
      brokenCount: account.brokenCount,
      broken: account.broken.map(({ line, error }) => ({ line, error })),
    },
    usagePairs,
    end: { ...summary.end },
  };
}

function mostFrequent(counts: Readonly<Record<string, number>>): string | undefined {
  return Object.entries(counts).toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
