import * as z from 'zod/mini';
import { compositionPreviewSchema } from '../compositionPreview';
import { compositionStrategySchema, recompressSettingsSchema } from '../../model/composition';

/** What a Composition Builder is about: a new composition of a project, or a saved one that is changed. Enough to make the panel again after a restart. */
const compositionScopeSchema = z.object({
  projectId: z.string(),
  /** The saved composition that it began with. */
  opened: z.optional(z.string()),
});
export type CompositionScope = z.infer<typeof compositionScopeSchema>;

/** A number as it stands in a field; null while the field is empty. */
const fieldSchema = z.nullable(z.number());

/** One session in the builder. */
const componentFormSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  /** A version, versions of parts, or `original`; empty: the strategy chooses. */
  versionIds: z.array(z.string()),
  /** Null: what the strategy gives it. */
  allocation: fieldSchema,
  /** With the strategy `custom`, relative to the others; null counts as 1. */
  weight: fieldSchema,
  /** A new version is made of its original, like this. */
  recompress: z.optional(recompressSettingsSchema),
});
export type ComponentForm = z.infer<typeof componentFormSchema>;

/** The builder as it stands, right or wrong. */
const compositionFormSchema = z.object({
  name: z.string(),
  budget: fieldSchema,
  strategy: compositionStrategySchema,
  /** What the context is for, in words and files: passages compete by what they say to it. */
  purpose: z.string(),
  files: z.array(z.string()),
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
const composingSchema = z.object({ done: z.number(), total: z.number(), label: z.optional(z.string()) });

/** A composition as it was saved. */
const savedFiguresSchema = z.object({ form: compositionFormSchema, preview: compositionPreviewSchema });
export type SavedFigures = z.infer<typeof savedFiguresSchema>;

/** Words that could be the purpose. */
const purposeOfferSchema = z.object({ title: z.string(), purpose: z.string(), files: z.array(z.string()) });
export type PurposeOffer = z.infer<typeof purposeOfferSchema>;

/** What the builder is about. */
const compositionDataSchema = z.object({
  scope: compositionScopeSchema,
  project: z.string(),
  windowTokens: z.number(),
  /** Names that are taken. */
  names: z.array(z.string()),
  /** What the builder shows before anybody has touched it. */
  usual: compositionFormSchema,
  /** The composition that is open as it was saved; absent for a new one. */
  saved: z.optional(savedFiguresSchema),
  offers: z.array(purposeOfferSchema),
  composing: z.optional(composingSchema),
});
export type CompositionData = z.infer<typeof compositionDataSchema>;

/** Something about a component that has changed since it was chosen: its session left memory, or its version was deleted. */
const componentNoteSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  kind: z.enum(['gone', 'versionGone']),
  text: z.string(),
});
export type ComponentNote = z.infer<typeof componentNoteSchema>;

/** What a strategy makes of the same sessions. */
const strategyOutcomeSchema = z.object({
  strategy: compositionStrategySchema,
  tokens: z.number(),
  keeps: z.number(),
  /** Sessions of which nothing but keepits, or nothing at all, is in. */
  leftOut: z.number(),
});
export type StrategyOutcome = z.infer<typeof strategyOutcomeSchema>;

/** A session that may be worth adding, and why. */
const suggestedSchema = z.object({ projectId: z.string(), sessionId: z.string(), title: z.string(), why: z.string() });
export type Suggested = z.infer<typeof suggestedSchema>;

/** A reason why nothing can be composed as the form stands. */
const refusalSchema = z.object({
  kind: z.literal('refused'),
  message: z.string(),
  /** For a budget that is too small. */
  smallestBudget: z.optional(z.number()),
  /** What the sessions would come to with that budget. */
  preview: z.optional(compositionPreviewSchema),
  notes: z.array(componentNoteSchema),
});
export type CompositionRefusal = z.infer<typeof refusalSchema>;

const refSchema = z.object({ projectId: z.string(), sessionId: z.string() });

/** What the panel asks for. */
export const builderRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load') }),
  /** Composed for real. */
  z.object({ type: z.literal('preview'), form: compositionFormSchema }),
  z.object({ type: z.literal('strategies'), form: compositionFormSchema }),
  z.object({ type: z.literal('suggested'), form: compositionFormSchema }),
  /** As it would be; with `saved`, as the composition of that name was saved. */
  z.object({ type: z.literal('text'), form: compositionFormSchema, saved: z.optional(z.string()) }),
  /** Lets a person choose sessions. Answered at once; the chosen ones are told by an event. */
  z.object({ type: z.literal('chooseSessions'), present: z.array(refSchema) }),
  /** Sessions that were dropped on the panel; told by an event once they are in memory. */
  z.object({ type: z.literal('dropSessions'), sessions: z.array(refSchema) }),
  z.object({ type: z.literal('compose'), form: compositionFormSchema }),
  z.object({ type: z.literal('export'), form: compositionFormSchema, format: z.enum(['markdown', 'jsonl']) }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('deliver'), name: z.string(), to: z.enum(['resume', 'next-session', 'clipboard']) }),
  z.object({ type: z.literal('openKeepit'), projectId: z.string(), sessionId: z.string(), markerId: z.string() }),
  z.object({
    type: z.literal('openSession'),
    projectId: z.string(),
    sessionId: z.string(),
    messageUuid: z.optional(z.string()),
  }),
]);
export type BuilderRequest = z.infer<typeof builderRequestSchema>;

/** What it is answered, by the type of the request. */
export const builderAnswerSchemas = {
  load: compositionDataSchema,
  preview: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('preview'), preview: compositionPreviewSchema, notes: z.array(componentNoteSchema) }),
    refusalSchema,
  ]),
  strategies: z.object({ outcomes: z.array(strategyOutcomeSchema) }),
  suggested: z.object({ sessions: z.array(suggestedSchema) }),
  text: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('refused'), message: z.string() }),
  ]),
  done: z.object({}),
} as const;

/** What the extension tells without being asked. */
export const builderEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('add'), sessions: z.array(z.object({ ...refSchema.shape, firstTimestamp: z.string() })) }),
  z.object({ type: z.literal('progress'), ...composingSchema.shape }),
  z.object({ type: z.literal('composed'), name: z.string(), saved: z.optional(savedFiguresSchema) }),
  z.object({ type: z.literal('exported'), file: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('cancelled') }),
]);
export type BuilderEvent = z.infer<typeof builderEventSchema>;
