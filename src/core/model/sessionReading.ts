import * as z from 'zod/mini';
import { count, schemaVersionSchema, text, optionalText, optionalFlag } from './fields';

const quoteSchema = z.looseObject({ messageUuid: text, quote: text, ts: optionalText });

/** Something that a model noted of a session, with the words that show it: these were found in the transcript, to the letter. */
const notedItemSchema = z.looseObject({
  ...quoteSchema.shape,
  kind: z.enum(['rule', 'preference', 'decision', 'fact', 'solution', 'open']),
  by: z.enum(['user', 'claude']),
  /** What it answers; of a solution what was wrong. */
  to: z.optional(quoteSchema),
  why: text,
  /** It is whole sentences of the user's, and by itself an order or a decision. */
  alone: z.boolean(),
});
export type NotedItem = z.infer<typeof notedItemSchema>;

/** `sessions/<name>.reading.json`: what a model noted of a session. Layers are built with it; it outlives building them anew. */
export const sessionReadingSchema = z.looseObject({
  version: schemaVersionSchema,
  sessionId: text,
  readAt: text,
  /** Of the transcript as it was read. */
  sourceBytes: count,
  /** Which words the model was asked with, and which model. */
  prompt: text,
  model: text,
  title: text,
  digest: text,
  items: z.array(notedItemSchema),
  requests: z.array(z.looseObject({ uuid: text, topic: text, summary: text })),
  review: z.array(z.looseObject({ id: text, verdict: z.enum(['holds', 'replaced', 'unclear']), quote: text })),
  /** How many quotes were refused, as nobody or somebody else had said them. */
  refused: count,
  /** How often it was tried in vain since it was last read. */
  failures: count,
  /** It was not put where it is used yet. */
  isUnfinished: optionalFlag,
});
export type SessionReading = z.infer<typeof sessionReadingSchema>;

/** How Claude may read sessions, in `config.json`: one switch for all that costs something. */
export const readingSettingsSchema = z.looseObject({
  /** The user agreed: when a session ends, a model reads it. */
  enabled: z.boolean(),
  /** When they did; sessions of before are read where somebody asks for it. */
  since: text,
  provider: z.enum(['claude-cli', 'anthropic']),
  model: text,
  /** What reading one session may cost at most. */
  sessionUsd: z.number().check(z.gte(0)),
  /** Notes of the user's own words count as stated, where they stand alone, without a review. */
  trustNotes: z.boolean(),
  /** The project's memory is put together anew after so many sessions; 0 for never. */
  synthesizeAfter: z.number().check(z.int(), z.gte(0)),
});
export type ReadingSettings = z.infer<typeof readingSettingsSchema>;

export const defaultReadingSettings: ReadingSettings = {
  enabled: false,
  since: '',
  provider: 'claude-cli',
  model: 'haiku',
  sessionUsd: 0.1,
  trustNotes: false,
  synthesizeAfter: 0,
};
