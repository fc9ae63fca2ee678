import type { CompressionRecord, KeepitStats } from '../model/compression';
import { expectedFidelity } from './ageLevel';
import type { Piece, SourceSession, VersionOption } from './types';

/** What stands around the text of a session in a composition, in tokens. */
export interface SectionSizes {
  /** Heading and links. */
  readonly frame: number;
  /** The pinned keepits alone, without the frame. */
  readonly pinned: number;
  /** One pinned keepit, by its id. */
  readonly keepit: ReadonlyMap<string, number>;
}

/** So many combinations of versions of parts are kept; each is the best for its size. */
const MAX_COMBINATIONS = 64;
/** Who speaks, in the original: before every message. */
const TOKENS_PER_MESSAGE = 5;

/**
 * All ways in which a session can be in a composition: the original, each version of the whole, versions of its parts side by side, only
 * its pinned keepits, or, where there are none, nothing. A version of the whole and one of a part never meet.
 */
export function versionOptions(session: SourceSession, sizes: SectionSizes): VersionOption[] {
  const { versions, pinned } = session;
  const whole = versions.filter(({ partNumber }) => partNumber === undefined);
  const rest: VersionOption =
    pinned.length === 0
      ? { kind: 'nothing', tokens: 0, ...nothingOf(session) }
      : { kind: 'keepits', tokens: sizes.frame + sizes.pinned, ...nothingOf(session) };
  return [
    ...(session.transcript === undefined ? [] : [originalOption(session, sizes)]),
    ...whole.map((version) => combined(session, sizes, [version])),
    ...partCombinations(session).map((parts) => combined(session, sizes, parts)),
    rest,
  ];
}

/** The session in the versions that are named. The caller has seen to it that they do not overlap. */
export function combined(
  session: SourceSession,
  sizes: SectionSizes,
  versions: readonly CompressionRecord[],
): VersionOption {
  const sum = (valueOf: (version: CompressionRecord) => number): number =>
    versions.reduce((total, version) => total + valueOf(version), 0);
  const output = sum(({ outputTokens }) => outputTokens);
  const input = sum(({ outputTokens, compressionRatio }) => outputTokens * compressionRatio);
  return {
    kind: versions.some(({ partNumber }) => partNumber !== undefined) ? 'parts' : 'version',
    pieces: versions.map(pieceOf),
    tokens: sizes.frame + output + missingPinned(session, versions, sizes),
    fidelity: Math.min(
      1,
      sum((version) => fidelityOf(version) * coverageOf(version, session)),
    ),
    compressionRatio: output === 0 ? 1 : input / output,
    keepitStats: {
      preserved: sum(({ keepitStats }) => keepitStats.preserved),
      summarized: sum(({ keepitStats }) => keepitStats.summarized),
    },
  };
}

/** The share of what mattered in the original that a version still holds: measured, or expected of its ratio. */
function fidelityOf(version: CompressionRecord): number {
  return version.fidelity?.score ?? expectedFidelity(version.compressionRatio) * (0.5 + 0.5 * preservedShare(version));
}

/** Whether a keepit stands in a version, as far as is recorded. */
export function isKeptIn(
  version: CompressionRecord,
  keepit: { markerId: string; survivedIn: readonly string[] },
): boolean {
  const entry = version.receipt?.find(({ markerId }) => markerId === keepit.markerId);
  return entry?.kept ?? keepit.survivedIn.includes(version.versionId);
}

function originalOption(
  { originalTokens, originalMessages, keepits }: SourceSession,
  { frame }: SectionSizes,
): VersionOption {
  return {
    kind: 'original',
    pieces: [{ versionId: 'original', tokens: originalTokens }],
    tokens: frame + originalTokens + originalMessages * TOKENS_PER_MESSAGE,
    fidelity: 1,
    compressionRatio: 1,
    keepitStats: { preserved: keepits.length, summarized: 0 },
  };
}

function nothingOf({ keepits, pinned }: SourceSession): Omit<VersionOption, 'kind' | 'tokens'> {
  const keepitStats = { preserved: pinned.length, summarized: keepits.length - pinned.length };
  return { pieces: [], fidelity: 0, compressionRatio: 1, keepitStats };
}

function pieceOf({ versionId, outputTokens, partNumber, messageRange }: CompressionRecord): Piece {
  return {
    versionId,
    tokens: outputTokens,
    partNumber,
    messageRange,
  };
}

/** The share of the session's messages that a version covers: those that came since are not in it. */
function coverageOf({ messageRange, partNumber }: CompressionRecord, { originalMessages }: SourceSession): number {
  if (messageRange === undefined || originalMessages === 0) return partNumber === undefined ? 1 : 0;
  return Math.min(1, (messageRange[1] - messageRange[0] + 1) / originalMessages);
}

/** Keepits that were pinned after a version was made are put in beside it. */
function missingPinned(
  { pinned }: SourceSession,
  versions: readonly CompressionRecord[],
  { keepit }: SectionSizes,
): number {
  return pinned
    .filter((marker) => !versions.some((version) => isKeptIn(version, marker)))
    .reduce((sum, { markerId }) => sum + (keepit.get(markerId) ?? 0), 0);
}

interface Combination {
  readonly versions: readonly CompressionRecord[];
  readonly tokens: number;
  readonly worth: number;
}

/** Versions of the parts side by side, one of each: those for which no other combination is both smaller and better. */
function partCombinations(session: SourceSession): CompressionRecord[][] {
  const byPart = new Map<number, CompressionRecord[]>();
  for (const version of session.versions) {
    if (version.partNumber === undefined) continue;
    byPart.set(version.partNumber, [...(byPart.get(version.partNumber) ?? []), version]);
  }
  if (byPart.size === 0) return [];
  let combinations: Combination[] = [{ versions: [], tokens: 0, worth: 0 }];
  for (const [, versions] of [...byPart].sort(([a], [b]) => a - b)) {
    combinations = bestForTheirSize(
      combinations.flatMap((before) =>
        versions.map((version) => ({
          versions: [...before.versions, version],
          tokens: before.tokens + version.outputTokens,
          worth: before.worth + fidelityOf(version) * coverageOf(version, session),
        })),
      ),
    );
  }
  return combinations.map(({ versions }) => [...versions]);
}

function bestForTheirSize(combinations: readonly Combination[]): Combination[] {
  const front: Combination[] = [];
  for (const one of [...combinations].sort((a, b) => a.tokens - b.tokens || b.worth - a.worth)) {
    const last = front.at(-1);
    if (last === undefined || one.worth > last.worth) front.push(one);
  }
  const step = Math.max(1, (front.length - 1) / (MAX_COMBINATIONS - 1));
  const count = Math.min(front.length, MAX_COMBINATIONS);
  return Array.from({ length: count }, (_, index) => front[Math.round(index * step)]).filter(
    (one) => one !== undefined,
  );
}

/** What choosing between versions looks at; a `CompressionRecord` is one. */
export interface ScoredVersion {
  readonly outputTokens: number;
  /** Input over output. */
  readonly compressionRatio: number;
  readonly keepitStats: Pick<KeepitStats, 'preserved' | 'summarized'>;
}

/** Seed 000, 4.3. */
interface VersionCriteria {
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
function preservedShare({ keepitStats }: Pick<ScoredVersion, 'keepitStats'>): number {
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
