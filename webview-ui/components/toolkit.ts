import {
  Checkbox,
  provideVSCodeDesignSystem,
  RadioGroup,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeProgressRing,
  vsCodeRadio,
  vsCodeRadioGroup,
} from '@vscode/webview-ui-toolkit';
import { html, type TemplateResult } from 'lit';

/**
 * VS Code's controls as templates. This folder alone knows the toolkit that they come from, which gets no updates any more: another
 * one would replace it here.
 */

/** Makes the browser know the controls; called once by each view, before it draws. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeCheckbox(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodeProgressRing(),
    vsCodeRadio(),
    vsCodeRadioGroup(),
  );
}

export interface CheckboxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function checkbox({ label, isChecked, onChange }: CheckboxProps): TemplateResult {
  // The control also tells of changes that we made ourselves, at once: so the handler has to be renewed before the value.
  const changed = ({ target }: Event): void => {
    if (target instanceof Checkbox && target.checked !== isChecked) onChange(target.checked);
  };
  return html`<vscode-checkbox @change=${changed} .checked=${isChecked}>${label}</vscode-checkbox>`;
}

export interface RadioProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function radioGroup<T extends string>({ label, options, value, onChange }: RadioProps<T>): TemplateResult {
  const changed = ({ currentTarget }: Event): void => {
    const chosen = options.find(
      (option) => currentTarget instanceof RadioGroup && option.value === currentTarget.value,
    );
    if (chosen !== undefined && chosen.value !== value) onChange(chosen.value);
  };
  return html`<vscode-radio-group aria-label=${label} @change=${changed} .value=${value}>
    <label slot="label">${label}</label>
    ${options.map(
      (option) => html`<vscode-radio aria-label=${option.label} value=${option.value}>${option.label}</vscode-radio>`,
    )}
  </vscode-radio-group>`;
}

export function button(label: string, onClick: () => void): TemplateResult {
  return html`<vscode-button appearance="secondary" @click=${onClick}>${label}</vscode-button>`;
}

/** The one button of a view that does what the view is for. */
export function mainButton(label: string, isEnabled: boolean, onClick: () => void): TemplateResult {
  return html`<vscode-button appearance="primary" ?disabled=${!isEnabled} @click=${onClick}>${label}</vscode-button>`;
}

/** Something takes a while; the words beside it say what. */
export function progressRing(): TemplateResult {
  return html`<vscode-progress-ring aria-hidden="true"></vscode-progress-ring>`;
}
