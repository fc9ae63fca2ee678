import * as z from 'zod/mini';
import { hookSettingsSchema } from './hookSettings';
import { schemaVersionSchema } from './schemaVersion';
import { count } from './count';

const text = z.string();

/** A piece of text that is ready to be given to a model. */
export const preparedPieceSchema = z.looseObject({
  /** One of the kinds of `hookActivity`. */
  kind: text,
  text,
  tokens: count,
  from: z.optional(text),
  /** The session that it tells of: that one need not be told. */
  sessionId: z.optional(text),
  /** The facts that it states: it is not given any more once one of them does not hold. */
  factIds: z.optional(z.array(text)),
  /** Of its blocks: see `briefNews`. In a card, where no session has to wait for them to be found. */
  keys: z.optional(z.array(text)),
  /** Of its blocks, by their keys, the session that each comes from. */
  origins: z.optional(z.record(text, text)),
});
export type PreparedPiece = z.infer<typeof preparedPieceSchema>;

/**
 * `hooks/card.json`: all that the hooks of a project give to sessions, made in the background, so that no session waits for it. Losing it
 * costs what the next session is not told.
 */
export const hookCardSchema = z.looseObject({
  version: schemaVersionSchema,
  projectId: text,
  madeAt: text,
  /** What it was made from: the stamp of each file, by its path. One that is another now makes the card old. */
  sources: z.record(text, text),
  /** As they were then, for a configuration that cannot be read. */
  settings: hookSettingsSchema,
  /** Whether new sessions of the project are taken into memory by themselves. */
  isAutomatic: z.boolean(),
  /** What the user laid down for the project. */
  rules: z.optional(preparedPieceSchema),
  /** In the order in which it is given; all of it together fits into one hook's output. */
  brief: z.array(preparedPieceSchema),
});
export type HookCard = z.infer<typeof hookCardSchema>;

const factState = z.looseObject({
  id: text,
  isRejected: z.optional(z.boolean()),
  supersededBy: z.optional(text),
});

/** Of `facts.json`, what a hook looks at when it has changed since the card was made. */
export const factStatesSchema = z.looseObject({
  permanent: z.looseObject({
    rules: z.array(factState),
    solutions: z.array(factState),
    core_logic: z.array(factState),
  }),
});
export type FactStates = z.infer<typeof factStatesSchema>;

/** Something that a prompt may remind of: a line of `hooks/reminders.json`. */
export const reminderUnitSchema = z.looseObject({
  id: text,
  text,
  /** What it is, and since when, for the model. */
  label: text,
  sessionId: z.optional(text),
  /** How much a prompt has to know of it; the sum of what its words weigh. */
  weight: count,
});
export type ReminderUnit = z.infer<typeof reminderUnitSchema>;

/** `hooks/reminders.json`. Kept as text as far as it goes: a hook looks up some words in it, and reads no more than it finds. */
export const reminderIndexSchema = z.looseObject({
  version: schemaVersionSchema,
  /** Each the JSON of a {@link ReminderUnit}. */
  units: z.array(text),
  /** `\nstem weight unit unit …` for each word, sorted. */
  words: text,
});
export type ReminderIndex = z.infer<typeof reminderIndexSchema>;

/** `hooks/sessions/<sessionId>/kept.json`: what of a session must outlive its compaction, as far as its transcript was read. */
export const keptSessionSchema = z.looseObject({
  version: schemaVersionSchema,
  sessionId: text,
  /** When the last of it was said. */
  at: text,
  title: text,
  /** How far the transcript was read. */
  bytes: count,
  /** Those that survive, pinned ones first. */
  keepits: z.array(z.looseObject({ weight: z.number(), text })),
  decisions: z.array(text),
  openEnds: z.array(text),
});
export type KeptSession = z.infer<typeof keptSessionSchema>;
