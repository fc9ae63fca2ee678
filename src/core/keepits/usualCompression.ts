import type { DecayLevel } from './decay';

/** A compression without the distance, which is the session's own. */
export interface UsualCompression {
  /** 25 for 25:1. */
  readonly ratio: number;
  readonly level: DecayLevel;
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
