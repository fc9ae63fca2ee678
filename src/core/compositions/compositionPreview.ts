import type { CompressionRecord } from '../model/compression';
import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { KeepitMarker } from '../model/keepit';
import type { SessionRef } from '../sessions/results';
import { messageRangeText } from '../versions/blockText';
import { ageLevel, type AgeLevel } from './ageLevel';
import type { Composed, ComposedSession } from './sessionForms';
import type { FormKind } from './types';

/** A way in which a session can be in a composition, for a picker. */
export interface PreviewOption {
  readonly kind: FormKind;
  /** One for a version of the whole, several for parts; `original`; empty for what was made, for keepits alone, and for nothing. */
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
  /** Versions that were asked for, and would be kept. */
  readonly toMake: number;
}

/** What a model's window is taken to be where nobody says. */
const USUAL_WINDOW_TOKENS = 200_000;

/** A composition as a builder shows it. */
export function previewOf(
  { sessions, frameTokens, totalTokens, omitted }: Composed,
  { totalTokenBudget: budget }: Pick<CompositionRequest, 'totalTokenBudget'>,
  windowTokens: number = USUAL_WINDOW_TOKENS,
): CompositionPreview {
  return {
    components: sessions.map((one) => componentOf(one, totalTokens)),
    omitted,
    budget,
    totalTokens,
    frameTokens,
    leftTokens: budget - totalTokens,
    windowTokens,
    shareOfWindow: totalTokens / windowTokens,
    fidelity: sessions.reduce((sum, { fidelity }) => sum + fidelity, 0),
    toMake: sessions.filter(({ kind }) => kind === 'new').length,
  };
}

function componentOf(one: ComposedSession, totalTokens: number): PreviewComponent {
  const { open, allocation, isFixed, why, repeatedTokens, tokens } = one;
  const { ref, title, firstTimestamp, lastTimestamp, distance, originalTokens, originalMessages } = open.session;
  const { included, left } = keepitsIn(one);
  const pick = pickOf(one);
  return {
    ...ref,
    title,
    firstTimestamp,
    lastTimestamp,
    distance,
    level: ageLevel(distance),
    originalTokens,
    originalMessages,
    options: optionsOf(one, pick),
    pick,
    allocation: Math.round(allocation),
    share: totalTokens === 0 ? 0 : tokens / totalTokens,
    repeatedTokens,
    isFixed,
    why,
    uncoveredMessages: uncovered(one).reduce((sum, [first, last]) => sum + last - first + 1, 0),
    keepitsIn: included,
    keepitsOut: left,
  };
}

function pickOf({ kind, pieces, tokens, fidelity, open: { session } }: ComposedSession): PreviewOption {
  const versionIds = kind === 'fresh' || kind === 'new' ? [] : pieces.map(({ piece }) => piece.versionId);
  return { kind, versionIds, tokens, fidelity, ratio: session.originalTokens / Math.max(1, tokens), isPicked: true };
}

/** What a person may choose instead, by what is recorded of it. */
function optionsOf({ open: { session } }: ComposedSession, pick: PreviewOption): PreviewOption[] {
  const { versions, originalTokens: tokens, transcript } = session;
  const original: PreviewOption[] =
    transcript === undefined
      ? []
      : [
          {
            kind: 'original',
            versionIds: ['original'],
            tokens,
            fidelity: 1,
            ratio: 1,
            isPicked: pick.kind === 'original',
          },
        ];
  const stored = versions.map((version): PreviewOption => ({
    kind: version.partNumber === undefined ? 'version' : 'parts',
    versionIds: [version.versionId],
    tokens: version.outputTokens,
    fidelity: version.fidelity?.score ?? 0,
    ratio: version.compressionRatio,
    isPicked: pick.versionIds.length === 1 && pick.versionIds[0] === version.versionId,
  }));
  const all = [...original, ...stored];
  return all.some(({ isPicked }) => isPicked) ? all : [...all, pick];
}

/** What of the sessions that were asked for is not in a composition, and why. */
export function omissions(sessions: readonly ComposedSession[]): OmittedComponent[] {
  return sessions.flatMap((one) => reasonsOf(one).map((reason) => ({ ...one.open.session.ref, reason })));
}

function reasonsOf(one: ComposedSession): string[] {
  const { kind, why, section } = one;
  if (kind === 'nothing') return [why];
  if (kind === 'keepits') return [`only its pinned keepits are in: ${why}`];
  if (kind === 'fresh') return [];
  const isSaid = section !== undefined && section.pieces.some(({ blocks }) => blocks.length > 0);
  if (!isSaid) return ['all that it says is in another session of the composition'];
  return uncovered(one).map((range) => `${messageRangeText(range)}: in no version that was taken`);
}

/** Messages of the session that no piece covers, as ranges. */
function uncovered({ open, pieces, kind }: ComposedSession): (readonly [number, number])[] {
  const { originalMessages } = open.session;
  const ranges = pieces.flatMap(({ piece }) => (piece.messageRange === undefined ? [] : [piece.messageRange]));
  if (kind === 'fresh' || ranges.length < pieces.length || ranges.length === 0) return [];
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next < originalMessages) gaps.push([next, originalMessages - 1]);
  return gaps;
}

/** The keepits of a session that are in a composition, and those that are not. */
interface KeepitFigures {
  readonly included: readonly KeepitMarker[];
  readonly left: readonly KeepitMarker[];
}

/** What became of a session's keepits. */
export function keepitsIn({ open, kind, pieces, keepits, section }: ComposedSession): KeepitFigures {
  const all = open.session.keepits;
  const versions = [...open.session.versions, ...(open.named?.versions ?? [])].filter(({ versionId }) =>
    pieces.some(({ piece }) => piece.versionId === versionId),
  );
  const isIn = (keepit: KeepitMarker): boolean => {
    if (section === undefined) return false;
    return kind === 'original' || keepits.includes(keepit) || versions.some((version) => isKeptIn(version, keepit));
  };
  return { included: all.filter(isIn), left: all.filter((keepit) => !isIn(keepit)) };
}

/** Whether a keepit stands in a version, as far as is recorded. */
function isKeptIn(version: CompressionRecord, keepit: KeepitMarker): boolean {
  const entry = version.receipt?.find(({ markerId }) => markerId === keepit.markerId);
  return entry?.kept ?? keepit.survivedIn.includes(version.versionId);
}
