import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';

export interface SliderProps {
  /** Unique in the view. */
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** How far the field goes, where that is farther than the slider. */
  readonly most?: number;
  /** Written after the number: `:1`. */
  readonly unit?: string;
  /** The value as it is read aloud: `30 to 1`. */
  readonly spoken: string;
  readonly onInput: (value: number) => void;
}

/** A slider with a field for the same number, which the toolkit does not have. A number that is out of range counts from the moment that it is in range. */
export function slider(props: SliderProps): TemplateResult {
  const { id, label, value, min, max, most = max, unit = '', spoken } = props;
  const moved = (event: Event): void => take(event, props);
  return html`<div class="slider">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="range"
      min=${min}
      max=${max}
      step="1"
      aria-valuetext=${spoken}
      .value=${live(String(value))}
      @input=${moved}
    />
    <span class="number">
      <input
        id=${`${id}-number`}
        type="number"
        min=${min}
        max=${most}
        step="1"
        aria-label=${`${label}, as a number`}
        .value=${String(value)}
        @input=${moved}
        @change=${(event: Event) => putRight(event, props)}
      /><span aria-hidden="true">${unit}</span>
    </span>
  </div>`;
}

function take({ target }: Event, { value, min, max, most = max, onInput }: SliderProps): void {
  if (!(target instanceof HTMLInputElement) || target.value === '') return;
  const number = target.valueAsNumber;
  if (Number.isInteger(number) && number >= min && number <= most && number !== value) onInput(number);
}

/** The field is left: what stands in it must be what counts. */
function putRight({ target }: Event, { value, min, max, most = max, onInput }: SliderProps): void {
  if (!(target instanceof HTMLInputElement)) return;
  const number = Math.round(target.valueAsNumber);
  const counts = Number.isNaN(number) ? value : Math.min(most, Math.max(min, number));
  target.value = String(counts);
  if (counts !== value) onInput(counts);
}
