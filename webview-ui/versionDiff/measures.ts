import { html, nothing, svg, type TemplateResult } from 'lit';
import type { ReceiptRow, ShownEnd, VersionDiffData } from '../../src/core/versions/view/versionDiffProtocol';
import { endName } from '../../src/core/versions/view/versionDiffView';
import { fidelityKinds, fidelityText } from '../../src/core/versions/view/versionTexts';

/** How much of the original each of the two still holds, and the receipts of both. */
export function measures({ a, b }: Pick<VersionDiffData, 'a' | 'b'>): TemplateResult {
  return html`${fidelityTable([a, b])}
    <div class="receipts">${[a, b].map(receiptView)}</div>`;
}

function fidelityTable(ends: readonly ShownEnd[]): TemplateResult {
  if (ends.every(({ fidelity }) => fidelity === undefined)) return html`${nothing}`;
  return html`<table class="fidelity">
    <caption class="unseen">
      Fidelity: how much of what mattered in the original each version still holds, from 0 to 1
    </caption>
    <thead>
      <tr>
        <td></td>
        <th scope="col">Fidelity</th>
        ${fidelityKinds.map((kind) => html`<th scope="col">${kind}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${ends.map((end) => fidelityRow(end))}
    </tbody>
  </table>`;
}

/** The original holds all of itself. */
function fidelityRow(end: ShownEnd): TemplateResult {
  const { fidelity, versionId } = end;
  if (fidelity === undefined && versionId !== 'original') return html`${nothing}`;
  const shares =
    fidelity === undefined
      ? [1, ...fidelityKinds.map(() => 1)]
      : [fidelity.score, ...fidelityKinds.map((kind) => fidelity[kind])];
  return html`<tr>
    <th scope="row">${endName(end)}</th>
    ${shares.map((share, at) => html`<td class=${at === 0 ? 'score' : ''}>${fidelityText(share)} ${bar(share ?? 0)}</td>`)}
  </tr>`;
}

/** The policy forbids inline styles: shapes have attributes. */
function bar(share: number): TemplateResult {
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" x="0" y="0" width="100" height="6"></rect>
    ${svg`<rect class="held" x="0" y="0" width=${share * 100} height="6"></rect>`}
  </svg>`;
}

function receiptView(end: ShownEnd): TemplateResult {
  const { receipt = [] } = end;
  if (receipt.length === 0) return html`${nothing}`;
  const kept = receipt.filter((row) => row.kept).length;
  return html`<details>
    <summary>Receipt of ${endName(end)}: ${kept} kept, ${receipt.length - kept} faded</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">Weight</th>
          <th scope="col">Why</th>
          <th scope="col">Marked words</th>
        </tr>
      </thead>
      <tbody>
        ${receipt.map(receiptRow)}
      </tbody>
    </table>
  </details>`;
}

function receiptRow({ kept, weight, reason, words }: ReceiptRow): TemplateResult {
  return html`<tr class=${kept ? 'kept' : 'faded'}>
    <td>${kept ? 'kept' : 'faded'}</td>
    <td>${weight.toFixed(2)}</td>
    <td>${reason}</td>
    <td class="words">${words ?? ''}</td>
  </tr>`;
}
