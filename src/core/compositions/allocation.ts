import type { CompositionStrategy } from '../model/composition';
import { ageLevel, ratioOfLevel } from './ageLevel';

/** What sharing a budget looks at. */
export interface Allotted {
  readonly originalTokens: number;
  /** How many sessions ago, 1 = newest. */
  readonly distance: number;
  readonly lastTimestamp: string;
  /** Given by hand: instead of what the strategy would give. */
  readonly allocation?: number | undefined;
  /** For `custom`. */
  readonly weight?: number | undefined;
}

/** With the age table a session gets this much more than its level needs, so that versions a little larger fit too. */
const AGE_MARGIN = 1.5;
/** What a session may always have with the age table: cutting a short one down saves nothing. */
const AGE_FLOOR_TOKENS = 1000;

/**
 * Tokens for each session, in the order of `sessions`. What is given by hand is given; the strategy shares the rest. The sum is never
 * above the budget, unless what was given by hand is.
 */
export function allocate(sessions: readonly Allotted[], budget: number, strategy: CompositionStrategy): number[] {
  const given = sessions.reduce((sum, { allocation }) => sum + (allocation ?? 0), 0);
  const rest = Math.max(0, budget - given);
  const weights = weightsFor(sessions, strategy);
  const total = sessions.reduce(
    (sum, { allocation }, at) => sum + (allocation === undefined ? (weights[at] ?? 0) : 0),
    0,
  );
  return sessions.map((session, at) => {
    if (session.allocation !== undefined) return session.allocation;
    const share = total === 0 ? 0 : Math.floor((rest * (weights[at] ?? 0)) / total);
    return strategy === 'age' ? Math.min(share, Math.ceil(ageNeed(session))) : share;
  });
}

function weightsFor(sessions: readonly Allotted[], strategy: CompositionStrategy): number[] {
  switch (strategy) {
    case 'proportional':
      return sessions.map(({ originalTokens }) => originalTokens);
    case 'recency':
      return ranks(sessions).map((rank) => sessions.length - rank);
    case 'inverse-recency':
      return ranks(sessions).map((rank) => rank + 1);
    case 'custom':
      return sessions.map(({ weight = 1 }) => weight);
    case 'age':
      return sessions.map(ageNeed);
    case 'equal':
    case 'best':
      return sessions.map(() => 1);
  }
}

/** What the level of the session's age would make of it. */
function ageNeed({ originalTokens, distance }: Allotted): number {
  const need = (AGE_MARGIN * originalTokens) / ratioOfLevel(ageLevel(distance));
  return Math.max(need, AGE_FLOOR_TOKENS);
}

/** The place of each by its last message, 0 for the newest. */
function ranks(sessions: readonly Allotted[]): number[] {
  const newestFirst = sessions
    .map(({ lastTimestamp }, at) => ({ lastTimestamp, at }))
    .sort((a, b) => (a.lastTimestamp === b.lastTimestamp ? a.at - b.at : a.lastTimestamp < b.lastTimestamp ? 1 : -1));
  const rankOf = new Map(newestFirst.map(({ at }, rank) => [at, rank]));
  return sessions.map((_, at) => rankOf.get(at) ?? 0);
}
