import * as z from 'zod/mini';
import { compressionSettingsSchema } from './compression';
import {
  projectIdSchema,
  sessionIdSchema,
  timestampSchema,
  versionIdSchema,
  count,
  text,
  texts,
  optionalText,
  optionalFlag,
  optionalCount,
} from './fields';

/**
 * How the budget is shared between sessions. `best`: all that was asked and answered in any of them is cut to the same length; `age`: seed
 * 001's table; `custom`: by the weights of the components.
 */
export const compositionStrategySchema = z.enum(['best', 'equal', 'age', 'custom']);
export type CompositionStrategy = z.infer<typeof compositionStrategySchema>;

export const outputFormatSchema = z.enum(['markdown', 'jsonl', 'both']);
export type OutputFormat = z.infer<typeof outputFormatSchema>;

/** What a new version of a component is to be like; what is left out follows from the session's age and the budget. */
export const recompressSettingsSchema = z.partial(
  z.pick(compressionSettingsSchema, {
    mode: true,
    compactionRatio: true,
    aggressiveness: true,
    tierPreset: true,
    customTiers: true,
    keepitMode: true,
  }),
);
export type RecompressSettings = z.infer<typeof recompressSettingsSchema>;

/** Seed 000, 4.4: one session that is asked for. Two entries for one session name versions of two of its parts. */
export const requestedComponentSchema = z.looseObject({
  /** The project of the composition when absent. */
  projectId: z.optional(projectIdSchema),
  sessionId: sessionIdSchema,
  /** A version by its id, `original`, or `auto`, which is what absence means. */
  versionId: z.optional(versionIdSchema),
  /** Tokens that the session may take; instead of what the strategy gives it. */
  allocation: optionalCount,
  /** Its share of the budget with `custom`, relative to the others'; 1 when absent. */
  weight: optionalCount,
  /** Make a new version from the original, whatever there is. */
  recompressSettings: z.optional(recompressSettingsSchema),
});
export type RequestedComponent = z.infer<typeof requestedComponentSchema>;

/** Seed 000, 4.4: what a composition is made from; recorded with it, so that it can be made again. */
const compositionRequestSchema = z.looseObject({
  name: text,
  components: z.array(requestedComponentSchema),
  totalTokenBudget: count,
  outputFormat: outputFormatSchema,
  /** One that is no longer known was recorded by an earlier release. */
  strategy: z.catch(compositionStrategySchema, 'best'),
  /** What the context is for: passages compete for room by what they say to it, and to the files. */
  purpose: optionalText,
  files: z.optional(texts),
  /** Whether sessions are condensed to the room that there is; else only originals and versions that there are come in. True when absent. */
  makesMissing: optionalFlag,
});
export type CompositionRequest = z.infer<typeof compositionRequestSchema>;

/** Seed 000, 2.1.5: what one version of a session, or of one of its parts, gave to a composition. */
const compositionComponentSchema = z.looseObject({
  sessionId: sessionIdSchema,
  /** A version's id, `original`, `fresh` for what was made for this composition alone, or `keepits` where nothing but those fits. */
  versionId: versionIdSchema,
  order: count,
  tokenContribution: count,
  recompress: z.optional(z.looseObject({ settings: compressionSettingsSchema, reason: text })),
  /** Absent where it is the composition's own project. */
  projectId: z.optional(projectIdSchema),
  partNumber: z.optional(z.number().check(z.gte(1))),
  messageRange: z.optional(z.tuple([count, count])),
  /** What the strategy gave the session. */
  allocation: optionalCount,
  /** How much of the session it still holds, from 0 to 1. */
  fidelity: z.optional(z.number().check(z.gte(0), z.lte(1))),
  /** Why this version, in one sentence. */
  why: optionalText,
});
export type CompositionComponent = z.infer<typeof compositionComponentSchema>;

/** A session, or something of one, that is not in a composition. */
const omittedComponentSchema = z.looseObject({
  projectId: z.optional(projectIdSchema),
  sessionId: sessionIdSchema,
  reason: text,
});
export type OmittedComponent = z.infer<typeof omittedComponentSchema>;

export const deliveryTargetSchema = z.enum(['resume', 'next-session', 'stdout', 'file', 'clipboard']);
export type DeliveryTarget = z.infer<typeof deliveryTargetSchema>;

/** One time that a composition was handed over. */
const deliverySchema = z.looseObject({
  to: deliveryTargetSchema,
  deliveredAt: timestampSchema,
  tokens: count,
  /** For `resume`: the id under which the delivered transcript was written. */
  sessionId: z.optional(sessionIdSchema),
  file: optionalText,
});
export type Delivery = z.infer<typeof deliverySchema>;

/** Seed 000, 2.1.5: a context composed from many sessions. What is optional is absent in records of other tools. */
export const composedContextRecordSchema = z.looseObject({
  compositionId: text,
  name: text,
  createdAt: timestampSchema,
  components: z.array(compositionComponentSchema),
  /** Relative to the project's folder: `composed/<name>/composed.md`. */
  outputFile: text,
  /** Measured on the final text; with `both` formats, the larger of the two. */
  totalTokens: count,
  totalMessages: count,
  usedInSessions: z.array(sessionIdSchema),
  request: z.optional(compositionRequestSchema),
  /** When it was last made; `createdAt` stays what it was when it is rebuilt. */
  builtAt: z.optional(timestampSchema),
  budget: optionalCount,
  /** Names of the files in the composition's folder. */
  outputs: z.optional(texts),
  tokens: z.optional(z.looseObject({ markdown: optionalCount, jsonl: optionalCount })),
  omitted: z.optional(z.array(omittedComponentSchema)),
  /** How much of what mattered in its sessions it holds, from 0 to 1. */
  keeps: z.optional(z.number().check(z.gte(0), z.lte(1))),
  keepits: z.optional(z.looseObject({ included: count, left: count })),
  /** What was taken out because it gives access to something, by kind. */
  redacted: z.optional(z.array(z.looseObject({ kind: text, count }))),
  deliveries: z.optional(z.array(deliverySchema)),
});
export type ComposedContextRecord = z.infer<typeof composedContextRecordSchema>;
