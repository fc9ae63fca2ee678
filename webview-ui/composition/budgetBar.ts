import { html, nothing, svg, type TemplateResult } from 'lit';
import type { CompositionPreview } from '../../src/core/compositions/compositionPreview';
import { budgetText, percentText } from '../../src/core/compositions/view/compositionTexts';
import { formatCount, type Formats } from '../../src/core/text/formats';

/** So many colours tell components apart; the numbers on the timeline say the same. */
const COLORS = 6;

/** The class of a component's colour, by its position. */
export function colorClass(position: number): string {
  return `c${position % COLORS}`;
}

export interface BudgetBarProps {
  readonly preview: CompositionPreview;
  /** A newer one is on its way. */
  readonly isUpdating: boolean;
  readonly budget: number;
  readonly windowTokens: number;
  readonly formats: Formats;
}

/** How much of the budget each component takes, and how much of the model's window all of it does. */
export function budgetBar({ preview, budget, windowTokens, formats, isUpdating }: BudgetBarProps): TemplateResult {
  const whole = Math.max(1, budget, preview.totalTokens);
  let at = (preview.frameTokens / whole) * 100;
  const segments = preview.components.map(({ title, pick }, position) => {
    const width = (pick.tokens / whole) * 100;
    const x = at;
    at += width;
    const says = `${position + 1}. ${title}: ${formatCount(pick.tokens)} tokens, ${percentText(pick.tokens / whole)} of the budget`;
    return svg`<rect class=${colorClass(position)} x=${x} width=${Math.max(0, width - 0.15)} height="10"><title>${says}</title></rect>`;
  });
  const text = budgetText({ ...preview, budget }, windowTokens, formats);
  const left = budget - preview.totalTokens;
  return html`<div class="budget">
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${text}>
      ${svg`<rect class="track" width="100" height="10"></rect>
        <rect class="frame" width=${(preview.frameTokens / whole) * 100} height="10"><title>${`What stands around the sessions: ${preview.frameTokens} tokens`}</title></rect>
        ${segments}`}
    </svg>
    <svg class="window" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      ${svg`<rect class="track" width="100" height="10"></rect>
        <rect class="fill" width=${Math.min(100, (preview.totalTokens / windowTokens) * 100)} height="10"></rect>`}
    </svg>
    <p class="budget-text" role="status" aria-live="polite">
      <strong>${text}</strong>
      ${left > 0 ? html`<span class="faint">· ${formats.exact(left)} left</span>` : nothing}
      ${isUpdating ? html`<span class="faint">· updating…</span>` : nothing}
    </p>
  </div>`;
}
