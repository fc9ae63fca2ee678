import * as z from 'zod/mini';
import { text, optionalText } from '../../model/fields';
import {
  isPinned,
  judgeSurvival,
  levelForRatio,
  survivalThreshold,
  thresholdText,
  type DecayLevel,
  type DecayOutcome,
} from '../../keepits/decay';
import { weightName, type WeightPreset } from '../../keepits/weights';
import { weightSchema } from '../../model/keepit';
import { configSchema } from '../../model/config';

/** How the ratio's control is bounded: below 2:1 nothing is compressed, above 100:1 nothing is left. */
export const RATIO_RANGE = { min: 2, max: 100 } as const;

/** One line of the panel's table. */
export interface DecayRow {
  readonly key: string;
  readonly weight: number;
  readonly preset: WeightPreset['name'];
  readonly preview: string;
  readonly session: string;
  readonly distance: number;
  readonly outcome: DecayOutcome;
  /** The weight from which on a keepit of this session survives; a pinned one has none. */
  readonly threshold: number | undefined;
  /** `0.80 ≥ 0.65`. */
  readonly reason: string;
}

/** What the panel says at some position of its controls. */
export interface DecayView {
  /** Heaviest first; of equal ones, those of newer sessions first, each session in the order of its conversation. */
  readonly rows: readonly DecayRow[];
  /** `5 of 7 survive, 1 of them barely; threshold 0.65`. */
  readonly summary: string;
  readonly level: DecayLevel;
  /** Of the sessions, nearest and farthest, where the controls leave it to them. */
  readonly distances: { readonly least: number; readonly most: number };
}

/** What the controls show before anybody has moved them: the project's usual compression, at the distances that there are. */
export function usualControls({ usual }: Pick<DecayData, 'usual'>): DecayControls {
  const ratio = Math.min(RATIO_RANGE.max, Math.max(RATIO_RANGE.min, usual.ratio));
  return levelForRatio(ratio) === usual.level ? { ratio } : { ratio, level: usual.level };
}

/** What would become of each marker. Called with every movement of a slider. */
export function decayView(data: DecayData, controls: DecayControls): DecayView {
  const level = controls.level ?? levelForRatio(controls.ratio);
  const rows = data.markers.map((marker) => rowOf(marker, data, { ...controls, level }));
  const distances = data.markers.map(({ distance }) => distance).sort((a, b) => a - b);
  return {
    rows: rows.sort((a, b) => b.weight - a.weight),
    summary: summaryOf(rows),
    level,
    distances: { least: distances[0] ?? 1, most: distances.at(-1) ?? 1 },
  };
}

function rowOf(marker: DecayMarker, { config }: DecayData, controls: DecayControls & { level: DecayLevel }): DecayRow {
  const { key, weight, preview, session } = marker;
  const { ratio, level, distance = marker.distance } = controls;
  const settings = { ratio, level, distance };
  const { outcome, reason } = judgeSurvival(weight, settings, config);
  const threshold = isPinned(weight, config) ? undefined : survivalThreshold(settings, config);
  return { key, weight, preset: weightName(weight), preview, session, distance, outcome, threshold, reason };
}

function summaryOf(rows: readonly DecayRow[]): string {
  if (rows.length === 0) return 'No keepits.';
  const surviving = rows.filter(({ outcome }) => outcome !== 'fades').length;
  const barely = rows.filter(({ outcome }) => outcome === 'barely').length;
  const thresholds = rows.flatMap(({ threshold }) => threshold ?? []).sort((a, b) => a - b);
  const [least, most] = [thresholds[0], thresholds.at(-1)];
  const words = [`${surviving} of ${rows.length} survive${rows.length === 1 && surviving === 1 ? 's' : ''}`];
  if (barely > 0) words.push(`, ${barely} of them barely`);
  if (least !== undefined && most !== undefined) {
    const isOne = thresholdText(least) === thresholdText(most);
    words.push(
      isOne ? `; threshold ${thresholdText(least)}` : `; thresholds ${thresholdText(least)} to ${thresholdText(most)}`,
    );
  }
  return words.join('');
}

/** What the decay preview is about: a session, or all sessions of a project. Enough to make the panel again after a restart. */
const decayScopeSchema = z.object({
  projectId: text,
  sessionId: optionalText,
});
export type DecayScope = z.infer<typeof decayScopeSchema>;

const levelSchema = z.enum(['light', 'moderate', 'aggressive']);

/** What a person has set in the panel. What is not set follows from something else. */
const decayControlsSchema = z.object({
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
const decayMarkerSchema = z.object({
  /** Unique in the panel. */
  key: text,
  weight: weightSchema,
  /** The beginning of what is marked, in one line. */
  preview: text,
  /** Of its session, as it is now. */
  distance: z.number(),
  /** The title of its session. */
  session: text,
});
export type DecayMarker = z.infer<typeof decayMarkerSchema>;

/** All that the panel shows; what becomes of the markers it computes itself, while a slider moves. */
export const decayDataSchema = z.object({
  scope: decayScopeSchema,
  /** The session's title, or the project's name. */
  title: text,
  project: text,
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
  z.object({ type: z.literal('open'), key: text }),
]);
export type DecayPanelRequest = z.infer<typeof decayRequestSchema>;

/** What it is answered, by the type of the request. */
export const decayAnswerSchemas = {
  load: decayDataSchema,
  open: z.object({ isShown: z.boolean() }),
} as const;
