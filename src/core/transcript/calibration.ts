/** What the model counted for a stretch of a session, and what our counter counts for the same stretch. */
export interface UsagePair {
  readonly model: string;
  /** By how much the context of the model grew, from the `usage` of two consecutive requests. */
  readonly claudeTokens: number;
  /** Our count of what was added in between, with `toolStepTokens` for every tool call. */
  readonly counted: number;
}

/** How the counts of one counter relate to those of one model. */
export interface Calibration {
  readonly model: string;
  /** Tokens of the model for each token that we count. */
  readonly ratio: number;
  /** Half of the pairs are closer than this to what the ratio predicts, in percent of the model's figure. */
  readonly medianErrorPct: number;
  /** How many pairs the ratio was fitted to; 0 when it is a default that Keepit ships. */
  readonly pairs: number;
}

/** A model's figure for a count, with the error to be shown beside it. */
export interface CalibratedTokens {
  readonly model: string;
  readonly tokens: number;
  readonly medianErrorPct: number;
  /** False when the ratio is a default: it comes from other people's sessions. */
  readonly isMeasured: boolean;
}

/**
 * What the envelope of a tool call and its result takes (names of the structure, ids), in tokens as we count them. Fitted
 * to the same pairs as the defaults: with it the median error falls from 17 % to 7 %.
 */
export const toolStepTokens = 60;

/** With fewer pairs than this the default is the better guess. */
const minPairs = 20;

/**
 * For models whose sessions have not told yet, newest version first: Claude 4.7 came with another tokenizer. Medians over
 * 752 clean pairs of consecutive requests in seven projects, with the error on projects that the ratio was not fitted to,
 * and over 59 pairs of the one project that used the newer tokenizer: `npm run eval -- tokens`.
 */
const defaults = [
  { sinceVersion: 407, ratio: 1.68, medianErrorPct: 11 },
  { sinceVersion: 0, ratio: 1.19, medianErrorPct: 7 },
] as const;

/** The calibration to be used for a model as long as nothing better is known. */
export function defaultCalibration(model: string): Calibration {
  const version = versionOf(model);
  const { ratio, medianErrorPct } = defaults.find(({ sinceVersion }) => version >= sinceVersion) ?? defaults[1];
  return { model, ratio, medianErrorPct, pairs: 0 };
}

/** 407 for `claude-opus-4-7`, 400 for `claude-sonnet-4-20250514`, 305 for `claude-3-5-haiku-latest`, 0 for an unknown name. */
function versionOf(model: string): number {
  const [, major = '0', minor = '0'] = /-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

/**
 * Fits one ratio for each model, the most frequent model first: the median of the ratios of its pairs, so that pairs in
 * which the model was sent what the transcript does not show do not matter. Models with few pairs get their default.
 */
export function calibrate(pairs: Iterable<UsagePair>): Calibration[] {
  const byModel = new Map<string, UsagePair[]>();
  for (const pair of pairs) {
    if (!(pair.counted > 0 && pair.claudeTokens > 0)) continue;
    const known = byModel.get(pair.model);
    if (known) known.push(pair);
    else byModel.set(pair.model, [pair]);
  }
  return [...byModel]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([model, own]) => (own.length < minPairs ? defaultCalibration(model) : fit(model, own)));
}

/** The model's figure for something that we counted. */
export function calibrated(calibration: Calibration, counted: number): CalibratedTokens {
  const { model, ratio, medianErrorPct, pairs } = calibration;
  return { model, tokens: Math.round(counted * ratio), medianErrorPct, isMeasured: pairs > 0 };
}

/** The median error, in percent, of a ratio on pairs; 0 without any. */
export function medianErrorPctOf(ratio: number, pairs: readonly UsagePair[]): number {
  const errors = pairs.map(({ counted, claudeTokens }) => Math.abs(counted * ratio - claudeTokens) / claudeTokens);
  return Math.round(median(errors) * 1000) / 10;
}

function fit(model: string, pairs: readonly UsagePair[]): Calibration {
  const ratio = median(pairs.map(({ claudeTokens, counted }) => claudeTokens / counted));
  return { model, ratio, medianErrorPct: medianErrorPctOf(ratio, pairs), pairs: pairs.length };
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort(); // numbers as such: ten times as fast as with a function that compares
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
