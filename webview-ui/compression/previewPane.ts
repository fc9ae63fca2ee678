import { html, nothing, svg, type TemplateResult } from 'lit';
import {
  type FormProblems,
  type KeepitGroup,
  keepitGroups,
  keepitReason,
  previewFigures,
  type PreviewSegment,
  previewSegments,
  previewWarning,
} from '../../src/core/versions/view/compressionForm';
import type { CompressionPreview, PreviewKeepit } from '../../src/core/versions/view/compressionProtocol';
import type { Formats } from '../../src/core/text/formats';
import { presetTitle } from '../../src/core/sessions/view/keepitOutlook';
import { weightName } from '../../src/core/keepits/weights';

export interface PreviewPaneProps {
  readonly preview: CompressionPreview | undefined;
  readonly problems: FormProblems;
  /** Why there is none for the form as it stands. */
  readonly refusal: string | undefined;
  readonly isEstimating: boolean;
  readonly keepitMode: 'decay' | 'preserve-all' | 'ignore';
  readonly formats: Formats;
  readonly onOpenKeepit: (markerId: string) => void;
}

/** So many keepits of a kind are listed; the heading counts all of them. */
const KEEPITS_SHOWN = 200;

/** What would come out of the form as it stands (seed 000, 5.2). */
export function previewPane(props: PreviewPaneProps): TemplateResult {
  const { preview, problems, refusal, isEstimating } = props;
  // What is shown is about the form as it was.
  const staleness = isEstimating ? 'updating…' : Object.keys(problems).length > 0 ? 'as it was before' : '';
  return html`<section class="card preview" aria-label="Preview" aria-busy=${isEstimating}>
    <h2>Preview ${preview === undefined ? nothing : html`<span class="updating">${staleness}</span>`}</h2>
    ${refusal === undefined ? nothing : html`<p class="problem" role="alert">${refusal}</p>`}
    ${preview === undefined ? emptyText(props) : figures(preview, props)}
  </section>`;
}

function emptyText({ problems, refusal, isEstimating }: PreviewPaneProps): TemplateResult | typeof nothing {
  if (refusal !== undefined) return nothing;
  const [problem] = Object.values(problems);
  return html`<p class="faint">${isEstimating ? 'Estimating…' : (problem ?? '')}</p>`;
}

function figures(preview: CompressionPreview, { keepitMode, formats, onOpenKeepit }: PreviewPaneProps): TemplateResult {
  const warning = previewWarning(preview, formats);
  const { preserved, summarized } = keepitGroups(preview, keepitMode);
  return html`<dl>
      ${previewFigures(preview, formats).map(
        ({ name, figure }) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${figure}</dd>
          </div>`,
      )}
    </dl>
    ${segmentsView(previewSegments(preview, formats))}
    ${warning === '' ? nothing : html`<p class="note">${warning}</p>`}
    <h3>Keepits: ${formats.exact(preview.keepits.length)} in all</h3>
    ${
      preview.keepits.length === 0
        ? html`<p class="faint">Nothing is marked here. Mark what must not be lost, in the transcript.</p>`
        : html`${groupView(preserved, { isOpen: true, kind: 'preserved', onOpenKeepit })}
          ${groupView(summarized, { isOpen: preserved.keepits.length === 0, kind: 'summarized', onOpenKeepit })}`
    }`;
}

/** One bar for each stretch: as long as its share of the session, and dark as far as it is left. */
function segmentsView(segments: readonly PreviewSegment[]): TemplateResult {
  return html`<table class="segments">
    <caption class="unseen">
      How hard each stretch of the session is compressed, the oldest first
    </caption>
    <tbody>
      ${segments.map(
        ({ range, how, tokens, share, left }) =>
          html`<tr>
            <th scope="row">${range}</th>
            <td>${how}</td>
            <td class="figure">${tokens}</td>
            <td class="bar">
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                ${svg`<rect class="before" width=${share * 100} height="8"></rect><rect class="after" width=${left * 100} height="8"></rect>`}
              </svg>
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function groupView(
  { title, keepits }: KeepitGroup,
  props: { isOpen: boolean; kind: string; onOpenKeepit: (markerId: string) => void },
): TemplateResult {
  if (keepits.length === 0) return html`<p class=${`group ${props.kind}`}>${title}</p>`;
  const more = keepits.length - KEEPITS_SHOWN;
  return html`<details class=${`group ${props.kind}`} ?open=${props.isOpen}>
    <summary>${title}</summary>
    <ul>
      ${keepits.slice(0, KEEPITS_SHOWN).map((keepit) => keepitView(keepit, props.onOpenKeepit))}
      ${more > 0 ? html`<li class="faint">… and ${more} more</li>` : nothing}
    </ul>
  </details>`;
}

function keepitView(keepit: PreviewKeepit, onOpen: (markerId: string) => void): TemplateResult {
  const { markerId, weight, words } = keepit;
  return html`<li>
    <span class="weight" title=${presetTitle(weightName(weight))}>${weight.toFixed(2)}</span>
    <span>
      <button type="button" class="link" title="Go to its message" @click=${() => onOpen(markerId)}>${words}</button>
      <span class="faint">${keepitReason(keepit)}</span>
    </span>
  </li>`;
}
