import type { KeepitStats } from '../model/compression';

/** What choosing between versions looks at; a `CompressionRecord` is one. */
export interface ScoredVersion {
  readonly outputTokens: number;
  /** Input over output. */
  readonly compressionRatio: number;
  readonly keepitStats: Pick<KeepitStats, 'preserved' | 'summarized'>;
}

/** Seed 000, 4.3. */
export interface VersionCriteria {
  /** The budget of the component; without one, the original is taken. */
  readonly maxTokens?: number | undefined;
  /** The ratio that would suit the session's age. */
  readonly preferredRatio?: number | undefined;
  readonly preserveKeepits?: boolean | undefined;
}

/** Below this a new version promises more than any that is there. */
const GOOD_ENOUGH = 0.5;
const OVER_BUDGET = 0.1;
const RATIO_SPAN = 50;

/** Seed 000, 4.3: how well a version suits, from 0 to 1. A version of a session without keepits has lost none. */
export function scoreVersion(version: ScoredVersion, criteria: VersionCriteria): number {
  let score = 1;
  if (criteria.maxTokens !== undefined && criteria.maxTokens > 0) {
    const isOver = version.outputTokens > criteria.maxTokens;
    score *= isOver ? OVER_BUDGET : half(version.outputTokens / criteria.maxTokens);
  }
  if (criteria.preferredRatio !== undefined) {
    const difference = Math.abs(version.compressionRatio - criteria.preferredRatio);
    score *= Math.max(0.5, 1 - difference / RATIO_SPAN);
  }
  if (criteria.preserveKeepits === true) score *= half(preservedShare(version));
  return score;
}

/** The share of the keepits that a version still holds; 1 when there were none. */
export function preservedShare({ keepitStats }: Pick<ScoredVersion, 'keepitStats'>): number {
  const { preserved, summarized } = keepitStats;
  return preserved + summarized === 0 ? 1 : preserved / (preserved + summarized);
}

/**
 * Seed 000, 4.3: the version that suits best, the original when it fits, or the advice to make a new one. Of two that suit equally the
 * earlier one in the list is taken. A budget of 0 is a budget: nothing fits it.
 */
export function selectBestVersion<T extends ScoredVersion>(
  session: { readonly originalTokens: number; readonly versions: readonly T[] },
  criteria: VersionCriteria,
): T | 'original' | 'need-new-compression' {
  const { maxTokens } = criteria;
  if (maxTokens === undefined || session.originalTokens <= maxTokens) return 'original';
  if (maxTokens === 0) return 'need-new-compression';
  let best: { version: T; score: number } | undefined;
  for (const version of session.versions) {
    const score = scoreVersion(version, criteria);
    if (best === undefined || score > best.score) best = { version, score };
  }
  return best === undefined || best.score < GOOD_ENOUGH ? 'need-new-compression' : best.version;
}

/** From one half, for nothing, to one. */
function half(share: number): number {
  return 0.5 + share * 0.5;
}
