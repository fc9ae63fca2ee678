import type { KeepitMarker } from '../model/keepit';
import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { SessionRef } from '../sessions/results';
import { messageRangeText } from '../versions/blockText';
import { type AgeLevel, ageLevel } from './ageLevel';
import { isSameChoice } from './planComposition';
import { type PlannedSession, leftOutText } from './plannedSessions';
import type { RenderedSession } from './sectionRenderer';
import type { VersionOption, ContextSection, SourceSession } from './types';
import { isKeptIn } from './versionOptions';

/** A way in which a session can be in a composition, for a picker. */
export interface PreviewOption {
  readonly kind: VersionOption['kind'];
  /** One for a version of the whole, several for parts; `original`; empty for what is to be made, for keepits alone, and for nothing. */
  readonly versionIds: readonly string[];
  /** Heading and links included. */
  readonly tokens: number;
  readonly fidelity: number;
  readonly ratio: number;
  readonly isPicked: boolean;
}

/** A session of a composition that is thought of. */
export interface PreviewComponent extends SessionRef {
  readonly title: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  /** How many sessions ago, and the detail that seed 001 gives to that age. */
  readonly distance: number;
  readonly level: AgeLevel;
  readonly originalTokens: number;
  readonly originalMessages: number;
  readonly options: readonly PreviewOption[];
  readonly pick: PreviewOption;
  /** What the strategy gives it, or what was given by hand. */
  readonly allocation: number;
  /** Its part of the whole composition, from 0 to 1. */
  readonly share: number;
  /** What it would take besides if other sessions of the composition did not say it already. */
  readonly repeatedTokens: number;
  /** Named by a person rather than chosen. */
  readonly isFixed: boolean;
  readonly why: string;
  /** Messages that are in no version that was picked: newer ones, as a rule. */
  readonly uncoveredMessages: number;
  readonly keepitsIn: readonly KeepitMarker[];
  readonly keepitsOut: readonly KeepitMarker[];
}

/** Everything that a builder shows before anything is made. */
export interface CompositionPreview {
  readonly components: readonly PreviewComponent[];
  readonly omitted: readonly OmittedComponent[];
  readonly budget: number;
  readonly totalTokens: number;
  /** What stands around the sessions. */
  readonly frameTokens: number;
  readonly leftTokens: number;
  /** Of the model's window, from 0 to 1. */
  readonly windowTokens: number;
  readonly shareOfWindow: number;
  /** Sum over the sessions, each from 0 to 1. */
  readonly fidelity: number;
  /** Versions that would be made on the way. */
  readonly toMake: number;
  /** Whether sizes are those of the text that would be composed; else they are those that are recorded, or expected. */
  readonly isMeasured: boolean;
}

/** What a model's window is taken to be where nobody says. */
const USUAL_WINDOW_TOKENS = 200_000;

/** A session as it is planned, or as it came out. */
type FiguredSession = PlannedSession & Partial<Pick<RenderedSession, 'section' | 'tokens' | 'repeatedTokens'>>;

/** A plan as it is shown. */
export function previewOf(
  { sessions, frameTokens }: { readonly sessions: readonly FiguredSession[]; readonly frameTokens: number },
  { totalTokenBudget: budget }: Pick<CompositionRequest, 'totalTokenBudget'>,
  windowTokens: number = USUAL_WINDOW_TOKENS,
): CompositionPreview {
  const totalTokens = sessions.reduce((sum, one) => sum + tokensOf(one), frameTokens);
  return {
    components: sessions.map((one) => componentOf(one, totalTokens)),
    omitted: omissions(sessions.map((one) => ({ ...one, isRead: isMeasured(one) }))),
    budget,
    totalTokens,
    frameTokens,
    leftTokens: budget - totalTokens,
    windowTokens,
    shareOfWindow: totalTokens / windowTokens,
    fidelity: sessions.reduce((sum, one) => sum + (isIn(one) ? one.pick.fidelity : 0), 0),
    toMake: sessions.filter(({ pick }) => pick.make !== undefined).length,
    isMeasured: sessions.every(isMeasured),
  };
}

function tokensOf({ tokens, pick }: FiguredSession): number {
  return tokens ?? pick.tokens;
}

function isMeasured({ tokens, pick }: FiguredSession): boolean {
  return tokens !== undefined && pick.make === undefined;
}

/** Of what others have said already nothing is left. */
function isIn(one: FiguredSession): boolean {
  return one.section !== undefined || !isMeasured(one);
}

function componentOf(one: FiguredSession, totalTokens: number): PreviewComponent {
  const { session, options, pick, allocation, isFixed, why, repeatedTokens = 0 } = one;
  const { ref, title, firstTimestamp, lastTimestamp, distance, originalTokens, originalMessages } = session;
  const { included, left } = keepitsIn(session, isIn(one) ? pick : undefined);
  const tokens = tokensOf(one);
  return {
    ...ref,
    title,
    firstTimestamp,
    lastTimestamp,
    distance,
    level: ageLevel(distance),
    originalTokens,
    originalMessages,
    options: options.map((option) => optionOf(option, isSameChoice(option, pick))),
    pick: optionOf({ ...pick, tokens }, true),
    allocation,
    share: totalTokens === 0 ? 0 : tokens / totalTokens,
    repeatedTokens,
    isFixed,
    why,
    uncoveredMessages: uncovered(session, pick).reduce((sum, [first, last]) => sum + last - first + 1, 0),
    keepitsIn: included,
    keepitsOut: left,
  };
}

function optionOf(
  { kind, pieces, tokens, fidelity, compressionRatio }: VersionOption,
  isPicked: boolean,
): PreviewOption {
  return {
    kind,
    versionIds: pieces.map(({ versionId }) => versionId),
    tokens,
    fidelity,
    ratio: compressionRatio,
    isPicked,
  };
}

/** A session as it is planned, or as it came out: only then it is known whether others have said all of it. */
interface Judged extends Pick<PlannedSession, 'session' | 'pick' | 'options'> {
  readonly section?: ContextSection | undefined;
  readonly isRead: boolean;
}

/** What of the sessions that were asked for is not in a composition, and why. */
export function omissions(sessions: readonly Judged[]): OmittedComponent[] {
  return sessions.flatMap((one) => reasonsOf(one).map((reason) => ({ ...one.session.ref, reason })));
}

function reasonsOf({ session, pick, options, section, isRead }: Judged): string[] {
  if (pick.kind === 'nothing') return [leftOutText(options)];
  if (pick.kind === 'keepits') return [`only its pinned keepits are in: ${leftOutText(options)}`];
  const isSaid = section !== undefined && section.pieces.some(({ blocks }) => blocks.length > 0);
  if (isRead && !isSaid) return ['all that it says is in another session of the composition'];
  return uncovered(session, pick).map((range) => `${messageRangeText(range)}: in no version that was taken`);
}

/** Messages of the session that no piece covers, as ranges. */
function uncovered(
  { originalMessages }: Pick<SourceSession, 'originalMessages'>,
  { pieces }: Pick<VersionOption, 'pieces'>,
): (readonly [number, number])[] {
  if (pieces.length === 0 || pieces.some(({ messageRange }) => messageRange === undefined)) return [];
  const gaps: [number, number][] = [];
  let next = 0;
  for (const { messageRange } of pieces) {
    if (messageRange === undefined) continue;
    if (messageRange[0] > next) gaps.push([next, messageRange[0] - 1]);
    next = Math.max(next, messageRange[1] + 1);
  }
  if (next < originalMessages) gaps.push([next, originalMessages - 1]);
  return gaps;
}

/** The keepits of a session that are in a composition, and those that are not. */
interface KeepitFigures {
  readonly included: readonly KeepitMarker[];
  readonly left: readonly KeepitMarker[];
}

/** What becomes of a session's keepits with an option; undefined when nothing of the session is in. */
export function keepitsIn(
  { keepits, pinned, versions }: SourceSession,
  option: VersionOption | undefined,
): KeepitFigures {
  const isPinned = new Set(pinned.map(({ markerId }) => markerId));
  const taken = versions.filter(({ versionId }) => option?.pieces.some((piece) => piece.versionId === versionId));
  const isIn = (keepit: KeepitMarker): boolean => {
    if (option === undefined || option.kind === 'nothing') return false;
    if (option.kind === 'original' || isPinned.has(keepit.markerId)) return true;
    return taken.some((version) => isKeptIn(version, keepit));
  };
  return { included: keepits.filter(isIn), left: keepits.filter((keepit) => !isIn(keepit)) };
}
