import { formatUsd } from '../models/cost';
import { thresholdText } from '../../keepits/decay';
import type {
  Aggressiveness,
  CompressionRecord,
  CompressionSettings,
  Fidelity,
  KeepitStats,
  ReceiptEntry,
} from '../../model/compression';
import { joinParts, type Formats } from '../../text/formats';

/** How versions are put into words, in one place: views, panels and messages agree. */

/** Seed 001's levels, and what is none of them. */
export type VersionLevel = 'light' | 'moderate' | 'aggressive' | 'custom';

export const levelTitles: Record<VersionLevel, string> = {
  light: 'Light',
  moderate: 'Moderate',
  aggressive: 'Aggressive',
  custom: 'Custom',
};

const levelsOfPresets: Record<NonNullable<CompressionSettings['tierPreset']>, VersionLevel> = {
  gentle: 'light',
  standard: 'moderate',
  aggressive: 'aggressive',
  custom: 'custom',
};

const levelsOfAggressiveness: Record<Aggressiveness, VersionLevel> = {
  minimal: 'light',
  moderate: 'moderate',
  aggressive: 'aggressive',
};

/** Which level of seed 001 a version has: by its preset, or by how hard it cuts throughout. */
export function versionLevel({ mode, tierPreset, aggressiveness }: CompressionSettings): VersionLevel {
  if (mode === 'tiered') return levelsOfPresets[tierPreset ?? 'custom'];
  return aggressiveness === undefined ? 'custom' : levelsOfAggressiveness[aggressiveness];
}

/** `30:1`, `9.8:1`. */
export function ratioText(ratio: number): string {
  const rounded = ratio < 9.95 ? Math.round(ratio * 10) / 10 : Math.round(ratio);
  return `${rounded}:1`;
}

/** `30 to 1`, for screen readers. */
export function spokenRatio(ratio: number): string {
  return ratioText(ratio).replace(':', ' to ');
}

/** `tiered standard`, `uniform 30:1 aggressive`: how a version was made, without its model. */
export function settingsText(settings: CompressionSettings): string {
  const { mode, compactionRatio, aggressiveness, tierPreset } = settings;
  if (mode === 'tiered') return `tiered ${tierPreset ?? 'custom'}`;
  const ratio = compactionRatio === undefined ? '' : ratioText(compactionRatio);
  return joinParts(['uniform', ratio, aggressiveness ?? ''], ' ');
}

/** `v002 Aggressive 30:1`: the level, and for a uniform version its one ratio. */
export function versionTitle({ versionId, settings }: Pick<CompressionRecord, 'versionId' | 'settings'>): string {
  const ratio = settings.mode === 'uniform' ? settings.compactionRatio : undefined;
  const level = levelTitles[versionLevel(settings)];
  return joinParts([shortVersion(versionId), level, ratio === undefined ? '' : ratioText(ratio)], ' ');
}

/** `v002` of `part1_v002`: the part stands above it. */
export function shortVersion(versionId: string): string {
  return versionId.replace(/^part\d+_/, '');
}

/** 0-based, both included, as people count: `messages 1–450`. */
export function rangeText([first, last]: readonly [number, number], formats: Formats): string {
  if (first === last) return `message ${formats.exact(first + 1)}`;
  return `messages ${formats.exact(first + 1)}–${formats.exact(last + 1)}`;
}

/** Two decimals, and never 1.00 for what has lost something; a dash for what was not measured. */
export function fidelityText(score: number | undefined): string {
  if (score === undefined) return '–';
  return score < 1 ? Math.min(0.99, score).toFixed(2) : '1.00';
}

/** `2 kept, 5 faded`; '' where nothing was marked. */
export function keptText({ preserved, summarized }: KeepitStats): string {
  if (preserved + summarized === 0) return '';
  if (summarized === 0) return `${preserved} kept`;
  return preserved === 0 ? `${summarized} faded` : `${preserved} kept, ${summarized} faded`;
}

/** What fidelity is made of, in the order in which it is shown. */
export const fidelityKinds = [
  'keepits',
  'instructions',
  'decisions',
  'artifacts',
  'paths',
  'commands',
  'errors',
  'identifiers',
] as const;

/** `keepits 1.00, instructions 0.80, …`. */
export function fidelityParts(fidelity: Fidelity): string {
  return fidelityKinds.map((kind) => `${kind} ${fidelityText(fidelity[kind])}`).join(', ');
}

/** `$0.12`; '' where nothing was paid. */
export function moneyText(usd: number): string {
  return usd <= 0 ? '' : formatUsd(usd);
}

/** Who wrote a version: `the built-in compressor`, or a model and what it took. */
export function makerText({ provider, settings, cost, engine }: CompressionRecord, formats: Formats): string {
  if (provider === undefined) return 'another tool';
  if (provider === 'local') return `the built-in compressor${engine === undefined ? '' : ` (${engine})`}`;
  const calls = cost === undefined || cost.calls === 0 ? '' : formats.plural(cost.calls, 'call');
  return joinParts([`${settings.model} through ${provider}`, calls, moneyText(cost?.usd ?? 0)]);
}

/** What was made, in one line: `v003: 3,012 tokens, 33:1, fidelity 0.81`. */
export function outcomeText(record: CompressionRecord, formats: Formats): string {
  const { versionId, outputTokens, compressionRatio, fidelity, cost } = record;
  const facts = [
    formats.plural(outputTokens, 'token'),
    ratioText(compressionRatio),
    fidelity === undefined ? '' : `fidelity ${fidelityText(fidelity.score)}`,
    moneyText(cost?.usd ?? 0),
  ];
  return `${versionId}: ${joinParts(facts, ', ')}`;
}

/** The weights from which on keepits survived, where they say anything: `0.65`, `0.30 to 0.65`; '' for pinned ones only. */
export function thresholdsText(receipt: readonly Pick<ReceiptEntry, 'threshold'>[]): string {
  const [least, most] = extremes(receipt.map(({ threshold }) => threshold));
  if (least === undefined || most === undefined) return '';
  const texts = [thresholdText(least), thresholdText(most)];
  return texts[0] === texts[1] ? thresholdText(least) : texts.join(' to ');
}

function extremes(values: readonly number[]): [number | undefined, number | undefined] {
  let least: number | undefined;
  let most: number | undefined;
  for (const value of values) {
    if (least === undefined || value < least) least = value;
    if (most === undefined || value > most) most = value;
  }
  return [least, most];
}
