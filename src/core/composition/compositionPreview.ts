import type { AgeLevel } from './ageLevel';
import { ageLevel } from './ageLevel';
import type { KeepitMarker } from '../model/keepit';
import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { SessionRef } from '../registry/results';
import type { CompositionPlan } from './composer';
import { keepitsIn } from './keepitFigures';
import { omissions, uncovered } from './omissions';
import { planFigures, type PlannedSession } from './plannedSessions';
import type { VersionOption } from './types';

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
  /** Named by a person rather than chosen. */
  readonly isFixed: boolean;
  readonly why: string;
  /** Messages that are in no version that was picked: newer ones, as a rule. */
  readonly uncoveredMessages: number;
  readonly keepitsIn: readonly KeepitMarker[];
  readonly keepitsOut: readonly KeepitMarker[];
}

/** Everything that a builder shows before anything is made. Sizes are those of the records: the texts themselves are measured when it is made. */
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
}

/** What a model's window is taken to be where nobody says. */
export const USUAL_WINDOW_TOKENS = 200_000;

/** A plan as it is shown. */
export function previewOf(
  { planned, frameTokens }: Pick<CompositionPlan, 'planned' | 'frameTokens'>,
  { totalTokenBudget: budget }: Pick<CompositionRequest, 'totalTokenBudget'>,
  windowTokens: number = USUAL_WINDOW_TOKENS,
): CompositionPreview {
  const figures = planFigures(planned);
  const totalTokens = frameTokens + figures.tokens;
  return {
    components: planned.map((one) => componentOf(one, totalTokens)),
    // What is in cannot be told before it is read; what is not can.
    omitted: omissions(planned.map((one) => ({ ...one, isRead: false }))),
    budget,
    totalTokens,
    frameTokens,
    leftTokens: budget - totalTokens,
    windowTokens,
    shareOfWindow: totalTokens / windowTokens,
    fidelity: figures.fidelity,
    toMake: planned.filter(({ pick }) => pick.make !== undefined).length,
  };
}

function componentOf(planned: PlannedSession, totalTokens: number): PreviewComponent {
  const { session, options, pick, allocation, isFixed, why } = planned;
  const { ref, title, firstTimestamp, lastTimestamp, distance, originalTokens, originalMessages } = session;
  const { included, left } = keepitsIn(session, pick);
  return {
    ...ref,
    title,
    firstTimestamp,
    lastTimestamp,
    distance,
    level: ageLevel(distance),
    originalTokens,
    originalMessages,
    options: options.map((option) => optionOf(option, option === pick)),
    pick: optionOf(pick, true),
    allocation,
    share: totalTokens === 0 ? 0 : pick.tokens / totalTokens,
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
