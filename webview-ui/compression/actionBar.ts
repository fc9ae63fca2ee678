import { html, nothing, type TemplateResult } from 'lit';
import { previewLine } from '../../src/core/versions/view/compressionForm';
import type { CompressionPreview } from '../../src/core/versions/view/compressionProtocol';
import type { Formats } from '../../src/core/text/formats';
import { percentDone, progressBar, type RunningWork } from '../components/progressBar';
import { button, mainButton } from '../components/toolkit';

/** What has become of *Create*. */
export type Work =
  | { readonly kind: 'idle' | 'cancelled' }
  | RunningWork
  | { readonly kind: 'made'; readonly versionId: string; readonly outcome: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface ActionBarProps {
  readonly work: Work;
  readonly preview: CompressionPreview | undefined;
  readonly isReady: boolean;
  readonly isEstimating: boolean;
  readonly formats: Formats;
  readonly onCreate: () => void;
  readonly onCancel: () => void;
  readonly onClose: () => void;
  readonly onShow: (versionId: string, as: 'text' | 'comparison') => void;
}

/** Always in sight: what would be made, or what is being made, and the button for it. */
export function actionBar(props: ActionBarProps): TemplateResult {
  const { work, isReady, onCreate, onCancel, onClose } = props;
  const isRunning = work.kind === 'running';
  // On the left: notifications, the one of this work among them, come up over the right end.
  return html`<footer>
    <div class="buttons">
      ${
        isRunning
          ? button('Cancel', onCancel)
          : html`${mainButton('Create Compression', isReady, onCreate)} ${button('Close', onClose)}`
      }
      ${work.kind === 'made' ? shownButtons(work.versionId, props) : nothing}
    </div>
    <div class="state">
      <div role="status" aria-live="polite">${stateText(props)}</div>
      ${isRunning ? progressBar('Compressing', work) : nothing}
    </div>
  </footer>`;
}

function stateText({ work, preview, isReady, isEstimating, formats }: ActionBarProps): TemplateResult | string {
  switch (work.kind) {
    case 'running':
      return `${work.label ?? 'Compressing'}…${percentDone(work)}`;
    case 'made':
      return html`<strong class="good">Made ${work.outcome}</strong>`;
    case 'failed':
      return html`<strong class="bad">${work.message}</strong>`;
    case 'cancelled':
      return 'Cancelled. Nothing was written.';
    case 'idle':
      if (!isReady) return 'Some settings cannot be used as they are.';
      return isEstimating || preview === undefined ? 'Estimating…' : previewLine(preview, formats);
  }
}

function shownButtons(versionId: string, { onShow }: ActionBarProps): TemplateResult {
  return html`${button('Open', () => onShow(versionId, 'text'))}
  ${button('Compare with Original', () => onShow(versionId, 'comparison'))}`;
}
