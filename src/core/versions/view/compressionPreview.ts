import { thresholdText } from '../../keepits/decay';
import type { KeepitMode } from '../../model/compression';
import type { CompressionPreview, PreviewKeepit } from './compressionProtocol';
import { formatCount, type Formats, joinParts } from '../../text/formats';
import { moneyText, rangeText, ratioText, thresholdsText } from './versionTexts';

/** One line of the preview: what it is, and the figure. */
export interface PreviewFigure {
  readonly name: string;
  readonly figure: string;
}

/** Seed 000, 5.2: what would come out. */
export function previewFigures(preview: CompressionPreview, formats: Formats): PreviewFigure[] {
  const { inputTokens, outputTokens, inputMessages, outputMessages, askedRatio, compressionRatio } = preview;
  const asked = ratioText(askedRatio) === ratioText(compressionRatio) ? '' : `, ${ratioText(askedRatio)} asked for`;
  const about = (count: number): string => `~${formats.exact(roundedFigure(count))}`;
  return [
    { name: 'Output', figure: `${about(outputTokens)} of ${formats.exact(inputTokens)} tokens` },
    { name: 'Messages', figure: `~${formats.exact(outputMessages)} of ${formats.exact(inputMessages)}` },
    { name: 'Ratio', figure: `~${ratioText(compressionRatio)}${asked}` },
    { name: 'Cost', figure: costFigure(preview, formats) },
  ];
}

/** Three digits: an estimate that looks exact would be taken for a promise. */
function roundedFigure(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 2);
  return Math.round(count / unit) * unit;
}

function costFigure({ cost }: CompressionPreview, formats: Formats): string {
  if (cost.calls === 0) return 'nothing: no model is asked';
  const tokens = `${formatCount(cost.inputTokens)} tokens in, ${formatCount(cost.outputTokens)} out`;
  return `~${moneyText(cost.usd) || '$0.00'} (${formats.plural(cost.calls, 'call')}, ${tokens})`;
}

/** Keepits of one fate. */
export interface KeepitGroup {
  /** `Will preserve 2 (weight ≥ 0.65)`. */
  readonly title: string;
  /** Heaviest first. */
  readonly keepits: readonly PreviewKeepit[];
}

/** Seed 000, 5.2: what would be preserved, and what summarized; named is the weight that decides, where a weight decides. */
export function keepitGroups(
  { keepits }: CompressionPreview,
  mode: KeepitMode,
): { preserved: KeepitGroup; summarized: KeepitGroup } {
  const heaviestFirst = [...keepits].sort((a, b) => b.weight - a.weight);
  const threshold = mode === 'decay' ? thresholdsText(keepits) : '';
  const isOne = !threshold.includes(' ');
  const by = (comparison: string): string => {
    if (threshold === '') return '';
    return isOne ? ` (weight ${comparison} ${threshold})` : ` (threshold ${threshold}, by tier)`;
  };
  const preserved = heaviestFirst.filter(({ kept }) => kept);
  const summarized = heaviestFirst.filter(({ kept }) => !kept);
  return {
    preserved: { title: `Will preserve ${preserved.length}${by('≥')}`, keepits: preserved },
    summarized: { title: `Will summarize ${summarized.length}${by('<')}`, keepits: summarized },
  };
}

/** One stretch of the session that is cut equally hard. */
export interface PreviewSegment {
  /** `messages 1–112`. */
  readonly range: string;
  /** `25:1 aggressive`. */
  readonly how: string;
  /** `25,000 → 1,000`. */
  readonly tokens: string;
  /** Share of all input, and what is left of it, from 0 to 1. */
  readonly share: number;
  readonly left: number;
}

export function previewSegments({ segments, inputTokens }: CompressionPreview, formats: Formats): PreviewSegment[] {
  const whole = Math.max(1, inputTokens);
  return segments.map(({ from, to, ratio, aggressiveness, inputTokens: input, targetTokens }) => ({
    range: rangeText([from, to], formats),
    how: `${ratioText(ratio)} ${aggressiveness}`,
    tokens: `${formatCount(input)} → ${formatCount(targetTokens)}`,
    share: Math.min(1, input / whole),
    left: Math.min(1, targetTokens / whole),
  }));
}

/** What a person should know before they go on; '' when there is nothing. */
export function previewWarning({ isExceededByKeepits, keepitTokens }: CompressionPreview, formats: Formats): string {
  if (!isExceededByKeepits) return '';
  return `The keepits that survive are larger (${formats.plural(keepitTokens, 'token')}) than what was asked for: the version will be larger, too.`;
}

/** The same in one line, for a list to choose from: `~10,200 tokens · 9.8:1 · keeps 5 of 7 keepits`. */
export function previewLine(preview: CompressionPreview, formats: Formats): string {
  const { outputTokens, compressionRatio, keepits, cost } = preview;
  const kept = keepits.filter((keepit) => keepit.kept).length;
  const parts = [
    `~${formats.plural(roundedFigure(outputTokens), 'token')}`,
    ratioText(compressionRatio),
    keepits.length === 0 ? '' : `keeps ${kept} of ${formats.plural(keepits.length, 'keepit')}`,
    moneyText(cost.usd),
  ];
  return joinParts(parts);
}

/** `0.80 ≥ 0.65`, or why it is not judged by its weight. */
export function keepitReason({ reason, threshold }: PreviewKeepit): string {
  return reason === '' ? `threshold ${thresholdText(threshold)}` : reason;
}
