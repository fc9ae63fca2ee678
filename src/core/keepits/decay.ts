import type { Aggressiveness } from '../model/compression';
import type { Config } from '../model/config';

/** The numbers of the decay model, all of them the user's to change. */
export type DecayConfig = Config['keepitDecay'];

/** How hard a compression cuts, in the words of the formula. */
export type DecayLevel = 'light' | 'moderate' | 'aggressive';

/** A compression, as far as the fate of keepits depends on it. */
export interface DecaySettings {
  /** 30 for 30:1. */
  readonly ratio: number;
  readonly level: DecayLevel;
  /** How many sessions ago; 1 = newest. */
  readonly distance: number;
}

/** A compression without the distance, which is the session's own. */
export type UsualCompression = Omit<DecaySettings, 'distance'>;

/** `barely`: survives, and would not if the weight were a little less or the session a little older. */
export type DecayOutcome = 'survives' | 'barely' | 'fades';

/** What becomes of one marker. */
interface Survival {
  readonly survives: boolean;
  readonly outcome: DecayOutcome;
  /** For people: `0.80 ≥ 0.65`, `pinned`. */
  readonly reason: string;
}

/** Weights have two decimals and the formula is made of decimals: what differs by less is the same number, seen through binary fractions. */
const TOLERANCE = 1e-9;

/** How near above the threshold a weight survives only barely; as in seed 000, 6.3, where 0.80 against 0.80 is "barely" and against 0.65 is not. */
const BARE_MARGIN = 0.05;

const MODERATE_FROM_RATIO = 6;
const AGGRESSIVE_FROM_RATIO = 16;

/** The level of a compression's aggressiveness: `minimal` is the formula's light. */
export function decayLevel(aggressiveness: Aggressiveness | DecayLevel): DecayLevel {
  return aggressiveness === 'minimal' ? 'light' : aggressiveness;
}

/** The level where only a ratio is known: up to 5 light, 6 to 15 moderate, from 16 on aggressive. */
export function levelForRatio(ratio: number): DecayLevel {
  if (ratio >= AGGRESSIVE_FROM_RATIO) return 'aggressive';
  return ratio >= MODERATE_FROM_RATIO ? 'moderate' : 'light';
}

/** How hard a ratio alone cuts. */
export function aggressivenessForRatio(ratio: number): Aggressiveness {
  const level = levelForRatio(ratio);
  return level === 'light' ? 'minimal' : level;
}

/** Seed 000, 4.1.1, verbatim: the weight from which on a keepit survives. Above 1 only pinned ones do. */
export function survivalThreshold({ ratio, level, distance }: DecaySettings, config: DecayConfig): number {
  const { compressionBase, maxSessionDistance } = config;
  const ratioPenalty = ratio / 100;
  const distanceFactor = Math.min(distance, maxSessionDistance) / maxSessionDistance;
  return withoutNoise(compressionBase[level] + ratioPenalty * distanceFactor);
}

/** Seed 000, 4.1.2: whether a keepit of this weight survives, and how it is said. */
export function judgeSurvival(weight: number, settings: DecaySettings, config: DecayConfig): Survival {
  if (isPinned(weight, config)) return { survives: true, outcome: 'survives', reason: 'pinned: always survives' };
  const threshold = survivalThreshold(settings, config);
  const survives = weight >= threshold - TOLERANCE;
  const isBare = survives && weight < threshold + BARE_MARGIN - TOLERANCE;
  return {
    survives,
    outcome: isBare ? 'barely' : survives ? 'survives' : 'fades',
    reason: `${weight.toFixed(2)} ${survives ? '≥' : '<'} ${thresholdText(threshold)}`,
  };
}

/** Never summarized, whatever the settings are. */
export function isPinned(weight: number, { pinnedWeight }: DecayConfig): boolean {
  return weight >= pinnedWeight - TOLERANCE;
}

/**
 * The largest distance at which a keepit of this weight survives: `any` when it survives in the oldest session too, 0 when it
 * fades even in the newest one.
 */
export function survivalReach(weight: number, { ratio, level }: UsualCompression, config: DecayConfig): number | 'any' {
  const { compressionBase, maxSessionDistance } = config;
  const survivesAt = (distance: number): boolean => judgeSurvival(weight, { ratio, level, distance }, config).survives;
  if (survivesAt(maxSessionDistance)) return 'any';
  // The formula, solved for the distance; the rounding of its result is put right by the formula itself.
  const solved = ((weight - compressionBase[level]) * maxSessionDistance * 100) / ratio;
  const reach = Math.max(0, Math.round(solved));
  if (reach > 0 && !survivesAt(reach)) return reach - 1;
  return reach > 0 || survivesAt(1) ? Math.max(1, reach) : 0;
}

/** Two decimals, as weights have; a third where the threshold has one (0.135), so that nothing looks equal that is not. */
export function thresholdText(threshold: number): string {
  const exact = String(Math.round(threshold * 1000) / 1000);
  return exact.length > threshold.toFixed(2).length ? exact : threshold.toFixed(2);
}

function withoutNoise(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** The tier of each preset that cuts hardest (DESIGN section 6): what survives there survives everywhere in the session. */
const hardestTiers: ReadonlyMap<string, UsualCompression> = new Map([
  ['gentle', { ratio: 10, level: 'moderate' }],
  ['standard', { ratio: 25, level: 'aggressive' }],
  ['aggressive', { ratio: 50, level: 'aggressive' }],
]);

const STANDARD: UsualCompression = { ratio: 25, level: 'aggressive' };

/**
 * What a project's default preset comes to for its keepits, at its hardest; a preset of another name is taken for the
 * standard one. Names may carry `tiered-`, as versions do.
 */
export function usualCompression(preset: string): UsualCompression {
  return hardestTiers.get(preset.toLowerCase().replace(/^tiered-/, '')) ?? STANDARD;
}

/** What decides how long ago a session was. A manifest entry is one; of a session that is not in memory only the first two are known. */
export interface DistanceFacts {
  readonly sessionId: string;
  readonly lastTimestamp: string;
  readonly registeredAt?: string;
  readonly lastAccessed?: string;
}

/**
 * The distance of a session: its rank by recency among those of its project that are in memory, 1 = newest. A session that is not
 * in memory gets the rank that it would have there. Only sessions in memory count, so that the answer follows from the
 * manifest alone: it does not change with what Claude Code has deleted, or with what was looked at before.
 *
 * With `rehearsal` a session that was used in a composition is as recent as that use (seed 000, 1.2), else as its last message.
 */
export function sessionDistance(
  session: DistanceFacts,
  inMemory: Iterable<DistanceFacts>,
  { rehearsal }: { rehearsal: boolean },
): number {
  const own = recency(session, rehearsal);
  let distance = 1;
  for (const other of inMemory) {
    if (other.sessionId === session.sessionId) continue;
    const theirs = recency(other, rehearsal);
    // Sessions of the same moment must not share a rank, and must not change places between two calls.
    if (theirs > own || (theirs === own && other.sessionId < session.sessionId)) distance++;
  }
  return distance;
}

function recency({ lastTimestamp, registeredAt, lastAccessed }: DistanceFacts, rehearsal: boolean): number {
  const saidMs = timeMs(lastTimestamp);
  // Registering a session sets both times; it has been used since only if they differ.
  return rehearsal && lastAccessed !== registeredAt ? Math.max(saidMs, timeMs(lastAccessed)) : saidMs;
}

/** A session without a time was before all others. */
function timeMs(iso: string | undefined): number {
  const parsed = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(parsed) ? -Infinity : parsed;
}
