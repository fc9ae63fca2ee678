import { html, nothing, type TemplateResult } from 'lit';
import {
  decayView,
  RATIO_RANGE,
  usualControls,
  type DecayView,
  decayAnswerSchemas,
  type DecayControls,
  type DecayData,
  type DecayPanelRequest,
  type DecayState,
} from '../../src/core/sessions/view/decayPanel';
import { slider } from '../components/slider';
import { emptyPage, trouble } from '../components/trouble';
import { button, checkbox, radioGroup } from '../components/toolkit';
import { RequestError } from '../lib/requestClient';
import type { PanelParts } from '../lib/startPanel';
import { decayTable } from './decayTable';

/** So many rows are drawn at once; the summary counts all of them. */
const ROWS_AT_ONCE = 300;

const levelOptions = [
  { value: 'byRatio', label: 'By ratio' },
  { value: 'light', label: 'Light' },
  { value: 'moderate', label: 'Moderate' },
  { value: 'aggressive', label: 'Aggressive' },
] as const;

/** The decay preview: holds what is shown, and draws it anew at most once per frame. */
export class DecayApp {
  private data: DecayData | undefined;
  private controls: DecayControls | undefined;
  private problem: string | undefined;
  private shownRows = ROWS_AT_ONCE;
  private lastLoad = 0;

  constructor(private readonly parts: PanelParts<DecayState>) {
    this.controls = parts.remembered?.controls;
    this.update();
  }

  /** Asks for the keepits as they are now. A newer question supersedes an older one. */
  load(): void {
    const load = ++this.lastLoad;
    const ask = this.parts.client.ask({ type: 'load' } satisfies DecayPanelRequest, decayAnswerSchemas.load);
    ask.then(
      (data) => {
        if (load !== this.lastLoad) return;
        this.data = data;
        this.problem = undefined;
        this.set(this.controls ?? usualControls(data));
      },
      (error: unknown) => {
        if (load === this.lastLoad) this.fail(error);
      },
    );
  }

  private open(key: string): void {
    const ask = this.parts.client.ask({ type: 'open', key } satisfies DecayPanelRequest, decayAnswerSchemas.open);
    ask.then(
      () => this.tell(undefined),
      (error: unknown) => this.fail(error),
    );
  }

  private fail(error: unknown): void {
    if (!(error instanceof RequestError)) throw error;
    if (error.reason !== 'closed') this.tell(error.message);
  }

  private tell(problem: string | undefined): void {
    this.problem = problem;
    this.update();
  }

  private set(controls: DecayControls): void {
    this.controls = controls;
    if (this.data !== undefined) this.parts.remember({ scope: this.data.scope, controls });
    this.update();
  }

  private update(): void {
    this.parts.draw(() => this.view());
  }

  private view(): TemplateResult {
    const { data, controls } = this;
    const { problem } = this;
    const onAgain = (): void => this.load();
    if (data === undefined || controls === undefined) return emptyPage('Reading keepits', { problem, onAgain });
    const { title, project, isDecayOn, markers } = data;
    return html`<main>
      <h1>Decay preview</h1>
      <p class="subject">
        ${title === project ? `All sessions of ${project}` : html`${title} <span>· ${project}</span>`}
      </p>
      ${trouble(problem, onAgain)}
      ${isDecayOn ? nothing : html`<p class="note">Decay is off in this project: every keepit is kept. This is what would happen if it was on.</p>`}
      ${markers.length === 0 ? emptyText(data) : this.preview(data, controls)}
    </main>`;
  }

  private preview(data: DecayData, controls: DecayControls): TemplateResult {
    const view = decayView(data, controls);
    const rows = view.rows.slice(0, this.shownRows);
    const more = view.rows.length - rows.length;
    return html`${this.controlsView(data, controls, view)}
      <p class="summary" role="status" aria-live="polite">${view.summary}</p>
      ${decayTable({ rows, isProject: data.scope.sessionId === undefined, onOpen: (key) => this.open(key) })}
      ${more > 0 ? button(`Show ${Math.min(more, ROWS_AT_ONCE)} More of ${more}`, () => this.showMore()) : nothing}`;
  }

  private controlsView(data: DecayData, controls: DecayControls, view: DecayView): TemplateResult {
    const { ratio, level, distance } = controls;
    const { least, most } = view.distances;
    const own = least === most ? String(least) : `${least} to ${most}`;
    const isProject = data.scope.sessionId === undefined;
    const { maxSessionDistance } = data.config;
    const { distance: _distance, ...withoutDistance } = controls;
    const { level: _level, ...withoutLevel } = controls;
    return html`<form class="controls" aria-label="Settings of the compression" @submit=${ignore}>
      ${slider({
        id: 'ratio',
        label: 'Ratio',
        value: ratio,
        ...RATIO_RANGE,
        unit: ':1',
        spoken: `${ratio} to 1`,
        onInput: (value) => this.set({ ...controls, ratio: value }),
      })}
      ${slider({
        id: 'distance',
        label: 'Distance',
        value: distance ?? Math.min(least, maxSessionDistance),
        min: 1,
        max: maxSessionDistance,
        spoken:
          distance === undefined ? `as it is, ${own}` : `${distance} ${distance === 1 ? 'session' : 'sessions'} ago`,
        onInput: (value) => this.set({ ...controls, distance: value }),
      })}
      ${checkbox({
        label: isProject ? `Each session’s own distance (${own})` : `The session’s own distance (${own})`,
        isChecked: distance === undefined,
        onChange: (isOwn) =>
          this.set(isOwn ? withoutDistance : { ...controls, distance: Math.min(least, maxSessionDistance) }),
      })}
      ${radioGroup({
        label: 'Level',
        options: levelOptions.map((option) =>
          option.value === 'byRatio' && level === undefined ? { ...option, label: `By ratio (${view.level})` } : option,
        ),
        value: level ?? 'byRatio',
        onChange: (value) => this.set(value === 'byRatio' ? withoutLevel : { ...controls, level: value }),
      })}
      ${button('Usual Settings', () => this.set(usualControls(data)))}
    </form>`;
  }

  private showMore(): void {
    this.shownRows += ROWS_AT_ONCE;
    this.update();
  }
}

function emptyText({ scope }: DecayData): TemplateResult {
  const where = scope.sessionId === undefined ? 'project' : 'session';
  return html`<p>Nothing is marked in this ${where} yet. Select a sentence in a transcript, and mark it as keepit.</p>`;
}

/** Return in a field would reload the view. */
function ignore(event: Event): void {
  event.preventDefault();
}
