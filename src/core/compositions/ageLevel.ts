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

const presetOf: Readonly<Record<AgeLevel, Exclude<TierPreset, 'custom'>>> = {
  light: 'gentle',
  moderate: 'standard',
  aggressive: 'aggressive',
};

/** What a level comes to over a whole session, 5 for 5:1. */
export function ratioOfLevel(level: AgeLevel): number {
  let before = 0;
  let share = 0;
  for (const { endPercent, compactionRatio } of tierPresets[presetOf[level]]) {
    share += (endPercent - before) / 100 / compactionRatio;
    before = endPercent;
  }
  return 1 / share;
}
