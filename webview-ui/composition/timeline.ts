import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import {
  figureProblems,
  inTimeOrder,
  withComponent,
  withoutSession,
} from '../../src/core/compositions/view/compositionForm';
import type { CompositionForm, Suggested } from '../../src/core/compositions/view/compositionProtocol';
import type { Formats } from '../../src/core/text/formats';
import { button } from '../components/toolkit';
import { componentRow } from './componentRow';
import type { FormFigures } from './formFigures';
import type { Drag } from './reorder';
import { sessionKey } from '../../src/core/model/fields';

export interface TimelineProps {
  readonly form: CompositionForm;
  readonly figures: Pick<FormFigures, 'of' | 'noteOn'>;
  /** What may be worth adding. */
  readonly suggested: readonly Suggested[];
  readonly onAdd: (session: Suggested) => void;
  readonly drag: Drag | undefined;
  readonly formats: Formats;
  /** When a session began, by its key. */
  readonly startOf: (key: string) => string | undefined;
  /** `field` names what was written in: many keys in one field are one step to undo. */
  readonly onEdit: (field: string | undefined, form: CompositionForm) => void;
  readonly onMove: (from: number, to: number) => void;
  readonly onGrip: (event: PointerEvent, position: number) => void;
  readonly onOpen: (session: { readonly projectId: string; readonly sessionId: string }) => void;
  readonly onChoose: () => void;
}

const EMPTY_HINT =
  'Add sessions by the button, by the menu of the Sessions view, or by dragging them from there: drop them here while Shift is held, or on the Compositions view.';
const MORE_HINT = 'More: by the button, from the Sessions view by its menu, or dropped here while Shift is held.';

/** The sessions in their order, each with what can be set about it. */
export function timeline(props: TimelineProps): TemplateResult {
  const { form, drag, startOf, onEdit, onChoose } = props;
  const { components } = form;
  return html`<section class="timeline" aria-labelledby="timeline-title">
    <div class="section-head">
      <h2 id="timeline-title">Sessions: ${components.length}</h2>
      <div class="buttons">
        ${components.length < 2 ? nothing : button('Oldest First', () => onEdit(undefined, inTimeOrder(form, startOf)))}
        ${button('Add Sessions…', onChoose)}
      </div>
    </div>
    <p id="move-help" class="unseen">Arrow keys move it; in its fields, Alt and the arrow keys.</p>
    <ol class=${drag === undefined ? 'components' : 'components dragging'}>
      ${repeat(components, sessionKey, (_, position) => rowOf(props, position))}
    </ol>
    <p class="faint drop-hint">${components.length === 0 ? EMPTY_HINT : MORE_HINT}</p>
    ${suggestedView(props)}
  </section>`;
}

const MOST_SUGGESTED = 5;

function suggestedView({ form, suggested, onAdd }: TimelineProps): TemplateResult | typeof nothing {
  const present = new Set(form.components.map(sessionKey));
  const left = suggested.filter((one) => !present.has(sessionKey(one))).slice(0, MOST_SUGGESTED);
  if (left.length === 0) return nothing;
  return html`<section class="suggested" aria-labelledby="suggested-title">
    <h3 id="suggested-title">Suggested</h3>
    <ul>
      ${repeat(
        left,
        sessionKey,
        (one) =>
          html`<li>
            <button type="button" class="link" title="Add it to the composition" @click=${() => onAdd(one)}>
              + ${one.title}
            </button>
            <span class="faint">${one.why}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}

function rowOf(props: TimelineProps, position: number): TemplateResult | typeof nothing {
  const { form, figures, drag, formats, onEdit, onMove, onGrip, onOpen } = props;
  const component = form.components[position];
  if (component === undefined) return nothing;
  const key = sessionKey(component);
  const problems = figureProblems(form);
  return componentRow({
    component,
    figures: figures.of(key),
    note: figures.noteOn(key),
    problems: { allocation: problems[`allocation ${key}`], weight: problems[`weight ${key}`] },
    position,
    count: form.components.length,
    isCustom: form.strategy === 'custom',
    mark: markOf(drag, position),
    formats,
    onChange: (field, change) => onEdit(`${field} ${key}`, withComponent(form, key, change)),
    onRemove: () => onEdit(undefined, withoutSession(form, key)),
    onMove: (to) => onMove(position, to),
    onGrip: (event) => onGrip(event, position),
    onOpen: () => onOpen(component),
  });
}

function markOf(drag: Drag | undefined, position: number): 'above' | 'below' | 'dragged' | undefined {
  if (drag === undefined) return undefined;
  if (position === drag.from) return 'dragged';
  if (drag.to === drag.from) return undefined;
  if (drag.to < drag.from) return position === drag.to ? 'above' : undefined;
  return position === drag.to ? 'below' : undefined;
}
