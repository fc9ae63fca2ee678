import { html, nothing, svg, type TemplateResult } from 'lit';

export interface HowFar {
  readonly done: number;
  /** 0 while it is not known. */
  readonly total: number;
}

/** Work that is under way, as panels show it. */
export interface RunningWork extends HowFar {
  readonly kind: 'running';
  readonly label?: string | undefined;
}

/** ` 40 %`; nothing while it is not known. */
export function percentDone({ done, total }: HowFar): string {
  return total === 0 ? '' : ` ${Math.floor((done / total) * 100)} %`;
}

/** How far something has come; `what` is for screen readers. The policy forbids inline styles: shapes have attributes. */
export function progressBar(what: string, { done, total }: HowFar): TemplateResult {
  const share = total === 0 ? 0 : Math.min(1, done / total);
  return html`<svg
    class="progress"
    viewBox="0 0 100 2"
    preserveAspectRatio="none"
    role="progressbar"
    aria-label=${what}
    aria-valuenow=${total === 0 ? nothing : Math.floor(share * 100)}
  >
    ${svg`<rect class="track" width="100" height="2"></rect><rect class="bar" width=${share * 100} height="2"></rect>`}
  </svg>`;
}
