import { html, nothing, type TemplateResult } from 'lit';
import { MAX_TIERS, withoutTier, withTier, type FormProblems } from '../../src/core/versions/view/compressionForm';
import { MAX_RATIO, type TierFields } from '../../src/core/versions/view/compressionProtocol';
import type { Aggressiveness } from '../../src/core/model/compression';
import { dropdown, numberField } from '../components/fields';
import { button } from '../components/toolkit';

export const aggressivenessOptions: readonly { value: Aggressiveness; label: string }[] = [
  { value: 'minimal', label: 'Minimal' },
  { value: 'moderate', label: 'Moderate' },
  { value: 'aggressive', label: 'Aggressive' },
];

export interface TierTableProps {
  readonly tiers: readonly TierFields[];
  readonly problems: FormProblems;
  readonly onChange: (tiers: TierFields[]) => void;
}

/** The tiers of the custom preset, to be edited. */
export function tierEditor({ tiers, problems, onChange }: TierTableProps): TemplateResult {
  const set = (row: number, change: Partial<TierFields>): void =>
    onChange(tiers.map((tier, index) => (index === row ? { ...tier, ...change } : tier)));
  return html`<table class="tiers">
      <caption class="unseen">
        Tiers, the oldest messages first
      </caption>
      ${heading(true)}
      <tbody>
        ${tiers.map((tier, row) => editedRow(tier, row, { tiers, problems, onChange, set }))}
      </tbody>
    </table>
    ${problems.tiers === undefined ? nothing : html`<p class="field-problem">${problems.tiers}</p>`}
    ${tiers.length < MAX_TIERS ? button('Add Tier', () => onChange(withTier(tiers))) : nothing}`;
}

function editedRow(
  tier: TierFields,
  row: number,
  props: TierTableProps & { set: (row: number, change: Partial<TierFields>) => void },
): TemplateResult {
  const { tiers, problems, onChange, set } = props;
  const name = `Tier ${row + 1}`;
  return html`<tr>
    <td>
      ${numberField({
        id: `tier-${row}-end`,
        label: `${name} ends at percent of the messages`,
        isLabelHidden: true,
        value: tier.endPercent,
        min: 1,
        max: 100,
        unit: '%',
        problem: problems[`tier-${row}-endPercent`],
        onInput: (endPercent) => set(row, { endPercent }),
      })}
    </td>
    <td>
      ${numberField({
        id: `tier-${row}-ratio`,
        label: `${name} ratio`,
        isLabelHidden: true,
        value: tier.compactionRatio,
        min: 1,
        max: MAX_RATIO,
        unit: ':1',
        problem: problems[`tier-${row}-compactionRatio`],
        onInput: (compactionRatio) => set(row, { compactionRatio }),
      })}
    </td>
    <td>
      ${dropdown({
        id: `tier-${row}-level`,
        label: `${name} aggressiveness`,
        isLabelHidden: true,
        options: aggressivenessOptions,
        value: tier.aggressiveness,
        onChange: (aggressiveness) => set(row, { aggressiveness }),
      })}
    </td>
    <td>
      <button
        type="button"
        class="icon-button"
        aria-label=${`Remove ${name}`}
        title=${`Remove ${name}`}
        ?disabled=${tiers.length < 2}
        @click=${() => onChange(withoutTier(tiers, row))}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4 12 12 M12 4 4 12"></path></svg>
      </button>
    </td>
  </tr>`;
}

/** The tiers of a preset, to be read. */
export function tierTable(tiers: readonly TierFields[]): TemplateResult {
  return html`<table class="tiers">
    <caption class="unseen">
      Tiers of this preset, the oldest messages first
    </caption>
    ${heading(false)}
    <tbody>
      ${tiers.map(
        ({ endPercent, compactionRatio, aggressiveness }) =>
          html`<tr>
            <td>${endPercent} %</td>
            <td>${compactionRatio}:1</td>
            <td>${aggressiveness}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function heading(isEdited: boolean): TemplateResult {
  return html`<thead>
    <tr>
      <th scope="col">Messages up to</th>
      <th scope="col">Ratio</th>
      <th scope="col">Aggressiveness</th>
      ${isEdited ? html`<td></td>` : nothing}
    </tr>
  </thead>`;
}
