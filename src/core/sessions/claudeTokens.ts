import { calibrate, calibrated, defaultCalibration, toolStepTokens } from '../transcript/calibration';
import type { CalibratedTokens, Calibration, UsagePair } from '../transcript/calibration';
import type { TranscriptDigest } from './transcriptDigest';

/** Pairs of the model's counting and of ours, out of the digests of some transcripts. */
export function usagePairsOf(digests: Iterable<TranscriptDigest>): UsagePair[] {
  const pairs: UsagePair[] = [];
  for (const { usagePairs } of digests) {
    for (const [model, own] of Object.entries(usagePairs)) {
      for (const [claudeTokens, counted] of own) pairs.push({ model, claudeTokens, counted });
    }
  }
  return pairs;
}

/** How a project's own sessions calibrate each model, by its name. */
export function calibrationsOf(digests: Iterable<TranscriptDigest>): Map<string, Calibration> {
  return new Map(calibrate(usagePairsOf(digests)).map((calibration) => [calibration.model, calibration]));
}

/**
 * What the session's own model would count for it. Undefined for a session that no model has answered yet. Models that the
 * project has not measured often enough get the ratio that Keepit ships, and the figure says so.
 */
export function claudeTokensOf(
  digest: TranscriptDigest,
  calibrations: ReadonlyMap<string, Calibration>,
): CalibratedTokens | undefined {
  const { mainModel, tokens, toolSteps } = digest;
  if (mainModel === undefined) return undefined;
  const calibration = calibrations.get(mainModel) ?? defaultCalibration(mainModel);
  return calibrated(calibration, tokens + toolSteps * toolStepTokens);
}
