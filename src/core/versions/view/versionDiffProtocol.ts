import * as z from 'zod/mini';
import { fidelitySchema } from '../../model/compression';

/** The two versions that a panel compares. Enough to make the panel again after a restart. */
export const versionDiffScopeSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  /** Ids of versions, or `original`. */
  a: z.string(),
  b: z.string(),
});
export type VersionDiffScope = z.infer<typeof versionDiffScopeSchema>;

export const lostKindSchema = z.enum(['keepit', 'instruction', 'decision', 'error', 'path', 'command', 'identifier']);

/** How a person has arranged the panel. */
export const versionDiffSettingsSchema = z.object({
  layout: z.enum(['split', 'unified']),
  /** Kinds of losses that are not shown. */
  hidden: z.array(lostKindSchema),
  /** Only messages that lost something of the kinds that are shown. */
  isLossOnly: z.boolean(),
});
export type VersionDiffSettings = z.infer<typeof versionDiffSettingsSchema>;

/** What the panel remembers while it is hidden, and after a restart. */
export const versionDiffStateSchema = z.object({
  scope: versionDiffScopeSchema,
  settings: z.optional(versionDiffSettingsSchema),
});
export type VersionDiffState = z.infer<typeof versionDiffStateSchema>;

const rangeSchema = z.tuple([z.number(), z.number()]);

/** One line of a receipt, with the words that it is about. */
export const receiptRowSchema = z.object({
  key: z.string(),
  weight: z.number(),
  kept: z.boolean(),
  /** `0.80 ≥ 0.65`. */
  reason: z.string(),
  /** The beginning of what is marked; absent when it is not in the session any more. */
  words: z.optional(z.string()),
});
export type ReceiptRow = z.infer<typeof receiptRowSchema>;

export const diffEndSchema = z.object({
  versionId: z.string(),
  tokens: z.number(),
  messageRange: rangeSchema,
  fidelity: z.optional(fidelitySchema),
  /** Absent for the original. */
  receipt: z.optional(z.array(receiptRowSchema)),
});
export type ShownEnd = z.infer<typeof diffEndSchema>;

export const shownLossSchema = z.object({
  kind: lostKindSchema,
  /** One line. */
  text: z.string(),
  /** What to ask the extension to open. */
  messageUuid: z.string(),
  messageIndex: z.number(),
  reason: z.optional(z.string()),
  /** The hunk that is about its message; -1 when none is. */
  hunk: z.number(),
});
export type ShownLoss = z.infer<typeof shownLossSchema>;

/** A hunk without its words, which are asked for when it comes into sight. */
export const hunkOutlineSchema = z.object({
  from: z.number(),
  to: z.number(),
  /** Characters on each side, by which its height is estimated until it is drawn. */
  charactersOfA: z.number(),
  charactersOfB: z.number(),
});
export type HunkOutline = z.infer<typeof hunkOutlineSchema>;

/** All of a comparison but its words. */
export const versionDiffDataSchema = z.object({
  scope: versionDiffScopeSchema,
  /** The session's title. */
  title: z.string(),
  project: z.string(),
  /** What can be compared, `original` first. */
  choices: z.array(z.object({ versionId: z.string(), label: z.string() })),
  a: diffEndSchema,
  b: diffEndSchema,
  added: z.number(),
  removed: z.number(),
  kept: z.number(),
  lost: z.array(shownLossSchema),
  hunks: z.array(hunkOutlineSchema),
  /** Of this comparison: words of another one are not mixed into it. */
  stamp: z.number(),
});
export type VersionDiffData = z.infer<typeof versionDiffDataSchema>;

const changeSchema = z.enum(['kept', 'removed', 'added']);
const blockSchema = z.object({
  kind: z.enum(['message', 'heading', 'note', 'keepit']),
  role: z.enum(['user', 'assistant']),
  from: z.number(),
  to: z.number(),
});

/** The words of a hunk. */
export const shownHunkSchema = z.object({
  a: z.array(blockSchema),
  b: z.array(blockSchema),
  parts: z.array(
    z.object({
      change: changeSchema,
      text: z.string(),
      textOfA: z.optional(z.string()),
      a: z.optional(z.number()),
      b: z.optional(z.number()),
    }),
  ),
  messageUuid: z.string(),
  cutCharacters: z.number(),
});
export type ShownHunk = z.infer<typeof shownHunkSchema>;

/** Hunks are fetched so many at a time. */
export const MAX_HUNKS_PER_REQUEST = 50;

/** What the panel asks for. */
export const versionDiffRequestSchema = z.discriminatedUnion('type', [
  /** Compare these two from now on. */
  z.object({ type: z.literal('load'), a: z.string(), b: z.string() }),
  z.object({
    type: z.literal('hunks'),
    stamp: z.number(),
    from: z.number().check(z.gte(0)),
    count: z.number().check(z.gte(1), z.lte(MAX_HUNKS_PER_REQUEST)),
  }),
  /** Show a message of the original. */
  z.object({ type: z.literal('open'), messageUuid: z.string() }),
]);
export type VersionDiffRequest = z.infer<typeof versionDiffRequestSchema>;

/** What it is answered, by the type of the request. */
export const versionDiffAnswerSchemas = {
  load: versionDiffDataSchema,
  /** Fewer than asked for at the end; none when another comparison has taken the place of that one. */
  hunks: z.object({ stamp: z.number(), hunks: z.array(shownHunkSchema) }),
  open: z.object({ isShown: z.boolean() }),
} as const;

/** What the extension says unasked: compare others, as the command was called for them. */
export const versionDiffEventSchema = z.object({ type: z.literal('choose'), a: z.string(), b: z.string() });
export type VersionDiffEvent = z.infer<typeof versionDiffEventSchema>;
