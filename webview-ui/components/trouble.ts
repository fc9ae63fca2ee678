import { html, nothing, type TemplateResult } from 'lit';
import { button, progressRing } from './toolkit';

/** What went wrong, if anything, with a way to try again. */
export function trouble(problem: string | undefined, onAgain: () => void): TemplateResult | typeof nothing {
  if (problem === undefined) return nothing;
  return html`<div class="problem" role="alert">
    <p>${problem}</p>
    ${button('Try Again', onAgain)}
  </div>`;
}

/** The page while there is nothing to show yet: what is done meanwhile, or why nothing comes. */
export function emptyPage(
  doing: string,
  { problem, onAgain }: { readonly problem: string | undefined; readonly onAgain: () => void },
): TemplateResult {
  if (problem !== undefined) return html`<main>${trouble(problem, onAgain)}</main>`;
  return html`<main><p class="waiting" role="status">${progressRing()} ${doing}…</p></main>`;
}
