import {
  calibrate,
  calibrated,
  defaultCalibration,
  toolStepTokens,
  type CalibratedTokens,
  type Calibration,
  type UsagePair,
} from '../text/tokens/calibration';
import type { SessionStats } from '../transcript/sessionStats';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { StatsCache } from './statsCache';

/** Pairs of the model's counting and of ours, of some transcripts. */
export function usagePairsOf(all: Iterable<SessionStats>): UsagePair[] {
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
