import { html, nothing, type TemplateResult } from 'lit';
import { percentDone, progressBar, type RunningWork } from '../components/progressBar';
import { button, mainButton } from '../components/toolkit';

/** What has become of *Compose*, or of an export. */
export type Work =
  | { readonly kind: 'idle' | 'cancelled' }
  | RunningWork
  | { readonly kind: 'composed'; readonly name: string }
  | { readonly kind: 'exported'; readonly file: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface FooterBarProps {
  readonly work: Work;
  /** Why nothing can be composed as the form stands. */
  readonly obstacle: string | undefined;
  /** The composition that the form is, unchanged. */
  readonly saved: string | undefined;
  readonly onExport: (format: 'markdown' | 'jsonl') => void;
  readonly onCompose: () => void;
  readonly onCancel: () => void;
  readonly onDeliver: (name: string, to: 'resume' | 'next-session' | 'clipboard') => void;
}

/** Always in sight: what is being made or was made, and the buttons for it. */
export function footerBar(props: FooterBarProps): TemplateResult {
  const { work, obstacle, saved, onCompose, onCancel, onExport } = props;
  const isRunning = work.kind === 'running';
  const isReady = obstacle === undefined;
  return html`<footer>
    <div class="state">
      <div role="status" aria-live="polite">${stateText(work, obstacle)}</div>
      ${isRunning ? progressBar('Composing', work) : nothing}
    </div>
    <div class="buttons">
      ${saved === undefined ? nothing : deliveryButtons(saved, props)}
      ${
        isRunning
          ? button('Cancel', onCancel)
          : html`${plainButton('Export Markdown', isReady, () => onExport('markdown'))}
            ${plainButton('Export JSONL', isReady, () => onExport('jsonl'))}
            ${mainButton('Compose', isReady, onCompose)}`
      }
    </div>
  </footer>`;
}

function plainButton(label: string, isEnabled: boolean, onClick: () => void): TemplateResult {
  return html`<vscode-button appearance="secondary" ?disabled=${!isEnabled} @click=${onClick}>${label}</vscode-button>`;
}

function deliveryButtons(name: string, { onDeliver }: FooterBarProps): TemplateResult {
  return html`${button('Start Claude Code with This Context', () => onDeliver(name, 'resume'))}
  ${button('Use in the Next Session', () => onDeliver(name, 'next-session'))}
  ${button('Copy', () => onDeliver(name, 'clipboard'))}`;
}

function stateText(work: Work, obstacle: string | undefined): TemplateResult | string {
  switch (work.kind) {
    case 'running':
      return `Composing${work.label === undefined ? '' : `: ${work.label}`}…${percentDone(work)}`;
    case 'composed':
      return html`<strong class="good">“${work.name}” is saved, as shown.</strong>`;
    case 'exported':
      return html`<strong class="good">Saved as ${work.file}</strong>`;
    case 'failed':
      return html`<strong class="bad">${work.message}</strong>`;
    case 'cancelled':
      return 'Cancelled. Nothing was written.';
    case 'idle':
      return obstacle ?? '';
  }
}
