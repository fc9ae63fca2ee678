import { tierPresets } from '../versions/compressionSettings';
import type { TierPreset } from '../model/compression';

/** Seed 001: how much detail a session deserves by its age. */
export type AgeLevel = 'light' | 'moderate' | 'aggressive';

const MODERATE_FROM = 3;
const AGGRESSIVE_FROM = 6;

/** Seed 001's table: one or two sessions ago light, three to five moderate, older ones aggressive. */
export function ageLevel(distance: number): AgeLevel {
  if (distance >= AGGRESSIVE_FROM) return 'aggressive';
  return distance >= MODERATE_FROM ? 'moderate' : 'light';
}

/** Seed 001: a level as a preset of the compressor. */
export function presetOfLevel(level: AgeLevel): Exclude<TierPreset, 'custom'> {
  return level === 'light' ? 'gentle' : level === 'moderate' ? 'standard' : 'aggressive';
}

/** What a level comes to over a whole session, 5 for 5:1. */
export function ratioOfLevel(level: AgeLevel): number {
  let before = 0;
  let share = 0;
  for (const { endPercent, compactionRatio } of tierPresets[presetOfLevel(level)]) {
    share += (endPercent - before) / 100 / compactionRatio;
    before = endPercent;
  }
  return 1 / share;
}

/**
 * The fidelity to expect of a version about which nothing was recorded: what the local compressor reaches at such a ratio, roughly. Only
 * ever used where nothing was measured.
 */
export function expectedFidelity(ratio: number): number {
  return Math.min(1, Math.max(1, ratio) ** -0.3);
}
