import type { CompositionRequest } from '../model/composition';
import { singleSpaced } from '../text/cleanText';
import { LEAST_NEW_TOKENS, namedOption, newOptionFor, type AskedSession } from './askedSessions';
import { allocate, bestWithin, fit, type PlannedSession, useRoom } from './plannedSessions';
import type { SourceSession, VersionOption } from './types';
import { selectBestVersion, versionOptions } from './versionOptions';
import { ageLevel, ratioOfLevel } from './ageLevel';
import { CompositionError } from './compositionError';

interface PlanRequest extends Pick<CompositionRequest, 'strategy' | 'totalTokenBudget' | 'makesMissing'> {
  /** What stands around all sessions. */
  readonly frameTokens: number;
}

/**
 * Decides in which version each session comes, under the budget as far as sizes are known before the texts are read. Throws
 * `CompositionError` when not even the pinned keepits fit.
 */
export function planComposition(asked: readonly AskedSession[], request: PlanRequest): PlannedSession[] {
  const budget = request.totalTokenBudget - request.frameTokens;
  const groups = asked.map((one) => groupOf(one, request));
  refuseTooSmall(groups, request);
  const shared = allocate(
    groups.map(({ session, asked: [first] }) => ({ ...session, allocation: first?.allocation, weight: first?.weight })),
    budget,
    request.strategy,
  );
  const picked = groups.map((group, at) => pickFor(group, shared[at] ?? 0, request));
  return useRoom(fit(picked, budget), budget, request.strategy);
}

interface Group extends AskedSession {
  readonly options: readonly VersionOption[];
  /** Set when a person has named what is to be taken. */
  readonly named: VersionOption | undefined;
}

function groupOf(one: AskedSession, { totalTokenBudget }: PlanRequest): Group {
  const { session, sizes } = one;
  const named = namedOption(one);
  const options = versionOptions(session, sizes).filter((option) => isUsable(option, totalTokenBudget));
  if (named === undefined) return { ...one, options, named };
  return { ...one, options: [named, ...options.filter((option) => !isSameChoice(option, named))], named };
}

/** Whether both take the same of a session. */
export function isSameChoice(a: VersionOption, b: VersionOption): boolean {
  const [ids, others] = [a, b].map(({ pieces }) => pieces.map(({ versionId }) => versionId).join('+'));
  return a.kind === b.kind && ids === others;
}

/** The original of a long session can never be in: it need not be weighed. */
function isUsable({ kind, tokens }: VersionOption, budget: number): boolean {
  return kind !== 'original' || tokens <= budget;
}

function pickFor(group: Group, allocation: number, request: PlanRequest): PlannedSession {
  const { session, sizes, options, named } = group;
  const planned = { session, sizes, options, allocation, isFixed: named !== undefined, mayBeMade: false };
  if (named !== undefined)
    return { ...planned, pick: named, why: named.kind === 'new' ? 'made anew, as asked' : 'as asked' };
  const original = options.find(({ kind }) => kind === 'original');
  const versions = options.filter(({ kind }) => kind === 'version' || kind === 'parts');
  const criteria = {
    maxTokens: allocation,
    preserveKeepits: true,
    ...(request.strategy === 'age' && { preferredRatio: ratioOfLevel(ageLevel(session.distance)) }),
  };
  const scored = versions.map((option) => ({ ...option, outputTokens: option.tokens, option }));
  const chosen = selectBestVersion({ originalTokens: original?.tokens ?? Infinity, versions: scored }, criteria);
  if (chosen === 'original' && original !== undefined) return { ...planned, pick: original, why: 'the original fits' };
  if (typeof chosen === 'object') return { ...planned, pick: chosen.option, why: whyChosen(session, request) };
  const fresh =
    request.makesMissing === false || (request.strategy === 'best' && versions.length > 0)
      ? undefined
      : newOptionFor(group, allocation);
  if (fresh !== undefined) {
    const why = versions.length === 0 ? 'it has no version yet: one is made' : 'no version suits the room: one is made';
    return { ...planned, options: [fresh, ...options], pick: fresh, mayBeMade: true, why };
  }
  return { ...planned, ...bestWithin(options, allocation) };
}

function whyChosen({ distance }: SourceSession, { strategy }: PlanRequest): string {
  return strategy === 'age'
    ? `${ageText(distance)}: ${ageLevel(distance)} detail`
    : 'it suits its share of the budget best';
}

function ageText(distance: number): string {
  return distance === 1 ? 'the newest session' : `${distance} sessions ago`;
}

/** Pinned keepits are never dropped: a budget that they do not fit into is refused, and so is one that nothing fits into. */
function refuseTooSmall(groups: readonly Group[], { totalTokenBudget, frameTokens }: PlanRequest): void {
  if (groups.length === 0) throw new CompositionError('no-components', '');
  const rests = groups.map(({ options }) => options.at(-1)?.tokens ?? 0);
  const least = rests.reduce((sum, tokens) => sum + tokens, frameTokens);
  const pinned = groups.flatMap(({ session }) =>
    session.pinned.map(({ markerId, content }) => ({ ...session.ref, markerId, content })),
  );
  if (pinned.length > 0) {
    if (least <= totalTokenBudget) return;
    const names = pinned.map(({ content }) => JSON.stringify(beginning(content))).join(', ');
    const detail = `the ${pinned.length === 1 ? 'pinned keepit needs' : `${pinned.length} pinned keepits need`} ${least} (${names})`;
    throw new CompositionError('budget-too-small', String(totalTokenBudget), detail, { smallestBudget: least, pinned });
  }
  const smallest = Math.min(
    ...groups.flatMap(({ options }) => options.filter(({ kind }) => kind !== 'nothing').map(({ tokens }) => tokens)),
  );
  const needed = frameTokens + (Number.isFinite(smallest) ? smallest : LEAST_NEW_TOKENS);
  const canMake = totalTokenBudget >= frameTokens + LEAST_NEW_TOKENS * 2;
  if (needed <= totalTokenBudget || canMake) return;
  const smallestBudget = Math.min(needed, frameTokens + LEAST_NEW_TOKENS * 2);
  throw new CompositionError(
    'budget-too-small',
    String(totalTokenBudget),
    `nothing fits in fewer than ${smallestBudget}`,
    { smallestBudget },
  );
}

const SHOWN_LENGTH = 60;

function beginning(content: string): string {
  const line = singleSpaced(content);
  return line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH).trimEnd()}…`;
}
