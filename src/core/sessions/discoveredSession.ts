import type { SessionManifestEntry } from '../model/manifest';
import {
  calibrate,
  calibrated,
  defaultCalibration,
  toolStepTokens,
  type Calibration,
  type CalibratedTokens,
  type UsagePair,
} from '../text/tokens/calibration';
import { bestTitle, type SessionStats } from '../transcript/sessionStats';
import type { ReadTranscript } from './statsReader';
import { commonCwd } from './projectNames';
import type { DiscoveredSession, TokenFigure } from './results';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { isLiveAt } from './sessionParts';
import type { StatsCache } from './statsCache';
import { sumOf } from '../text/ownValue';

const DAY_MS = 24 * 60 * 60 * 1000;

interface DiscoveryContext {
  now: Date;
  cleanupPeriodDays: number;
  /** How the project's sessions calibrate each model. */
  calibrations: ReadonlyMap<string, Calibration>;
}

/** What a first look does not know. */
const UNCOUNTED = {
  messages: 0,
  newMessages: 0,
  tokens: { count: 0, kind: 'estimate' },
  brokenLines: 0,
  markers: 0,
  isUncounted: true,
} as const;

/** One session as trees and `discover` show it. */
export function discoveredSession(transcript: ReadTranscript, context: DiscoveryContext): DiscoveredSession {
  const { source, stats, problem, isFirstLook } = transcript;
  const { ref, file, entry, isKept: isOriginalGone } = source;
  const keepitsChangedAt = entry?.keepitOverlay
    ?.map(({ changedAt }) => changedAt)
    .sort()
    .at(-1);
  return {
    projectId: ref.projectId,
    sessionId: ref.sessionId,
    file: file.path,
    bytes: file.bytes,
    mtimeMs: file.mtimeMs,
    ...(stats === undefined ? fromEntry(entry) : fromStats(stats, transcript, context)),
    registered: entry !== undefined,
    newMessages: entry === undefined || stats === undefined ? 0 : Math.max(0, stats.messages - entry.originalMessages),
    keepitsChangedAt,
    isOriginalGone,
    isLive: !isOriginalGone && isLiveAt(file.mtimeMs, context.now),
    ...(source.isInFolder && { expiresInDays: expiresInDays(file.mtimeMs, context) }),
    ...(isFirstLook === true && UNCOUNTED),
    problem,
  };
}

type FromTranscript = Pick<
  DiscoveredSession,
  | 'firstTimestamp'
  | 'lastTimestamp'
  | 'messages'
  | 'tokens'
  | 'claudeTokens'
  | 'title'
  | 'cwd'
  | 'gitBranch'
  | 'subAgents'
  | 'brokenLines'
  | 'markers'
>;

function fromStats(
  stats: SessionStats,
  { source: { agents, entry }, foreignTitle }: ReadTranscript,
  { calibrations }: DiscoveryContext,
): FromTranscript {
  const { meta } = stats;
  const claudeTokens = stats.tokens === 0 ? undefined : claudeTokensOf(stats, calibrations);
  const written = sumOf(Object.values(stats.keepitCandidates), (count) => count);
  return {
    firstTimestamp: meta.firstTimestamp ?? '',
    lastTimestamp: meta.lastTimestamp ?? '',
    messages: stats.messages,
    tokens: { count: stats.tokens, kind: stats.counting },
    claudeTokens,
    title: bestTitle(stats.titles, foreignTitle) ?? '',
    cwd: commonCwd(meta),
    gitBranch: meta.gitBranch,
    subAgents: stats.inlineAgents + agents.length,
    brokenLines: stats.account.brokenCount,
    markers: written + (entry?.keepitOverlay?.length ?? 0),
  };
}

/** For a transcript that cannot be read: what the store remembers, else nothing. */
function fromEntry(entry: SessionManifestEntry | undefined): FromTranscript {
  return {
    firstTimestamp: entry?.firstTimestamp ?? '',
    lastTimestamp: entry?.lastTimestamp ?? '',
    messages: entry?.originalMessages ?? 0,
    tokens: tokensOf(entry),
    title: entry?.metadata.title ?? '',
    cwd: entry?.metadata.cwd ?? '',
    subAgents: 0,
    brokenLines: 0,
    markers: knownMarkers(entry),
  };
}

function knownMarkers(entry: SessionManifestEntry | undefined): number {
  return entry === undefined ? 0 : entry.keepitMarkers.length + (entry.keepitOverlay?.length ?? 0);
}

function expiresInDays(mtimeMs: number, { now, cleanupPeriodDays }: DiscoveryContext): number {
  return Math.floor(cleanupPeriodDays - (now.getTime() - mtimeMs) / DAY_MS);
}

/** The figure that the store remembers of a session. */
export function tokensOf(entry: SessionManifestEntry | undefined): TokenFigure {
  if (entry === undefined) return { count: 0, kind: 'estimate' };
  return { count: entry.originalTokens, kind: entry.originalTokensKind ?? 'exact' };
}

/** Pairs of the model's counting and of ours, of some transcripts. */
function usagePairsOf(all: Iterable<SessionStats>): UsagePair[] {
  const pairs: UsagePair[] = [];
  for (const { usagePairs } of all) {
    for (const [model, own] of Object.entries(usagePairs)) {
      for (const [claudeTokens, counted] of own) pairs.push({ model, claudeTokens, counted });
    }
  }
  return pairs;
}

/** How a project's own sessions calibrate each model, by its name. */
export function calibrationsOf(all: Iterable<SessionStats>): Map<string, Calibration> {
  return new Map(calibrate(usagePairsOf(all)).map((calibration) => [calibration.model, calibration]));
}

/**
 * What the session's own model would count for it. Undefined for a session that no model has answered yet. Models that the
 * project has not measured often enough get the ratio that Keepit ships, and the figure says so.
 */
export function claudeTokensOf(
  { meta, tokens, toolSteps }: SessionStats,
  calibrations: ReadonlyMap<string, Calibration>,
): CalibratedTokens | undefined {
  const [mainModel] = Object.entries(meta.models).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if (mainModel === undefined) return undefined;
  const calibration = calibrations.get(mainModel) ?? defaultCalibration(mainModel);
  return calibrated(calibration, tokens + toolSteps * toolStepTokens);
}

/** How our counts relate to those of the models, from the transcripts that were read so far; the most frequent model first. */
export async function calibrateFromCache(
  { claude, cache }: { claude: ClaudeFolder; cache: StatsCache },
  projectId?: string,
): Promise<Calibration[]> {
  const pairs: UsagePair[] = [];
  for (const id of projectId === undefined ? await claude.projectIds() : [projectId]) {
    const { transcripts } = await cache.load(id);
    pairs.push(...usagePairsOf(Object.values(transcripts).map(({ stats }) => stats)));
  }
  return calibrate(pairs);
}
