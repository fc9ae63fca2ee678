import * as z from 'zod/mini';
import { weightSchema } from '../model/keepit';
import { configSchema } from '../model/config';

/** What the decay preview is about: a session, or all sessions of a project. Enough to make the panel again after a restart. */
export const decayScopeSchema = z.object({
  projectId: z.string(),
  sessionId: z.optional(z.string()),
});
export type DecayScope = z.infer<typeof decayScopeSchema>;

const levelSchema = z.enum(['light', 'moderate', 'aggressive']);

/** What a person has set in the panel. What is not set follows from something else. */
export const decayControlsSchema = z.object({
  /** 30 for 30:1; from 2 to 100. */
  ratio: z.number().check(z.gte(2), z.lte(100)),
  /** Absent: what the ratio implies. */
  level: z.optional(levelSchema),
  /** Absent: that of each session, as it is now. */
  distance: z.optional(z.number().check(z.gte(1))),
});
export type DecayControls = z.infer<typeof decayControlsSchema>;

/** What the panel remembers while it is hidden, and after a restart. */
export const decayStateSchema = z.object({ scope: decayScopeSchema, controls: z.optional(decayControlsSchema) });
export type DecayState = z.infer<typeof decayStateSchema>;

/** One keepit, as far as the panel shows it. */
export const decayMarkerSchema = z.object({
  /** Unique in the panel. */
  key: z.string(),
  weight: weightSchema,
  /** The beginning of what is marked, in one line. */
  preview: z.string(),
  /** Of its session, as it is now. */
  distance: z.number(),
  /** The title of its session. */
  session: z.string(),
});
export type DecayMarker = z.infer<typeof decayMarkerSchema>;

/** All that the panel shows; what becomes of the markers it computes itself, while a slider moves. */
export const decayDataSchema = z.object({
  scope: decayScopeSchema,
  /** The session's title, or the project's name. */
  title: z.string(),
  project: z.string(),
  /** Off in this project: nothing fades. The panel then shows what would. */
  isDecayOn: z.boolean(),
  config: configSchema.shape.keepitDecay,
  /** What the project's compressions come to, for the controls to begin with. */
  usual: z.object({ ratio: z.number(), level: levelSchema }),
  /** Newest session first, each in the order of its conversation. */
  markers: z.array(decayMarkerSchema),
});
export type DecayData = z.infer<typeof decayDataSchema>;

/** What the panel asks for. */
export const decayRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load') }),
  /** Show the message that a marker is in. */
  z.object({ type: z.literal('open'), key: z.string() }),
]);
export type DecayPanelRequest = z.infer<typeof decayRequestSchema>;

/** What it is answered, by the type of the request. */
export const decayAnswerSchemas = {
  load: decayDataSchema,
  open: z.object({ isShown: z.boolean() }),
} as const;
