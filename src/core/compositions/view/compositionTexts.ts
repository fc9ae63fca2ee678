import type { ComponentChange } from '../freshness';
import type { CompositionStrategy, RecompressSettings } from '../../model/composition';
import type { CompositionPreview, PreviewComponent, PreviewOption } from '../compositionPreview';
import { formatCount, joinParts, timeOf, type Formats } from '../../text/formats';
import { fidelityText, ratioText } from '../../versions/view/versionTexts';

/** How compositions are put into words, in one place: the builder, the view and messages agree. */

interface StrategyText {
  readonly strategy: CompositionStrategy;
  readonly title: string;
  /** What it changes. */
  readonly effect: string;
}

/** In the order of the chooser. */
export const strategyTexts: readonly StrategyText[] = [
  {
    strategy: 'best',
    title: 'Best',
    effect: 'All that was asked and answered in any of them, cut to the same length.',
  },
  { strategy: 'equal', title: 'Equal', effect: 'Every session gets the same share of the budget.' },
  {
    strategy: 'age',
    title: 'By age',
    effect: 'The last two sessions in light, the three before in moderate detail, older ones cut hard.',
  },
  { strategy: 'custom', title: 'Custom', effect: 'Shares by the weights that you give to the sessions.' },
];

/** New versions that can be asked for, by their presets (seed 001). */
export const recompressChoices = [
  { preset: 'gentle', title: 'light' },
  { preset: 'standard', title: 'moderate' },
  { preset: 'aggressive', title: 'aggressive' },
] as const;

/** `Recompress from original: light`, `…: 30:1`. */
export function recompressText({ tierPreset, compactionRatio }: RecompressSettings): string {
  const title = recompressChoices.find(({ preset }) => preset === tierPreset)?.title;
  const how = title ?? (compactionRatio === undefined ? 'as its project does' : ratioText(compactionRatio));
  return `Recompress from original: ${how}`;
}

/** `v002 · 30:1 · fidelity 0.81`. What it takes stands in its row, and nowhere else. */
export function optionText(option: PreviewOption): string {
  const { ratio, fidelity, kind } = option;
  return joinParts([
    optionName(option),
    ...(kind === 'version' || kind === 'parts' || kind === 'new' || kind === 'fresh'
      ? [ratioText(ratio), `fidelity ${fidelityText(fidelity)}`]
      : []),
  ]);
}

/** `v002`, `Original`, `part1_v001 + part2_v003`. */
export function optionName({ kind, versionIds }: Pick<PreviewOption, 'kind' | 'versionIds'>): string {
  switch (kind) {
    case 'original':
      return 'Original';
    case 'fresh':
      return 'Condensed to fit';
    case 'new':
      return 'New version';
    case 'keepits':
      return 'Only its pinned keepits';
    case 'nothing':
      return 'Left out';
    case 'version':
    case 'parts':
      return versionIds.join(' + ');
  }
}

/** Whether nothing of the session but keepits is in. */
export function isLeftOut(kind: PreviewOption['kind']): boolean {
  return kind === 'nothing' || kind === 'keepits';
}

/** `Jan 15, 2026, 10:00 – 18:30`; '' for a session without times. */
export function spanText(
  { firstTimestamp, lastTimestamp }: Pick<PreviewComponent, 'firstTimestamp' | 'lastTimestamp'>,
  formats: Formats,
): string {
  const [first, last] = [timeOf(firstTimestamp), timeOf(lastTimestamp)];
  if (first === undefined || last === undefined) return '';
  return formats.range(first, last);
}

/** `8 %`, `0.4 %`. */
export function percentText(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}

/** `15,904 of 16,000 tokens · 8 % of the model’s window (200k) · keeps 93 % of what matters`. */
export function budgetText(
  { totalTokens, budget, keeps }: Pick<CompositionPreview, 'totalTokens' | 'budget' | 'keeps'>,
  windowTokens: number,
  formats: Formats,
): string {
  const share = `${percentText(totalTokens / windowTokens)} of the model’s window (${formatCount(windowTokens)})`;
  return joinParts([`${formats.exact(totalTokens)} of ${formats.exact(budget)} tokens`, share, keepsText(keeps)]);
}

/** What rebuilding changed, in a sentence. */
export function rebuiltText(
  name: string,
  { changes, tokensBefore, tokens }: { changes: readonly ComponentChange[]; tokensBefore: number; tokens: number },
  formats: Formats,
): string {
  const count = (kind: ComponentChange['change']): number => changes.filter(({ change }) => change === kind).length;
  const parts = [
    count('changed') === 0 ? '' : `${formats.plural(count('changed'), 'session')} changed`,
    count('added') === 0 ? '' : `${count('added')} added`,
    count('removed') === 0 ? '' : `${count('removed')} left out`,
  ].filter(Boolean);
  const size =
    tokensBefore === tokens
      ? `${formats.exact(tokens)} tokens, as before`
      : `${formats.exact(tokens)} tokens instead of ${formats.exact(tokensBefore)}`;
  return `“${name}” is rebuilt: ${[...(parts.length === 0 ? ['nothing changed'] : parts), size].join(', ')}.`;
}

/** `keeps 93 % of what matters`. */
export function keepsText(keeps: number): string {
  return `keeps ${Math.round(100 * keeps)} % of what matters`;
}
