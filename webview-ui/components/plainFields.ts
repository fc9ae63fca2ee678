import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';

/**
 * The browser's own controls, in VS Code's colours: where a view has a hundred of them, the toolkit's are too slow to make.
 */

export interface SelectProps {
  /** Unique in the view. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly isDisabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** The label is only read aloud: what stands around it says it to the eye. */
export function select({ id, label, options, value, isDisabled = false, onChange }: SelectProps): TemplateResult {
  const changed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLSelectElement && currentTarget.value !== value) onChange(currentTarget.value);
  };
  return html`<select id=${id} aria-label=${label} ?disabled=${isDisabled} .value=${live(value)} @change=${changed}>
    ${options.map(
      (option) =>
        html`<option value=${option.value} ?selected=${live(option.value === value)}>${option.label}</option>`,
    )}
  </select>`;
}

export interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly problem?: string | undefined;
  readonly onInput: (value: string) => void;
}

/** A text that may be wrong: the form takes it as it is, and says so below it. */
export function textField({ id, label, value, problem, onInput }: TextFieldProps): TemplateResult {
  const typed = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) onInput(target.value);
  };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="text"
      spellcheck="false"
      autocomplete="off"
      aria-invalid=${problem === undefined ? 'false' : 'true'}
      aria-describedby=${`${id}-problem`}
      .value=${live(value)}
      @input=${typed}
    />
    <span id=${`${id}-problem`} class="field-problem">${problem ?? ''}</span>
  </div>`;
}

export interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly title?: string;
  readonly onChange: (isChecked: boolean) => void;
}

export function check({ label, isChecked, title, onChange }: CheckProps): TemplateResult {
  const changed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement) onChange(currentTarget.checked);
  };
  return html`<label class="check" title=${title ?? nothing}
    ><input type="checkbox" .checked=${live(isChecked)} @change=${changed} />${label}</label
  >`;
}

export interface IconButtonProps {
  /** What it does; read aloud, and shown under the mouse. */
  readonly label: string;
  /** An outline in a square of 16. */
  readonly path: string;
  readonly isEnabled?: boolean;
  readonly onClick: () => void;
}

export function iconButton({ label, path, isEnabled = true, onClick }: IconButtonProps): TemplateResult {
  return html`<button
    type="button"
    class="icon-button"
    aria-label=${label}
    title=${label}
    ?disabled=${!isEnabled}
    @click=${onClick}
  >
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d=${path}></path></svg>
  </button>`;
}
