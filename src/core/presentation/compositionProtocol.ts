import * as z from 'zod/mini';
import { compositionStrategySchema } from '../model/composition';

/** What a Composition Builder is about: a new composition of a project, or a saved one that is changed. Enough to make the panel again after a restart. */
export const compositionScopeSchema = z.object({
  projectId: z.string(),
  /** The saved composition that it began with. */
  opened: z.optional(z.string()),
});
export type CompositionScope = z.infer<typeof compositionScopeSchema>;

/** A number as it stands in a field; null while the field is empty. */
const fieldSchema = z.nullable(z.number());

/** How a component is compressed anew: so that it fits its allocation, or by a preset. */
export const recompressModeSchema = z.enum(['fit', 'gentle', 'standard', 'aggressive']);
export type RecompressMode = z.infer<typeof recompressModeSchema>;

/** One session in the builder. */
export const componentFormSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  /** A version, versions of parts, or `original`; empty: the strategy chooses. */
  versionIds: z.array(z.string()),
  /** Null: what the strategy gives it. */
  allocation: fieldSchema,
  /** With the strategy `custom`, relative to the others; null counts as 1. */
  weight: fieldSchema,
  recompress: z.optional(recompressModeSchema),
});
export type ComponentForm = z.infer<typeof componentFormSchema>;

/** The builder as it stands, right or wrong. */
export const compositionFormSchema = z.object({
  name: z.string(),
  budget: fieldSchema,
  strategy: compositionStrategySchema,
  hasMarkdown: z.boolean(),
  hasJsonl: z.boolean(),
  makesMissing: z.boolean(),
  components: z.array(componentFormSchema),
});
export type CompositionForm = z.infer<typeof compositionFormSchema>;

/** What the panel remembers while it is hidden, and after a restart. */
export const compositionStateSchema = z.object({
  scope: compositionScopeSchema,
  form: z.optional(compositionFormSchema),
  past: z.optional(z.array(compositionFormSchema)),
  future: z.optional(z.array(compositionFormSchema)),
  pane: z.optional(z.enum(['contents', 'strategies', 'text'])),
});
export type CompositionState = z.infer<typeof compositionStateSchema>;

/** How far composing has come. */
export const composingSchema = z.object({ done: z.number(), total: z.number(), label: z.optional(z.string()) });

/** What the builder is about. */
export const compositionDataSchema = z.object({
  scope: compositionScopeSchema,
  project: z.string(),
  windowTokens: z.number(),
  /** Names that are taken. */
  names: z.array(z.string()),
  /** What the builder shows before anybody has touched it. */
  usual: compositionFormSchema,
  composing: z.optional(composingSchema),
});
export type CompositionData = z.infer<typeof compositionDataSchema>;

/** A way in which a session can be in a composition, as the version picker shows it. */
export const builderOptionSchema = z.object({
  versionIds: z.array(z.string()),
  kind: z.enum(['original', 'version', 'parts', 'new', 'fresh', 'keepits', 'nothing']),
  tokens: z.number(),
  fidelity: z.number(),
  ratio: z.number(),
});
export type BuilderOption = z.infer<typeof builderOptionSchema>;

/** What a component comes to. */
export const builderComponentSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  title: z.string(),
  /** For sessions of other projects. */
  project: z.optional(z.string()),
  firstTimestamp: z.string(),
  lastTimestamp: z.string(),
  distance: z.number(),
  originalTokens: z.number(),
  options: z.array(builderOptionSchema),
  pick: builderOptionSchema,
  /** What it would take besides if others did not say it already. */
  repeatedTokens: z.number(),
  allocation: z.number(),
  why: z.string(),
  uncoveredMessages: z.number(),
  keepitsIn: z.number(),
  keepitsOut: z.number(),
});
export type BuilderComponent = z.infer<typeof builderComponentSchema>;

/** A keepit that will be in, or out. */
export const builderKeepitSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  markerId: z.string(),
  weight: z.number(),
  words: z.string(),
});
export type BuilderKeepit = z.infer<typeof builderKeepitSchema>;

/** Every number of the builder. */
export const builderPreviewSchema = z.object({
  components: z.array(builderComponentSchema),
  omitted: z.array(z.object({ projectId: z.string(), sessionId: z.string(), reason: z.string() })),
  budget: z.number(),
  totalTokens: z.number(),
  frameTokens: z.number(),
  shareOfWindow: z.number(),
  fidelity: z.number(),
  toMake: z.number(),
  /** Whether sizes are those of the text that would be composed; else they are those of the records, or expected. */
  isMeasured: z.boolean(),
  /** The heaviest ones, and how many there are of each. */
  keepits: z.object({
    included: z.array(builderKeepitSchema),
    left: z.array(builderKeepitSchema),
    includedCount: z.number(),
    leftCount: z.number(),
  }),
});
export type BuilderPreview = z.infer<typeof builderPreviewSchema>;

/** Something about a component that has changed since it was chosen: its session left memory, or its version was deleted. */
export const componentNoteSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  kind: z.enum(['gone', 'versionGone']),
  text: z.string(),
});
export type ComponentNote = z.infer<typeof componentNoteSchema>;

/** What each strategy would make of the same sessions. */
export const strategyOutcomeSchema = z.object({
  strategy: compositionStrategySchema,
  tokens: z.number(),
  fidelity: z.number(),
  /** Sessions of which nothing but keepits, or nothing at all, would be in. */
  leftOut: z.number(),
  /** Sessions that would come in another version than now. */
  changed: z.number(),
});
export type StrategyOutcome = z.infer<typeof strategyOutcomeSchema>;

/** A reason why nothing can be composed as the form stands. */
const refusalSchema = z.object({
  kind: z.literal('refused'),
  message: z.string(),
  /** For a budget that is too small. */
  smallestBudget: z.optional(z.number()),
  /** What the sessions would come to with that budget. */
  preview: z.optional(builderPreviewSchema),
  notes: z.array(componentNoteSchema),
});
export type CompositionRefusal = z.infer<typeof refusalSchema>;

const refSchema = z.object({ projectId: z.string(), sessionId: z.string() });

/** What the panel asks for. */
export const builderRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load') }),
  /**
   * Answered at once, with what is known by then, unless it `waits` until all is measured. A newer one supersedes an older one that waits,
   * which is then answered with `superseded`.
   */
  z.object({ type: z.literal('preview'), form: compositionFormSchema, waits: z.boolean() }),
  z.object({ type: z.literal('strategies'), form: compositionFormSchema }),
  /** A newer one supersedes an older one, which is then answered with `superseded`. */
  z.object({ type: z.literal('text'), form: compositionFormSchema }),
  /** Lets a person choose sessions. Answered at once; the chosen ones are told by an event. */
  z.object({ type: z.literal('chooseSessions'), present: z.array(refSchema) }),
  /** Sessions that were dropped on the panel; told by an event once they are in memory. */
  z.object({ type: z.literal('dropSessions'), sessions: z.array(refSchema) }),
  z.object({ type: z.literal('compose'), form: compositionFormSchema }),
  z.object({ type: z.literal('export'), form: compositionFormSchema, format: z.enum(['markdown', 'jsonl']) }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('deliver'), name: z.string(), to: z.enum(['resume', 'next-session', 'clipboard']) }),
  z.object({ type: z.literal('openKeepit'), projectId: z.string(), sessionId: z.string(), markerId: z.string() }),
  z.object({ type: z.literal('openSession'), projectId: z.string(), sessionId: z.string() }),
]);
export type BuilderRequest = z.infer<typeof builderRequestSchema>;

/** What it is answered, by the type of the request. */
export const builderAnswerSchemas = {
  load: compositionDataSchema,
  preview: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('preview'), preview: builderPreviewSchema, notes: z.array(componentNoteSchema) }),
    refusalSchema,
    z.object({ kind: z.literal('superseded') }),
  ]),
  strategies: z.object({ outcomes: z.array(strategyOutcomeSchema) }),
  text: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string(), tokens: z.number(), isProvisional: z.boolean() }),
    z.object({ kind: z.literal('refused'), message: z.string() }),
    z.object({ kind: z.literal('superseded') }),
  ]),
  done: z.object({}),
} as const;

/** What the extension tells without being asked. */
export const builderEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('add'), sessions: z.array(z.object({ ...refSchema.shape, firstTimestamp: z.string() })) }),
  z.object({ type: z.literal('progress'), ...composingSchema.shape }),
  z.object({ type: z.literal('composed'), name: z.string(), outcome: z.string() }),
  z.object({ type: z.literal('exported'), file: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('cancelled') }),
]);
export type BuilderEvent = z.infer<typeof builderEventSchema>;
