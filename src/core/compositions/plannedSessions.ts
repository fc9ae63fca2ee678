import type { CompositionStrategy } from '../model/composition';
import { ageLevel, ratioOfLevel } from './ageLevel';
import { lighterOptions } from './askedSessions';
import { measured, selectBest } from './bestSelection';
import type { SourceSession, VersionOption } from './types';
import type { SectionSizes } from './versionOptions';

/** What is decided about one session. */
export interface PlannedSession {
  readonly session: SourceSession;
  readonly sizes: SectionSizes;
  /** All ways in which it can be in; the last one is the least: its pinned keepits, or nothing. */
  readonly options: readonly VersionOption[];
  readonly pick: VersionOption;
  readonly allocation: number;
  /** Named by a person: in as it is, as long as the budget allows it. */
  readonly isFixed: boolean;
  /** A version for it may be made, or was made just now: so a lighter one may be made as well. */
  readonly mayBeMade: boolean;
  /** Why this one, in one sentence. */
  readonly why: string;
}

/**
 * Plans again with what is known by now: for sessions whose sizes turned out to be others. Takes from those that lose least by it until the
 * budget holds; pinned keepits stay.
 */
export function fit(planned: readonly PlannedSession[], budget: number): PlannedSession[] {
  const current = [...planned];
  let over = current.reduce((sum, { pick }) => sum + pick.tokens, -budget);
  while (over > 0) {
    const step = cheapestStep(current, over);
    if (step === undefined) break;
    const before = current[step.at];
    if (before === undefined) break;
    over -= before.pick.tokens - step.to.tokens;
    current[step.at] = { ...before, pick: step.to, why: whyReduced(before, step.to) };
  }
  return current;
}

/** The step down that costs least fidelity for what it saves; of what a person has named only when nothing else is left, the oldest first. */
function cheapestStep(planned: readonly PlannedSession[], over: number): { at: number; to: VersionOption } | undefined {
  for (const mayBeFixed of [false, true]) {
    let best: { at: number; to: VersionOption; cost: number } | undefined;
    for (const [at, { pick, options, isFixed, session }] of planned.entries()) {
      if (isFixed !== mayBeFixed) continue;
      for (const to of isFixed ? options.slice(-1) : options) {
        const saved = pick.tokens - to.tokens;
        if (saved <= 0) continue;
        const lost = pick.fidelity - to.fidelity;
        const cost = isFixed ? -session.distance : lost / Math.min(saved, over);
        if (best === undefined || cost < best.cost) best = { at, to, cost };
      }
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

function whyReduced({ options }: PlannedSession, to: VersionOption): string {
  return to.pieces.length === 0 ? leftOutText(options) : 'a larger one does not fit';
}

/** Gives what is left of the budget to where it brings most; with what is known of sizes by now. Never less fidelity than before. */
export function useRoom(
  planned: readonly PlannedSession[],
  budget: number,
  strategy: CompositionStrategy,
): PlannedSession[] {
  if (strategy === 'custom') return [...planned];
  return strategy === 'best' ? bestOf(planned, budget) : withLeftovers(planned, budget, strategy);
}

/** What others have left over goes to those whose share was the largest first; with the age table, to the newest. */
function withLeftovers(
  planned: readonly PlannedSession[],
  budget: number,
  strategy: CompositionStrategy,
): PlannedSession[] {
  let left = planned.reduce((rest, { pick }) => rest - pick.tokens, budget);
  const order = [...planned.entries()].sort(([, a], [, b]) =>
    strategy === 'age' ? a.session.distance - b.session.distance : b.allocation - a.allocation,
  );
  const result = [...planned];
  for (const [at, one] of order) {
    if (one.isFixed) continue;
    const { pick } = bestWithin([...lighterThan(one), ...one.options, one.pick], one.pick.tokens + left);
    if (pick.fidelity <= one.pick.fidelity) continue;
    left -= pick.tokens - one.pick.tokens;
    const options = one.options.includes(pick) ? one.options : [pick, ...one.options];
    result[at] = { ...one, options, pick, why: pick.kind === 'new' ? one.why : 'others left room for it' };
  }
  return result;
}

function lighterThan(one: PlannedSession): VersionOption[] {
  return one.mayBeMade ? lighterOptions(one) : [];
}

/** The selection with the most fidelity; never less than what was planned. */
function bestOf(planned: readonly PlannedSession[], budget: number): PlannedSession[] {
  const options = planned.map((one) => (one.isFixed ? [one.pick] : [...lighterThan(one), ...one.options]));
  const known = planned.map(({ pick }, at) => Math.max(0, options[at]?.indexOf(pick) ?? 0));
  const others = otherStrategies(planned, options, budget);
  const best = selectBest(options, budget, [known, ...others]);
  if (best === undefined) return [...planned];
  return planned.map((one, at) => {
    const pick = options[at]?.[best.picks[at] ?? 0] ?? one.pick;
    const why = pick.pieces.length === 0 && pick.kind !== 'new' ? leftOutText(one.options) : 'together they hold most';
    return { ...one, pick, why: one.isFixed ? one.why : why };
  });
}

/** What the other strategies would take of the same options, so that the best is never worse, also where proving it was cut short. */
function otherStrategies(
  planned: readonly PlannedSession[],
  options: readonly (readonly VersionOption[])[],
  budget: number,
): number[][] {
  return (['equal', 'proportional', 'recency', 'inverse-recency'] as const).map((strategy) => {
    const shares = allocate(
      planned.map(({ session }) => session),
      budget,
      strategy,
    );
    return options.map((list, at) => {
      const { pick } = bestWithin(list, shares[at] ?? 0);
      return list.indexOf(pick);
    });
  });
}

/** What holds most of the session in so many tokens; its pinned keepits when nothing does. */
export function bestWithin(options: readonly VersionOption[], room: number): Pick<PlannedSession, 'pick' | 'why'> {
  const rest = options.at(-1);
  if (rest === undefined) throw new TypeError('A session always has a way to be left out');
  let pick = rest;
  for (const option of options) if (option.tokens <= room && option.fidelity > pick.fidelity) pick = option;
  return { pick, why: pick === rest ? leftOutText(options) : 'it holds most in its share of the budget' };
}

/** Why nothing but keepits, or nothing at all, of a session is in. */
export function leftOutText(options: readonly VersionOption[]): string {
  const sizes = options.filter(({ pieces }) => pieces.length > 0).map(({ tokens }) => tokens);
  if (sizes.length === 0) return 'there is no version of it';
  return `even its smallest version, with ${Math.min(...sizes)} tokens, does not fit`;
}

/** The fidelity of a plan, and its tokens without the frame. */
export function planFigures(planned: readonly PlannedSession[]): { tokens: number; fidelity: number } {
  const { tokens, fidelity } = measured(
    planned.map(({ pick }) => [pick]),
    planned.map(() => 0),
  );
  return { tokens, fidelity };
}

/** What sharing a budget looks at. */
interface Allotted {
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
