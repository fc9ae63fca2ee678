import type { CompressionRequest } from '../types';
import type { CompressionScope, TierConfig } from '../../model/compression';
import { MAX_RATIO, type CompressionData, type CompressionForm, type TierFields } from './compressionProtocol';
import { formatCount, joinParts, type Formats } from '../../text/formats';
import { rangeText } from './versionTexts';

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
