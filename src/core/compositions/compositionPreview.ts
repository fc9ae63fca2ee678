import * as z from 'zod/mini';
import { parsedJson } from '../text/ownValue';

/** A way in which a session can be in a composition, for a picker. */
const previewOptionSchema = z.object({
  kind: z.enum(['original', 'version', 'parts', 'new', 'fresh', 'keepits', 'nothing']),
  /** One for a version of the whole, several for parts; `original`; empty for what was made, for keepits alone, and for nothing. */
  versionIds: z.array(z.string()),
  /** Heading and links included. */
  tokens: z.number(),
  fidelity: z.number(),
  ratio: z.number(),
  isPicked: z.boolean(),
});
export type PreviewOption = z.infer<typeof previewOptionSchema>;

/** What a session comes to in a composition. */
const componentSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  title: z.string(),
  /** What its project is called, where that is not the composition's own. */
  project: z.optional(z.string()),
  firstTimestamp: z.string(),
  lastTimestamp: z.string(),
  /** How many sessions ago, and the detail that seed 001 gives to that age. */
  distance: z.number(),
  level: z.enum(['light', 'moderate', 'aggressive']),
  originalTokens: z.number(),
  originalMessages: z.number(),
  options: z.array(previewOptionSchema),
  pick: previewOptionSchema,
  /** What the strategy gives it, or what was given by hand. */
  allocation: z.number(),
  /** Its part of the whole composition, from 0 to 1. */
  share: z.number(),
  /** What it would take besides if other sessions of the composition did not say it already. */
  repeatedTokens: z.number(),
  /** Named by a person rather than chosen. */
  isFixed: z.boolean(),
  why: z.string(),
  /** Messages that are in no version that was picked: newer ones, as a rule. */
  uncoveredMessages: z.number(),
  keepitsIn: z.number(),
  keepitsOut: z.number(),
});
export type PreviewComponent = z.infer<typeof componentSchema>;

const keepitSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  markerId: z.string(),
  weight: z.number(),
  words: z.string(),
});
export type PreviewKeepit = z.infer<typeof keepitSchema>;

/** Something that mattered in a session, and is nowhere in the composition. */
const lossSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
  kind: z.string(),
  text: z.string(),
  messageUuid: z.string(),
});
export type PreviewLoss = z.infer<typeof lossSchema>;

/** Everything that is shown of a composition: before it is saved, and as it was when it was. */
export const compositionPreviewSchema = z.object({
  components: z.array(componentSchema),
  omitted: z.array(z.object({ projectId: z.string(), sessionId: z.string(), reason: z.string() })),
  budget: z.number(),
  totalTokens: z.number(),
  /** What stands around the sessions. */
  frameTokens: z.number(),
  leftTokens: z.number(),
  /** Of the model's window, from 0 to 1. */
  windowTokens: z.number(),
  shareOfWindow: z.number(),
  /** How much of what mattered in its sessions it holds, from 0 to 1. */
  keeps: z.number(),
  /** Versions that were asked for, and would be kept. */
  toMake: z.number(),
  /** The heaviest ones, and how many there are of each. */
  keepits: z.object({
    included: z.array(keepitSchema),
    left: z.array(keepitSchema),
    includedCount: z.number(),
    leftCount: z.number(),
  }),
  /** What weighs most of what is lost, and how much there is of that. */
  lost: z.object({ facts: z.array(lossSchema), count: z.number() }),
});
export type CompositionPreview = z.infer<typeof compositionPreviewSchema>;

/** Undefined where the text is none. */
export function readPreview(text: string): CompositionPreview | undefined {
  return compositionPreviewSchema.safeParse(parsedJson(text)).data;
}
