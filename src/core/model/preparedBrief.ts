import * as z from 'zod/mini';
import { count, schemaVersionSchema, timestampSchema, text, texts, optionalText, optionalFlag } from './fields';
import { hookSettingsSchema } from './hookSettings';

/** What a line of a brief is: `state` and `index` report, the others hold. */
const BRIEF_KINDS = ['state', 'rule', 'decision', 'solution', 'notes', 'index'] as const;
export type BriefKind = (typeof BRIEF_KINDS)[number];

const place = z.looseObject({ sessionId: text, messageUuid: optionalText });

/** One line of a brief. */
export const briefItemSchema = z.looseObject({
  kind: z.enum(BRIEF_KINDS),
  text,
  trust: z.enum(['stated', 'proved', 'reported']),
  sources: z.array(place),
  /** The line that it stands under. */
  heading: text,
  /** Equal wherever the same is said: by it a session is told nothing twice. */
  key: text,
  /** The fact that it states: it is not given any more once that does not hold. */
  factId: optionalText,
});
export type BriefItem = z.infer<typeof briefItemSchema>;

/**
 * `hooks/brief.json`: what the hooks of a project give to sessions, made in the background, so that no session waits for it. Losing it
 * costs what the next session is not told.
 */
export const preparedBriefSchema = z.looseObject({
  version: schemaVersionSchema,
  projectId: text,
  madeAt: text,
  /** What it was made from: the stamp of each file, by its path. One that is another now makes the brief old. */
  sources: z.record(text, text),
  /** As they were then, for a configuration that cannot be read. */
  settings: hookSettingsSchema,
  /** Whether new sessions of the project are taken into memory by themselves. */
  isAutomatic: z.boolean(),
  /** What a session is told at its start, in this order. */
  items: z.array(briefItemSchema),
  /** All rules and decisions in force, for the time after a compaction, and for `CLAUDE.md`. */
  inForce: z.array(briefItemSchema),
});
export type PreparedBrief = z.infer<typeof preparedBriefSchema>;

/** `hooks/files.json`: what past sessions decided about files, by the last part of their paths. */
export const fileNotesSchema = z.looseObject({
  version: schemaVersionSchema,
  /** The file of facts that they were made from, with its stamp then. */
  facts: z.optional(z.looseObject({ file: text, stamp: text })),
  notes: z.record(
    text,
    z.array(
      z.looseObject({
        /** The path as the fact has it: `src/retry.ts`, or the name alone. */
        file: text,
        text,
        key: text,
        factId: text,
        sessionId: optionalText,
      }),
    ),
  ),
});
export type FileNotes = z.infer<typeof fileNotesSchema>;

const factState = z.looseObject({
  id: text,
  isRejected: optionalFlag,
  supersededBy: optionalText,
});

/** Of `facts.json`, what a hook looks at when it has changed since the brief was made. */
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
  sessionId: optionalText,
  /** How much a prompt has to know of it; the sum of what its words weigh. */
  weight: count,
});
export type ReminderUnit = z.infer<typeof reminderUnitSchema>;

/** `hooks/reminders.json`. Kept as text as far as it goes: a hook looks up some words in it, and reads no more than it finds. */
export const reminderIndexSchema = z.looseObject({
  version: schemaVersionSchema,
  /** Each the JSON of a {@link ReminderUnit}. */
  units: texts,
  /** `\nstem weight unit unit …` for each word, sorted. */
  words: text,
});
export type ReminderIndex = z.infer<typeof reminderIndexSchema>;

const quote = z.looseObject({ text, uuid: text });

/** `hooks/sessions/<sessionId>/state.json`: where a session stands, as far as its transcript was read. */
export const sessionStateSchema = z.looseObject({
  version: schemaVersionSchema,
  sessionId: text,
  /** When the last of it was said. */
  at: text,
  title: text,
  branch: optionalText,
  /** How far the transcript was read. */
  bytes: count,
  /** Those that survive, pinned ones first. */
  keepits: z.array(z.looseObject({ weight: z.number(), text })),
  /** What was asked last, and what Claude said that came of it. */
  request: z.optional(quote),
  outcome: z.optional(quote),
  /** What its list of tasks leaves open. */
  tasks: texts,
  /** The message with that list. */
  tasksUuid: optionalText,
  /** A plan that the user approved, and nothing was committed since. */
  plan: z.optional(quote),
  /** What was committed, pushed, opened or published last. */
  done: z.optional(quote),
  /** Whether something was changed, run or decided in it. */
  isWork: optionalFlag,
  /** Files that were changed. */
  files: texts,
});
export type SessionState = z.infer<typeof sessionStateSchema>;

/** `armed.json`: what the SessionStart hook of a project hands to the next session, once. */
export const armedContextSchema = z.looseObject({
  version: schemaVersionSchema,
  projectId: text,
  compositionId: text,
  name: text,
  armedAt: timestampSchema,
  /** What is handed over: fits into what one hook may put out. */
  text: text,
  /** Where all of it is, when that text is not. */
  rest: z.optional(z.looseObject({ file: text })),
});
export type ArmedContext = z.infer<typeof armedContextSchema>;
