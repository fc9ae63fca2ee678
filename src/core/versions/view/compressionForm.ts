import type { CompressionRequest } from '../types';
import type { CompressionScope, KeepitMode, TierConfig } from '../../model/compression';
import {
  type CompressionData,
  type CompressionForm,
  type CompressionPreview,
  MAX_RATIO,
  type PreviewKeepit,
  type TierFields,
} from './compressionProtocol';
import { formatCount, type Formats, joinParts } from '../../text/formats';
import { moneyText, rangeText, ratioText, thresholdsText } from './versionTexts';
import { thresholdText } from '../../keepits/decay';
import { tierPresets } from '../compressionSettings';
import type { ProjectSettings } from '../../model/manifest';

/** The fields that can be wrong; those of tiers by their row. */
export type FormField =
  'scope' | 'skipFirst' | 'maxCostUsd' | 'provider' | 'tiers' | `tier-${number}-${keyof TierFields}`;

/** What is wrong with each field, in words for people. Empty when the form can be sent. */
export type FormProblems = Partial<Record<FormField, string>>;

/** Where the slider ends: what is beyond it can be typed. */
export const RATIO_SLIDER = { min: 1, max: 100 } as const;
export const MAX_TIERS = 20;

/** What the form asks for. Call it only when there are no problems: a field that is wrong is left out. */
export function requestOf(form: CompressionForm): CompressionRequest {
  const { scope, mode, keepitMode, provider, model } = form;
  return {
    scope,
    keepitMode,
    provider,
    ...modeOf(form, mode),
    skipFirstMessages: form.skipFirst ?? 0,
    sessionDistance: form.distance,
    ...(provider !== 'local' && model !== '' && { model }),
    ...(provider !== 'local' && form.maxCostUsd !== null && { maxCostUsd: form.maxCostUsd }),
  };
}

function modeOf(form: CompressionForm, mode: CompressionForm['mode']): CompressionRequest {
  if (mode === 'uniform') {
    return { mode, compactionRatio: form.ratio, aggressiveness: form.aggressiveness };
  }
  if (form.preset !== 'custom') return { mode, tierPreset: form.preset };
  return { mode, tierPreset: 'custom', customTiers: form.tiers.flatMap((tier) => wholeTier(tier) ?? []) };
}

function wholeTier({ endPercent, compactionRatio, aggressiveness }: TierFields): TierConfig | undefined {
  return endPercent === null || compactionRatio === null ? undefined : { endPercent, compactionRatio, aggressiveness };
}

/** Everything that stands against the form, so that each field can say it in its place. Cheap: called with every keystroke. */
export function problemsOf(
  form: CompressionForm,
  data: Pick<CompressionData, 'parts' | 'delta' | 'original' | 'providers'>,
): FormProblems {
  const problems: FormProblems = {};
  const say = (field: FormField, problem: string | undefined): void => {
    if (problem !== undefined) problems[field] = problem;
  };
  say('scope', scopeProblem(form.scope, data));
  if (form.mode === 'tiered' && form.preset === 'custom') Object.assign(problems, tierProblems(form.tiers));
  say('skipFirst', skipProblem(form.skipFirst, data.original.messages));
  if (form.provider !== 'local') {
    say('provider', data.providers.find(({ name }) => name === form.provider)?.problem);
    if (form.maxCostUsd !== null && form.maxCostUsd <= 0) say('maxCostUsd', 'Write an amount above 0, or nothing.');
  }
  return problems;
}

function scopeProblem(
  scope: CompressionScope,
  { parts, delta, original }: Pick<CompressionData, 'parts' | 'delta' | 'original'>,
): string | undefined {
  if (original.messages === 0) return 'Nothing was said in this session.';
  if (scope.kind === 'delta' && delta.newMessages === 0) return 'Nothing was said since the last part.';
  if (scope.kind !== 'part') return undefined;
  const isThere = parts.some(({ partNumber }) => partNumber === scope.partNumber);
  return isThere ? undefined : `There is no part ${scope.partNumber} any more.`;
}

function ratioProblem(ratio: number | null): string | undefined {
  if (ratio === null) return 'Write a ratio, such as 30 for 30:1.';
  if (ratio < 1) return 'Below 1:1 nothing would be compressed.';
  return ratio > MAX_RATIO ? `Above ${MAX_RATIO}:1 nothing would be left.` : undefined;
}

function skipProblem(value: number | null, messages: number): string | undefined {
  if (value === null || !Number.isInteger(value) || value < 0) return 'Write a whole number of messages, from 0.';
  return messages > 0 && value >= messages ? `The session has ${messages} messages: none would be left.` : undefined;
}

/** Ends have to rise to 100. */
function tierProblems(tiers: readonly TierFields[]): FormProblems {
  const problems: FormProblems = {};
  if (tiers.length === 0) problems.tiers = 'Add at least one tier.';
  let before = 0;
  for (const [row, { endPercent, compactionRatio }] of tiers.entries()) {
    const problem = endProblem(endPercent, before, row === tiers.length - 1);
    if (problem !== undefined) problems[`tier-${row}-endPercent`] = problem;
    const ratio = ratioProblem(compactionRatio);
    if (ratio !== undefined) problems[`tier-${row}-compactionRatio`] = ratio;
    before = Math.max(before, endPercent ?? 0);
  }
  return problems;
}

function endProblem(end: number | null, before: number, isLast: boolean): string | undefined {
  if (end === null) return 'Write where the tier ends, in percent of the messages.';
  if (end > 100) return 'A session has no more than 100 %.';
  if (end <= before) return `The tier has to end behind ${before} %.`;
  return isLast && end !== 100 ? 'The last tier has to end at 100 %.' : undefined;
}

/** The tiers with one more: the widest is split in two. As they are when none is wide enough. */
export function withTier(tiers: readonly TierFields[]): TierFields[] {
  if (tiers.length === 0) return [{ endPercent: 100, compactionRatio: 10, aggressiveness: 'moderate' }];
  const spans = tiers.map(({ endPercent }, row) => (endPercent ?? 100) - (tiers[row - 1]?.endPercent ?? 0));
  const widest = Math.max(...spans);
  const row = spans.lastIndexOf(widest);
  const split = tiers[row];
  if (split === undefined || widest < 2) return [...tiers];
  const middle = (split.endPercent ?? 100) - Math.floor(widest / 2);
  return [...tiers.slice(0, row), { ...split, endPercent: middle }, ...tiers.slice(row)];
}

/** The tiers without one; the last that is left ends at 100. */
export function withoutTier(tiers: readonly TierFields[], row: number): TierFields[] {
  const left = tiers.filter((_, index) => index !== row);
  return left.map((tier, index) => (index === left.length - 1 ? { ...tier, endPercent: 100 } : tier));
}

/** One thing that can be compressed. */
export interface ScopeChoice {
  /** For a list that takes strings. */
  readonly key: string;
  readonly scope: CompressionScope;
  readonly label: string;
  readonly detail: string;
}

export function scopeKey(scope: CompressionScope): string {
  return scope.kind === 'part' ? `part ${scope.partNumber}` : scope.kind;
}

/** What of the session can be compressed: all of it, what is new, or a part again. */
export function scopeChoices({ original, delta, parts }: CompressionData, formats: Formats): ScopeChoice[] {
  const size = joinParts([formats.plural(original.messages, 'message'), `${formatCount(original.tokens)} tokens`]);
  const whole = { key: 'whole', scope: { kind: 'whole' }, label: 'Whole session', detail: size } as const;
  const fresh =
    delta.newMessages === 0
      ? 'there are none'
      : joinParts([
          formats.plural(delta.newMessages, 'message'),
          `${formatCount(delta.newTokens)} tokens`,
          `will be part ${delta.nextPart}`,
        ]);
  return [
    whole,
    { key: 'delta', scope: { kind: 'delta' }, label: 'New messages', detail: fresh },
    ...parts.map(({ partNumber, messageRange, versions }): ScopeChoice => {
      const scope = { kind: 'part', partNumber } as const;
      const detail = joinParts([rangeText(messageRange, formats), formats.plural(versions, 'version')]);
      return { key: scopeKey(scope), scope, label: `Part ${partNumber} again`, detail };
    }),
  ];
}

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

/** A value that a setting of a project can have. */
export interface SettingChoice {
  /** As `config set` takes it. */
  readonly value: string;
  readonly label: string;
  /** What it means. */
  readonly detail: string;
}

/** A setting of a project, as it is. */
export interface SettingRow {
  /** As `config set` takes it. */
  readonly key: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly SettingChoice[];
}

const presets = ['gentle', 'standard', 'aggressive'] as const;

/** What a project decides for itself, for a list to choose from. A value that another tool has written is a choice, too. */
export function projectSettingRows(settings: ProjectSettings): SettingRow[] {
  const preset = settings.defaultCompressionPreset;
  const known = presets.map(presetChoice);
  const isKnown = known.some(({ value }) => value === preset);
  return [
    {
      key: 'project.defaultCompressionPreset',
      label: 'Compression, where nothing else is said',
      value: preset,
      choices: isKnown ? known : [...known, { value: preset, label: preset, detail: 'As another tool has set it' }],
    },
    {
      key: 'project.autoRegisterNewSessions',
      label: 'New sessions are kept by themselves',
      ...onOff(settings.autoRegisterNewSessions, {
        on: 'New sessions are added to memory as soon as they rest, and what is new in them is brought in',
        off: 'Sessions are added to memory by you',
      }),
    },
    {
      key: 'project.keepitDecayEnabled',
      label: 'Keepits fade',
      ...onOff(settings.keepitDecayEnabled, {
        on: 'The lighter one is, and the older its session, the sooner it gives way; weight 1.00 never does',
        off: 'Every keepit stays in every version, unless a compression is told otherwise',
      }),
    },
    {
      key: 'project.autoDecay.enabled',
      label: 'Versions come and go with the age of sessions',
      ...onOff(settings.autoDecay.enabled, {
        on: agingText(settings.autoDecay.rules),
        off: 'Versions are made and deleted by you',
      }),
    },
  ];
}

/** The choice that a setting is at. */
export function currentChoice({ choices, value }: SettingRow): SettingChoice | undefined {
  return choices.find((choice) => choice.value === value);
}

const presetLabels = { gentle: 'Light', standard: 'Moderate', aggressive: 'Aggressive' } as const;

function presetChoice(preset: (typeof presets)[number]): SettingChoice {
  const tiers = tierPresets[preset];
  const [oldest, newest] = [tiers[0], tiers.at(-1)].map((tier) => tier?.compactionRatio ?? 1);
  return {
    value: preset,
    label: presetLabels[preset],
    detail: `Tiered ${preset}: from ${oldest}:1 for the oldest messages to ${newest}:1 for the newest`,
  };
}

function agingText({
  createAfterDays,
  createPreset,
  aggressiveAfterDays,
  aggressivePreset,
  pruneIntermediateAfterDays,
}: ProjectSettings['autoDecay']['rules']): string {
  const first = `${presetLabels[createPreset]} after ${createAfterDays} days`;
  const then = `${presetLabels[aggressivePreset].toLowerCase()} after ${aggressiveAfterDays}`;
  return `${first}, ${then}; what came between goes to the trash after ${pruneIntermediateAfterDays}. No model is asked`;
}

function onOff(isOn: boolean, says: { on: string; off: string }): Pick<SettingRow, 'value' | 'choices'> {
  return {
    value: String(isOn),
    choices: [
      { value: 'true', label: 'On', detail: says.on },
      { value: 'false', label: 'Off', detail: says.off },
    ],
  };
}
