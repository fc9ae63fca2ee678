import { Dropdown } from '@vscode/webview-ui-toolkit';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { live } from 'lit/directives/live.js';

export interface DropdownProps<T extends string> {
  /** Unique in the view. */
  readonly id: string;
  readonly label: string;
  /** The label is only read aloud: the table's heading says it already. */
  readonly isLabelHidden?: boolean;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  /** What the choice comes to. */
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly onChange: (value: T) => void;
}

export function dropdown<T extends string>(props: DropdownProps<T>): TemplateResult {
  const { id, label, isLabelHidden = false, options, value, hint, problem, onChange } = props;
  // The control tells of its own beginnings, too: only what a person has chosen is another value.
  const changed = ({ currentTarget }: Event): void => {
    const chosen = options.find((option) => currentTarget instanceof Dropdown && option.value === currentTarget.value);
    if (chosen !== undefined && chosen.value !== value) onChange(chosen.value);
  };
  const control = html`<vscode-dropdown
    id=${id}
    aria-label=${label}
    aria-describedby=${`${id}-hint ${id}-problem`}
    @change=${changed}
    .value=${live(value)}
  >
    ${options.map(
      (option) =>
        html`<vscode-option value=${option.value} ?selected=${option.value === value}>${option.label}</vscode-option>`,
    )}
  </vscode-dropdown>`;
  // The control shows a label as it was when it was chosen: where the labels are others, it has to be another one.
  const labels = options.map((option) => option.label).join('\n');
  return html`<div class="field">
    ${isLabelHidden ? nothing : html`<label for=${id}>${label}</label>`} ${keyed(labels, control)}
    <span id=${`${id}-hint`} class="faint" ?hidden=${hint === undefined}>${hint ?? ''}</span>
    ${problemOf(id, problem)}
  </div>`;
}

export interface NumberFieldProps {
  /** Unique in the view. */
  readonly id: string;
  readonly label: string;
  readonly isLabelHidden?: boolean;
  /** Null while the field is empty. */
  readonly value: number | null;
  readonly min: number;
  readonly max?: number;
  readonly step?: number;
  /** Written after the number: `:1`. */
  readonly unit?: string;
  /** What counts while the field is empty. */
  readonly placeholder?: string;
  readonly problem?: string | undefined;
  readonly onInput: (value: number | null) => void;
}

/** A number that may be wrong: the form takes it as it is, and says so beside it. */
export function numberField(props: NumberFieldProps): TemplateResult {
  const {
    id,
    label,
    isLabelHidden = false,
    value,
    min,
    max,
    step = 1,
    unit = '',
    placeholder,
    problem,
    onInput,
  } = props;
  const typed = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    const number = target.valueAsNumber;
    onInput(Number.isNaN(number) ? null : number);
  };
  // What is typed and not yet a number (`1.`) must not be taken away from the one who types.
  const text = value === null ? '' : String(value);
  return html`<div class="field">
    ${isLabelHidden ? nothing : html`<label for=${id}>${label}</label>`}
    <span class="number">
      <input
        id=${id}
        type="number"
        min=${min}
        max=${max ?? nothing}
        step=${step}
        placeholder=${placeholder ?? nothing}
        aria-label=${label}
        aria-invalid=${problem === undefined ? 'false' : 'true'}
        aria-describedby=${`${id}-problem`}
        .value=${text}
        @input=${typed}
      /><span aria-hidden="true">${unit}</span>
    </span>
    ${problemOf(id, problem)}
  </div>`;
}

function problemOf(id: string, problem: string | undefined): TemplateResult {
  return html`<span id=${`${id}-problem`} class="field-problem">${problem ?? ''}</span>`;
}
