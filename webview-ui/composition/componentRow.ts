import { html, nothing, type TemplateResult } from 'lit';
import type {
  BuilderComponent,
  BuilderOption,
  ComponentForm,
  RecompressMode,
} from '../../src/core/presentation/compositionProtocol';
import { optionName, optionText, recompressTitles, spanText } from '../../src/core/presentation/compositionTexts';
import { formatCount, joinParts, shortId, type Formats } from '../../src/core/text/formats';
import { fidelityText } from '../../src/core/presentation/versionTexts';
import { numberField } from '../components/fields';
import { check, iconButton, select } from '../components/plainFields';
import { colorClass } from './budgetBar';
import { sessionKey } from '../../src/core/model/sessionKey';

export interface ComponentRowProps {
  readonly component: ComponentForm;
  /** What it comes to; undefined before that is known. */
  readonly figures: BuilderComponent | undefined;
  readonly note: string | undefined;
  readonly problems: { readonly allocation: string | undefined; readonly weight: string | undefined };
  readonly position: number;
  readonly count: number;
  readonly isCustom: boolean;
  /** `above` or `below` when what is dragged would go there. */
  readonly mark: 'above' | 'below' | 'dragged' | undefined;
  readonly formats: Formats;
  readonly onChange: (field: string, change: (component: ComponentForm) => ComponentForm) => void;
  readonly onRemove: () => void;
  readonly onMove: (to: number) => void;
  readonly onGrip: (event: PointerEvent) => void;
  readonly onOpen: () => void;
}

const GRIP = 'M5.5 3.5v.01M10.5 3.5v.01M5.5 8v.01M10.5 8v.01M5.5 12.5v.01M10.5 12.5v.01';
const CROSS = 'M4 4 12 12 M12 4 4 12';

/** One session on the timeline, with all that can be set about it. */
export function componentRow(props: ComponentRowProps): TemplateResult {
  const { component, figures, position, count, mark, formats, note, onRemove, onMove, onGrip, onOpen } = props;
  const title = figures?.title ?? `Session ${shortId(component.sessionId)}`;
  const key = sessionKey(component);
  const when = figures === undefined ? '' : joinParts([spanText(figures, formats), figures.project]);
  return html`<li
    class=${`component ${colorClass(position)} ${mark ?? ''}`}
    data-key=${key}
    @keydown=${(event: KeyboardEvent) => moveByKey(event, position, { count, onMove })}
  >
    <button
      type="button"
      class="grip"
      aria-label=${`Move “${title}”, now ${position + 1} of ${count}`}
      aria-describedby="move-help"
      title="Drag, or press the arrow keys, to move it"
      @pointerdown=${onGrip}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d=${GRIP}></path></svg>
    </button>
    <span class="number-dot" aria-hidden="true">${position + 1}</span>
    <div class="body">
      <div class="head">
        <button type="button" class="link title" title="Open the transcript" @click=${onOpen}>${title}</button>
        <span class="faint when">${when}</span>
        ${iconButton({ label: `Remove “${title}”`, path: CROSS, onClick: onRemove })}
      </div>
      ${fields(props, title)} ${note === undefined ? nothing : html`<p class="row-note">${note}</p>`}
      ${figures === undefined ? nothing : figuresView(figures, formats)}
    </div>
  </li>`;
}

/** On the grip the arrows alone move; anywhere else in the row with Alt, since fields have their own use for arrows. */
function moveByKey(
  event: KeyboardEvent,
  position: number,
  { count, onMove }: { count: number; onMove: (to: number) => void },
): void {
  const isGrip = event.target instanceof Element && event.target.closest('.grip') !== null;
  if (!event.altKey && !isGrip) return;
  const targets = new Map([
    ['ArrowUp', position - 1],
    ['ArrowDown', position + 1],
    ...(isGrip
      ? ([
          ['Home', 0],
          ['End', count - 1],
        ] as const)
      : []),
  ]);
  const to = targets.get(event.key);
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (to >= 0 && to < count) onMove(to);
}

function fields(props: ComponentRowProps, title: string): TemplateResult {
  const { component, figures, problems, isCustom, onChange } = props;
  const key = sessionKey(component);
  const isAnew = component.recompress !== undefined;
  return html`<div class="fields">
    ${versionPicker(props, title)}
    ${numberField({
      id: `allocation-${key}`,
      label: `Allocation of “${title}” in tokens`,
      isLabelHidden: true,
      value: component.allocation,
      min: 0,
      step: 100,
      unit: 'tokens',
      ...(figures !== undefined && { placeholder: String(Math.round(figures.allocation)) }),
      problem: problems.allocation,
      onInput: (allocation) => onChange('allocation', (one) => ({ ...one, allocation })),
    })}
    ${
      isCustom
        ? numberField({
            id: `weight-${key}`,
            label: `Weight of “${title}”`,
            isLabelHidden: true,
            value: component.weight,
            min: 0,
            step: 0.1,
            unit: 'weight',
            placeholder: '1',
            problem: problems.weight,
            onInput: (weight) => onChange('weight', (one) => ({ ...one, weight })),
          })
        : nothing
    }
    ${check({
      label: 'Recompress from original',
      isChecked: isAnew,
      title: 'Make a new version of it when it is composed, whatever versions there are',
      onChange: (isChecked) => onChange('recompress', (one) => recompressed(one, isChecked, figures)),
    })}
    ${isAnew ? modePicker(props, title) : nothing}
  </div>`;
}

/** Its allocation is written down, so that it is seen what it is made to fit. */
function recompressed(
  { recompress: _before, ...component }: ComponentForm,
  isAnew: boolean,
  figures: BuilderComponent | undefined,
): ComponentForm {
  if (!isAnew) return component;
  const allocation = component.allocation ?? (figures === undefined ? null : Math.round(figures.allocation));
  return { ...component, versionIds: [], allocation, recompress: 'fit' };
}

function versionPicker({ component, figures, onChange }: ComponentRowProps, title: string): TemplateResult {
  const { versionIds, recompress } = component;
  const value = versionIds.join('+');
  const known = (figures?.options ?? []).map((option) => ({
    value: option.versionIds.join('+'),
    label: optionText(option),
  }));
  const isKnown = value === '' || known.some((option) => option.value === value);
  const automatic = figures === undefined || value !== '' ? 'Automatic' : `Automatic: ${optionText(alone(figures))}`;
  return select({
    id: `version-${sessionKey(component)}`,
    label: `Version of “${title}”`,
    isDisabled: recompress !== undefined,
    value: recompress === undefined ? value : '',
    options: [
      { value: '', label: recompress === undefined ? automatic : optionName({ kind: 'new', versionIds: [] }) },
      ...known,
      ...(isKnown ? [] : [{ value, label: versionIds.join(' + ') }]),
    ],
    onChange: (chosen) =>
      onChange('version', (one) => ({ ...one, versionIds: chosen === '' ? [] : chosen.split('+') })),
  });
}

/** A version as it is by itself, beside the others that can be picked. */
function alone({ pick, repeatedTokens }: BuilderComponent): BuilderOption {
  return { ...pick, tokens: pick.tokens + repeatedTokens };
}

const modes = Object.entries(recompressTitles).map(([value, label]) => ({ value, label }));

function modePicker({ component, onChange }: ComponentRowProps, title: string): TemplateResult {
  return select({
    id: `mode-${sessionKey(component)}`,
    label: `How “${title}” is compressed anew`,
    options: modes,
    value: component.recompress ?? 'fit',
    onChange: (chosen) => {
      const recompress = (Object.keys(recompressTitles) as RecompressMode[]).find((mode) => mode === chosen);
      if (recompress !== undefined) onChange('mode', (one) => ({ ...one, recompress }));
    },
  });
}

function figuresView(figures: BuilderComponent, formats: Formats): TemplateResult {
  const { pick, keepitsIn, keepitsOut, uncoveredMessages, originalTokens, repeatedTokens, why } = figures;
  const isOut = pick.kind === 'nothing' || pick.kind === 'keepits';
  const keepits =
    keepitsIn + keepitsOut === 0 ? '' : `keepits: ${keepitsIn} in${keepitsOut === 0 ? '' : `, ${keepitsOut} out`}`;
  return html`<p class=${isOut ? 'figures out' : 'figures'}>
    <span class="tokens">${formats.exact(pick.tokens)} tokens</span>
    <span class="faint"
      >${joinParts([
        isOut ? optionName(pick) : `fidelity ${fidelityText(pick.fidelity)}`,
        `of ${formatCount(originalTokens)}`,
        repeatedTokens === 0 ? '' : `${formats.exact(repeatedTokens)} more said already by others`,
        keepits,
        uncoveredMessages === 0 ? '' : `${formats.plural(uncoveredMessages, 'message')} in no version that was taken`,
        why,
      ])}</span
    >
  </p>`;
}
