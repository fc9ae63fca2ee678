import type { CompressionRequest } from '../compression/types';
import type { CompressionRecord } from '../model/compression';
import type {
  CompositionRequest,
  CompositionStrategy,
  RecompressSettings,
  RequestedComponent,
} from '../model/composition';
import { ageLevel, expectedFidelity, presetOfLevel, ratioOfLevel } from './ageLevel';
import { allocate } from './allocation';
import { measured, selectBest } from './bestSelection';
import { CompositionError } from './compositionError';
import type { SourceSession, VersionOption } from './types';
import { combined, versionOptions, type SectionSizes } from './versionOptions';
import { selectBestVersion } from './versionScore';

/** A session that was asked for, with all that is known of it. */
export interface AskedSession {
  readonly session: SourceSession;
  readonly sizes: SectionSizes;
  /** One entry, or one for each named version of a part. */
  readonly asked: readonly RequestedComponent[];
}

/** What is decided about one session. */
export interface PlannedSession {
  readonly session: SourceSession;
  readonly options: readonly VersionOption[];
  readonly pick: VersionOption;
  readonly allocation: number;
  /** Named by a person: in as it is, as long as the budget allows it. */
  readonly isFixed: boolean;
  /** Why this one, in one sentence. */
  readonly why: string;
}

export interface PlanRequest extends Pick<CompositionRequest, 'strategy' | 'totalTokenBudget' | 'makesMissing'> {
  /** What stands around all sessions. */
  readonly frameTokens: number;
}

/** A new version of fewer tokens would hold next to nothing. */
const LEAST_NEW_TOKENS = 150;

/**
 * Decides in which version each session comes, under the budget as far as sizes are known before the texts are read. Throws
 * `CompositionError` when not even the pinned keepits fit.
 */
export function planComposition(asked: readonly AskedSession[], request: PlanRequest): PlannedSession[] {
  const budget = request.totalTokenBudget - request.frameTokens;
  const groups = asked.map((one) => groupOf(one, request));
  refuseTooSmall(groups, request);
  // A keepit that is pinned in a session without room has its tokens set aside before anything is shared.
  const shared = allocate(
    groups.map(({ session, asked: [first] }) => ({ ...session, allocation: first?.allocation, weight: first?.weight })),
    budget,
    request.strategy,
  );
  const picked = groups.map((group, at) => pickFor(group, shared[at] ?? 0, request));
  const fitted = fit(picked, budget);
  return request.strategy === 'best'
    ? bestOf(groups, fitted, budget)
    : withLeftovers(fitted, groups, { budget, strategy: request.strategy });
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

interface Group extends AskedSession {
  readonly options: readonly VersionOption[];
  /** Set when a person has named what is to be taken. */
  readonly named: VersionOption | undefined;
}

function groupOf(one: AskedSession, { totalTokenBudget }: PlanRequest): Group {
  const { session, sizes, asked } = one;
  const named = namedOption(session, sizes, asked);
  const options = versionOptions(session, sizes).filter((option) => isUsable(option, totalTokenBudget));
  if (named === undefined) return { ...one, options, named };
  return { ...one, options: [named, ...options.filter((option) => !isSameChoice(option, named))], named };
}

function isSameChoice(a: VersionOption, b: VersionOption): boolean {
  const [ids, others] = [a, b].map(({ pieces }) => pieces.map(({ versionId }) => versionId).join('+'));
  return a.kind === b.kind && ids === others;
}

/** The original of a long session can never be in: it need not be weighed. */
function isUsable({ kind, tokens }: VersionOption, budget: number): boolean {
  return kind !== 'original' || tokens <= budget;
}

/** What a person has named: a version, versions of parts, the original, or a version that is to be made. */
function namedOption(
  session: SourceSession,
  sizes: SectionSizes,
  asked: readonly RequestedComponent[],
): VersionOption | undefined {
  const recompress = asked.find(({ recompressSettings }) => recompressSettings !== undefined)?.recompressSettings;
  const ids = asked.flatMap(({ versionId }) => (versionId === undefined || versionId === 'auto' ? [] : [versionId]));
  if (asked.length > 1 && (ids.length < asked.length || recompress !== undefined)) {
    throw new CompositionError('repeated', session.ref.sessionId);
  }
  if (recompress !== undefined) return newOption(session, sizes, requestOf(recompress));
  if (ids.length === 0) return undefined;
  if (ids.includes('original')) {
    if (ids.length > 1) throw new CompositionError('overlap', session.ref.sessionId, ids.join(', '));
    const original = versionOptions(session, sizes).find(({ kind }) => kind === 'original');
    if (original === undefined) throw new CompositionError('no-such-version', 'original', session.ref.sessionId);
    return original;
  }
  return combined(session, sizes, namedVersions(session, ids));
}

function namedVersions({ ref, versions }: SourceSession, ids: readonly string[]): CompressionRecord[] {
  const found = ids.map((id) => {
    const version = versions.find(({ versionId }) => versionId === id);
    if (version === undefined) throw new CompositionError('no-such-version', id, ref.sessionId);
    return version;
  });
  const parts = new Set(found.map(({ partNumber }) => partNumber));
  if (found.length > 1 && (parts.has(undefined) || parts.size < found.length)) {
    throw new CompositionError('overlap', ids.join(' and '), ref.sessionId);
  }
  return found.sort((a, b) => (a.partNumber ?? 0) - (b.partNumber ?? 0));
}

function requestOf({
  mode,
  compactionRatio,
  aggressiveness,
  tierPreset,
  customTiers,
  keepitMode,
}: RecompressSettings): CompressionRequest {
  return { scope: { kind: 'whole' }, mode, compactionRatio, aggressiveness, tierPreset, customTiers, keepitMode };
}

/** A version that is not there yet, with what it can be expected to be. */
function newOption(session: SourceSession, sizes: SectionSizes, make: CompressionRequest): VersionOption {
  const preset = make.tierPreset === undefined || make.tierPreset === 'custom' ? undefined : make.tierPreset;
  const level = preset === 'gentle' ? 'light' : preset === 'aggressive' ? 'aggressive' : 'moderate';
  const ratio = make.compactionRatio ?? ratioOfLevel(preset === undefined ? ageLevel(session.distance) : level);
  return {
    kind: 'new',
    pieces: [],
    tokens: sizes.frame + Math.max(Math.ceil(session.originalTokens / ratio), sizes.pinned),
    fidelity: expectedFidelity(ratio),
    compressionRatio: ratio,
    keepitStats: { preserved: session.pinned.length, summarized: session.keepits.length - session.pinned.length },
    make,
  };
}

/** The version that the session's age asks for, or a smaller one where the room is not enough for that. */
function newOptionFor({ session, sizes }: Group, room: number): VersionOption | undefined {
  const text = room - sizes.frame;
  if (text < LEAST_NEW_TOKENS || session.originalTokens === 0 || session.transcript === undefined) return undefined;
  const level = ageLevel(session.distance);
  const needed = session.originalTokens / text;
  if (needed <= ratioOfLevel(level))
    return newOption(session, sizes, { scope: { kind: 'whole' }, mode: 'tiered', tierPreset: presetOfLevel(level) });
  const aggressiveness = level === 'light' ? 'minimal' : level;
  return newOption(session, sizes, {
    scope: { kind: 'whole' },
    mode: 'uniform',
    compactionRatio: Math.min(1000, Math.ceil(needed)),
    aggressiveness,
  });
}

function pickFor(group: Group, allocation: number, request: PlanRequest): PlannedSession {
  const { session, options, named } = group;
  const planned = { session, options, allocation, isFixed: named !== undefined };
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
    return { ...planned, options: [fresh, ...options], pick: fresh, why };
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

/** What holds most of the session in so many tokens; its pinned keepits when nothing does. */
function bestWithin(options: readonly VersionOption[], room: number): Pick<PlannedSession, 'pick' | 'why'> {
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

function whyReduced({ options }: PlannedSession, to: VersionOption): string {
  return to.pieces.length === 0 ? leftOutText(options) : 'a larger one does not fit';
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

/** What others have left over goes to those whose share was the largest first; with the age table, to the newest. */
function withLeftovers(
  planned: readonly PlannedSession[],
  groups: readonly Group[],
  { budget, strategy }: { budget: number; strategy: CompositionStrategy },
): PlannedSession[] {
  if (strategy === 'custom') return [...planned];
  let left = planned.reduce((rest, { pick }) => rest - pick.tokens, budget);
  const order = [...planned.entries()].sort(([, a], [, b]) =>
    strategy === 'age' ? a.session.distance - b.session.distance : b.allocation - a.allocation,
  );
  const result = [...planned];
  for (const [at, one] of order) {
    if (one.isFixed) continue;
    const lighter = one.pick.kind === 'new' ? lighterOptions(groups[at]) : [];
    const { pick } = bestWithin([...lighter, ...one.options, one.pick], one.pick.tokens + left);
    if (pick.fidelity <= one.pick.fidelity) continue;
    left -= pick.tokens - one.pick.tokens;
    const options = one.options.includes(pick) ? one.options : [pick, ...one.options];
    result[at] = { ...one, options, pick, why: pick.kind === 'new' ? one.why : 'others left room for it' };
  }
  return result;
}

/** Versions that could be made instead of a smaller one. */
function lighterOptions(group: Group | undefined): VersionOption[] {
  if (group === undefined) return [];
  return (['aggressive', 'standard', 'gentle'] as const).map((tierPreset) =>
    newOption(group.session, group.sizes, { scope: { kind: 'whole' }, mode: 'tiered', tierPreset }),
  );
}

/** The selection with the most fidelity; never less than what was planned. */
function bestOf(groups: readonly Group[], planned: readonly PlannedSession[], budget: number): PlannedSession[] {
  const options = planned.map((one) => (one.isFixed ? [one.pick] : one.options));
  const known = planned.map(({ pick }, at) => Math.max(0, options[at]?.indexOf(pick) ?? 0));
  const others = otherStrategies(groups, options, budget);
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
  groups: readonly Group[],
  options: readonly (readonly VersionOption[])[],
  budget: number,
): number[][] {
  return (['equal', 'proportional', 'recency', 'inverse-recency'] as const).map((strategy) => {
    const shares = allocate(
      groups.map(({ session }) => session),
      budget,
      strategy,
    );
    return options.map((list, at) => {
      const { pick } = bestWithin(list, shares[at] ?? 0);
      return list.indexOf(pick);
    });
  });
}

/** The fidelity of a plan, and its tokens without the frame. */
export function planFigures(planned: readonly PlannedSession[]): { tokens: number; fidelity: number } {
  const { tokens, fidelity } = measured(
    planned.map(({ pick }) => [pick]),
    planned.map(() => 0),
  );
  return { tokens, fidelity };
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
  const line = content.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH).trimEnd()}…`;
}
