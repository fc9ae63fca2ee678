import { html, nothing, type TemplateResult } from 'lit';
import type { Formats } from '../../src/core/text/formats';
import type { ShownLoss } from '../../src/core/versions/view/versionDiffProtocol';
import { lostKinds, lostText, type LostKind, type LossFilter } from '../../src/core/versions/view/versionDiffView';
import { button, checkbox } from '../components/toolkit';

export interface LossListProps {
  /** All that was lost, and what of it is shown. */
  readonly lost: readonly ShownLoss[];
  readonly shown: readonly ShownLoss[];
  readonly filters: readonly LossFilter[];
  readonly names: { readonly a: string; readonly b: string };
  /** So many rows are drawn. */
  readonly limit: number;
  readonly isLossOnly: boolean;
  readonly formats: Formats;
  readonly onFilter: (kind: LostKind, isShown: boolean) => void;
  readonly onLossOnly: (isLossOnly: boolean) => void;
  /** Shows where it stood, among the changes. */
  readonly onShow: (loss: ShownLoss) => void;
  /** Shows the message in the transcript. */
  readonly onOpen: (messageUuid: string) => void;
  readonly onMore: () => void;
}

const singulars = new Map(lostKinds.map(({ kind, singular }) => [kind, singular]));

/** What the first has and the second has not, with a way to where it stood. */
export function lossList(props: LossListProps): TemplateResult {
  const { lost, shown, filters, names, limit, isLossOnly, formats, onFilter, onLossOnly, onMore } = props;
  return html`<section class="losses" aria-label="What was lost">
    <h2 aria-live="polite">Lost: ${lostText(lost, formats)}</h2>
    ${
      lost.length === 0
        ? html`<p class="faint">Everything that Keepit looks for in ${names.a} is in ${names.b} as well.</p>`
        : html`<div class="filters" role="group" aria-label="Kinds of losses">
            ${filters.map(({ kind, title, count, isShown }) =>
              checkbox({
                label: `${title} (${formats.exact(count)})`,
                isChecked: isShown,
                onChange: (isChecked) => onFilter(kind, isChecked),
              }),
            )}
            ${checkbox({ label: 'Only messages with losses', isChecked: isLossOnly, onChange: onLossOnly })}
          </div>`
    }
    <ol>
      ${shown.slice(0, limit).map((loss) => lossRow(loss, props))}
    </ol>
    ${shown.length > limit ? button(`Show More (${formats.exact(shown.length - limit)})`, onMore) : nothing}
  </section>`;
}

function lossRow(loss: ShownLoss, { formats, onShow, onOpen }: LossListProps): TemplateResult {
  const { kind, text, messageIndex, messageUuid, reason } = loss;
  return html`<li class=${kind}>
    <button type="button" class="words-button loss" title="Show where it stood" @click=${() => onShow(loss)}>
      <span class="kind">${singulars.get(kind) ?? kind}</span> ${text}
    </button>
    <span class="faint">${reason === undefined ? nothing : html`${reason} · `}</span>
    <button type="button" class="link" @click=${() => onOpen(messageUuid)}>
      message ${formats.exact(messageIndex + 1)}
    </button>
  </li>`;
}
