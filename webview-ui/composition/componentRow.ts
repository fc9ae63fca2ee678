import { html, nothing, type TemplateResult } from 'lit';
import type { PreviewComponent, PreviewOption } from '../../src/core/compositions/compositionPreview';
import type { ComponentForm } from '../../src/core/compositions/view/compositionProtocol';
import {
  isLeftOut,
  optionName,
  optionText,
  recompressChoices,
  recompressText,
  spanText,
} from '../../src/core/compositions/view/compositionTexts';
import { formatCount, joinParts, shortId, type Formats } from '../../src/core/text/formats';
import { fidelityText } from '../../src/core/versions/view/versionTexts';
import { numberField } from '../components/fields';
import { iconButton, select } from '../components/plainFields';
import { colorClass } from './budgetBar';
import { sessionKey } from '../../src/core/model/fields';

export interface ComponentRowProps {
  readonly component: ComponentForm;
  /** What it comes to; undefined before that is known. */
  readonly figures: PreviewComponent | undefined;
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
  const { component, problems, isCustom, onChange } = props;
  const key = sessionKey(component);
  const isNamed = component.recompress !== undefined || component.versionIds.length > 0;
  return html`<div class="fields">
    ${versionPicker(props, title)}
    ${
      isNamed
        ? nothing
        : numberField({
            id: `allocation-${key}`,
            label: `Allocation of “${title}” in tokens`,
            isLabelHidden: true,
            value: component.allocation,
            min: 0,
            step: 100,
            unit: 'tokens',
            placeholder: 'auto',
            problem: problems.allocation,
            onInput: (allocation) => onChange('allocation', (one) => ({ ...one, allocation })),
          })
    }
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
  </div>`;
}

/** Stands before the preset of a new version, among the names of those that there are. */
const NEW = 'new ';

function versionPicker({ component, figures, onChange }: ComponentRowProps, title: string): TemplateResult {
  const { versionIds, recompress } = component;
  const value = recompress === undefined ? versionIds.join('+') : `${NEW}${recompress.tierPreset ?? ''}`;
  const known = (figures?.options ?? []).filter(isChoosable).map((option) => ({
    value: option.versionIds.join('+'),
    label: optionText(option),
  }));
  const anew = recompressChoices.map(({ preset }) => ({
    value: `${NEW}${preset}`,
    label: recompressText({ tierPreset: preset }),
  }));
  const all = [...known, ...anew];
  const own = recompress === undefined ? versionIds.join(' + ') : recompressText(recompress);
  const isKnown = value === '' || all.some((option) => option.value === value);
  const automatic = figures === undefined || value !== '' ? 'Automatic' : `Automatic: ${optionName(figures.pick)}`;
  return select({
    id: `version-${sessionKey(component)}`,
    label: `Version of “${title}”`,
    value,
    options: [{ value: '', label: automatic }, ...all, ...(isKnown ? [] : [{ value, label: own }])],
    onChange: (chosen) => onChange('version', ({ recompress: _before, ...one }) => ({ ...one, ...named(chosen) })),
  });
}

function named(chosen: string): Pick<ComponentForm, 'versionIds' | 'recompress'> {
  const preset = recompressChoices.find((choice) => chosen === `${NEW}${choice.preset}`)?.preset;
  if (preset !== undefined) return { versionIds: [], recompress: { mode: 'tiered', tierPreset: preset } };
  return { versionIds: chosen === '' ? [] : chosen.split('+') };
}

/** What can be named in a request; what is made for a composition alone comes by itself. */
function isChoosable({ kind }: PreviewOption): boolean {
  return kind === 'original' || kind === 'version' || kind === 'parts';
}

function figuresView(figures: PreviewComponent, formats: Formats): TemplateResult {
  const { pick, keepitsIn, keepitsOut, uncoveredMessages, originalTokens, repeatedTokens, why } = figures;
  const isOut = isLeftOut(pick.kind);
  const keepits =
    keepitsIn + keepitsOut === 0 ? '' : `keepits: ${keepitsIn} in${keepitsOut === 0 ? '' : `, ${keepitsOut} out`}`;
  return html`<p class=${isOut ? 'figures out' : 'figures'}>
    <span class="tokens">${formats.exact(pick.tokens)} tokens</span>
    <span class="faint"
      >${joinParts([
        isOut ? optionName(pick) : `fidelity ${fidelityText(pick.fidelity)}`,
        pick.kind === 'original' ? '' : `of ${formatCount(originalTokens)}`,
        repeatedTokens === 0 ? '' : `${formats.exact(repeatedTokens)} more said already by others`,
        keepits,
        uncoveredMessages === 0 ? '' : `${formats.plural(uncoveredMessages, 'message')} in no version that was taken`,
        why,
      ])}</span
    >
  </p>`;
}
