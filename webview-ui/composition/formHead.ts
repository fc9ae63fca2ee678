import { html, nothing, type TemplateResult } from 'lit';
import type { CompositionProblems } from '../../src/core/compositions/view/compositionForm';
import type {
  CompositionData,
  CompositionForm,
  CompositionRefusal,
} from '../../src/core/compositions/view/compositionProtocol';
import type { Formats } from '../../src/core/text/formats';
import { numberField } from '../components/fields';
import { check, iconButton, textField } from '../components/plainFields';
import { button } from '../components/toolkit';

export interface FormHeadProps {
  readonly data: CompositionData;
  readonly form: CompositionForm;
  readonly problems: CompositionProblems;
  readonly refusal: CompositionRefusal | undefined;
  /** Whether the form is a saved composition, was one before it was changed, or is none yet. */
  readonly state: 'new' | 'saved' | 'changed';
  readonly savedName: string | undefined;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly formats: Formats;
  readonly onEdit: (field: string, form: CompositionForm) => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}

const UNDO = 'M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.5M3 6.5 6 9.5';
const REDO = 'M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M13 6.5 10 3.5M13 6.5 10 9.5';

/** Name, budget and formats, and what stands against them. */
export function formHead(props: FormHeadProps): TemplateResult {
  const { data, form, problems, state, savedName, canUndo, canRedo, onEdit, onUndo, onRedo } = props;
  const isTaken = data.names.includes(form.name) && form.name !== savedName;
  return html`<header>
    <div class="title-row">
      <div>
        <h1>Composition Builder</h1>
        <p class="subject">
          The context of the next session <span>· ${data.project}</span>
          <span role="status">· ${stateTexts[state]}</span>
        </p>
      </div>
      <div class="history">
        ${iconButton({ label: 'Undo', path: UNDO, isEnabled: canUndo, onClick: onUndo })}
        ${iconButton({ label: 'Redo', path: REDO, isEnabled: canRedo, onClick: onRedo })}
      </div>
    </div>
    <div class="head-fields">
      <div class="name">
        ${textField({
          id: 'name',
          label: 'Name',
          value: form.name,
          problem: problems.name,
          onInput: (name) => onEdit('name', { ...form, name }),
        })}
        ${isTaken && problems.name === undefined ? html`<span class="faint">There is one of that name: you will be asked before it is replaced.</span>` : nothing}
      </div>
      ${numberField({
        id: 'budget',
        label: 'Token budget',
        value: form.budget,
        min: 1,
        step: 1000,
        unit: 'tokens',
        problem: problems.budget,
        onInput: (budget) => onEdit('budget', { ...form, budget }),
      })}
      <div class="field" role="group" aria-labelledby="formats-label">
        <span id="formats-label">Output</span>
        <span class="formats">
          ${check({
            label: 'Markdown',
            isChecked: form.hasMarkdown,
            title: 'To be read, copied, imported, and handed over at the next start',
            onChange: (hasMarkdown) => onEdit('formats', { ...form, hasMarkdown }),
          })}
          ${check({
            label: 'JSONL',
            isChecked: form.hasJsonl,
            title: 'To be resumed by Claude Code as a session',
            onChange: (hasJsonl) => onEdit('formats', { ...form, hasJsonl }),
          })}
        </span>
        <span class="field-problem">${problems.formats ?? ''}</span>
      </div>
    </div>
    ${purposeView(props)} ${refusalView(props)}
  </header>`;
}

const stateTexts: Record<FormHeadProps['state'], string> = {
  new: 'not saved yet',
  saved: 'saved, with these figures',
  changed: 'changed since saved',
};

/** What the context is for: in words, and by files. */
function purposeView({ data, form, onEdit }: FormHeadProps): TemplateResult {
  const offers = data.offers.filter(
    ({ purpose, files }) => purpose !== form.purpose || files.some((file) => !form.files.includes(file)),
  );
  return html`<div class="purpose">
    ${textField({
      id: 'purpose',
      label: 'Purpose: what says most to it comes in first',
      value: form.purpose,
      onInput: (purpose) => onEdit('purpose', { ...form, purpose }),
    })}
    <p class="offers">
      ${form.files.map((file) =>
        button(`${file} ✕`, () => onEdit('files', { ...form, files: form.files.filter((one) => one !== file) })),
      )}
      ${offers.map(({ title, purpose, files }) =>
        button(title, () =>
          onEdit('purpose', {
            ...form,
            purpose: purpose === '' ? form.purpose : purpose,
            files: [...new Set([...form.files, ...files])],
          }),
        ),
      )}
    </p>
  </div>`;
}

function refusalView({ refusal, form, formats, onEdit }: FormHeadProps): TemplateResult | typeof nothing {
  if (refusal === undefined) return nothing;
  const { smallestBudget } = refusal;
  return html`<div class="problem" role="alert">
    <p>${refusal.message}</p>
    ${
      smallestBudget === undefined
        ? nothing
        : button(`Use ${formats.exact(smallestBudget)} Tokens`, () =>
            onEdit('budget', { ...form, budget: smallestBudget }),
          )
    }
  </div>`;
}
