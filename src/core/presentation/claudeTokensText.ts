import type { CalibratedTokens, Calibration } from '../transcript/calibration';
import { formatCount } from '../text/formats';

/** `12k as claude-opus-4-7 counts, ± 7 %`: what the session's own model would count, and how far that may be off. */
export function claudeTokensText({ model, tokens, medianErrorPct, isMeasured }: CalibratedTokens): string {
  const error = `± ${percent(medianErrorPct)}`;
  return `${formatCount(tokens)} as ${model} counts, ${error}${isMeasured ? '' : ', by sessions of others'}`;
}

/** `1.19 tokens for each of ours, ± 7 %, from 212 requests` */
export function calibrationText({ ratio, medianErrorPct, pairs }: Calibration): string {
  const origin = pairs === 0 ? 'as it is in sessions of others' : `from ${pairs} requests`;
  return `${ratio.toFixed(2)} tokens for each of ours, ± ${percent(medianErrorPct)}, ${origin}`;
}

function percent(value: number): string {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} %`;
}
