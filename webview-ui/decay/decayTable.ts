import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { thresholdText, type DecayOutcome } from '../../src/core/keepits/decay';
import type { DecayRow } from '../../src/core/sessions/view/decayPanel';
import { outcomeWords, presetTitle } from '../../src/core/sessions/view/keepitOutlook';

export interface DecayTableProps {
  readonly rows: readonly DecayRow[];
  /** Rows of many sessions: each names its own. */
  readonly isProject: boolean;
  readonly onOpen: (key: string) => void;
}

/** The markers and what becomes of them. A click anywhere on a row leads to its message; for the keyboard, the marked words are a button. */
export function decayTable({ rows, isProject, onOpen }: DecayTableProps): TemplateResult {
  return html`<table>
    <caption class="unseen">
      Keepits, heaviest first, and what becomes of them
    </caption>
    <thead>
      <tr>
        <th scope="col">Outcome</th>
        <th scope="col">Weight</th>
        <th scope="col" class="words">Marked words</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => rowView(row, { isProject, onOpen }))}
    </tbody>
  </table>`;
}

function rowView(row: DecayRow, { isProject, onOpen }: Omit<DecayTableProps, 'rows'>): TemplateResult {
  const { key, outcome, weight, preset, preview, session, distance, reason, threshold } = row;
  return html`<tr class=${outcome} @click=${() => onOpen(key)}>
    <td class="outcome">
      ${iconOf(outcome)}<span>${outcomeWords[outcome]}</span>
      <div class="detail">${reason}</div>
    </td>
    <td class="weight">
      ${weight.toFixed(2)} <span class="preset">${presetTitle(preset)}</span>
      <div>${gauge(weight, threshold)}</div>
    </td>
    <td class="words">
      <button type="button" class="words-button" title="Go to its message">${preview}</button>
      ${isProject ? html`<div class="detail">distance ${distance} · ${session}</div>` : nothing}
    </td>
  </tr>`;
}

const iconPaths: Record<DecayOutcome, SVGTemplateResult> = {
  survives: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="M5 8.2 7.2 10.4 11 6"></path>`,
  barely: svg`<path d="M8 2 14.5 13.5 H1.5 Z"></path><path d="M8 6.3 V9.6 M8 11.2 V11.9"></path>`,
  fades: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="M3.5 12.5 12.5 3.5"></path>`,
};

/** Different shapes: colour comes on top. The word beside it says the same. */
function iconOf(outcome: DecayOutcome): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${iconPaths[outcome]}</svg>`;
}

/** The weight as a bar, and the threshold as a line across it. The policy forbids inline styles: shapes have attributes. */
function gauge(weight: number, threshold: number | undefined): TemplateResult {
  const at = Math.min(1, threshold ?? 0) * 100;
  const says = threshold === undefined ? 'no threshold' : `threshold ${thresholdText(threshold)}`;
  return html`<svg class="gauge" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <title>${says}</title>
    <rect class="track" x="0" y="3" width="100" height="4"></rect>
    <rect class="bar" x="0" y="3" width=${weight * 100} height="4"></rect>
    ${threshold === undefined ? nothing : svg`<rect class="mark" x=${Math.min(98.5, at)} y="0" width="1.5" height="10"></rect>`}
  </svg>`;
}
