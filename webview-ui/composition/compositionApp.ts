import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import {
  figureProblems,
  inTimeOrder,
  moved,
  problemsOf,
  sessionKey,
  withComponent,
  withoutSession,
  withSessions,
} from '../../src/core/presentation/compositionForm';
import {
  builderAnswerSchemas,
  type BuilderComponent,
  type BuilderEvent,
  type BuilderPreview,
  type BuilderRequest,
  type ComponentNote,
  type CompositionData,
  type CompositionForm,
  type CompositionRefusal,
  type CompositionState,
  type StrategyOutcome,
} from '../../src/core/presentation/compositionProtocol';
import { sessionsIn, SESSIONS_MIME } from '../../src/core/presentation/draggedSessions';
import { Formats } from '../../src/core/presentation/formats';
import { button, progressRing } from '../components/toolkit';
import { EditHistory } from '../lib/editHistory';
import { LatestAsk } from '../lib/latestAsk';
import { RequestError } from '../lib/requestClient';
import type { PanelApp, PanelParts } from '../lib/startPanel';
import { budgetBar } from './budgetBar';
import { componentRow } from './componentRow';
import { footerBar, type Work } from './footerBar';
import { formHead } from './formHead';
import { Reorder, type Drag } from './reorder';
import { sidePanes, type Pane, type ShownText } from './sidePanes';

/** Reading versions is more than figuring: the form has to be left alone for that long. */
const TEXT_SETTLE_MS = 350;
const STRATEGY_SETTLE_MS = 150;
const STEPS_REMEMBERED = 15;
const CHUNK_LINES = 200;

/** The Composition Builder: holds the form and what would come of it, and draws both anew at most once per frame. */
export class CompositionApp implements PanelApp {
  private data: CompositionData | undefined;
  private form: CompositionForm | undefined;
  private preview: BuilderPreview | undefined;
  private refusal: CompositionRefusal | undefined;
  private notes: readonly ComponentNote[] = [];
  private outcomes: readonly StrategyOutcome[] | undefined;
  private text: ShownText = { kind: 'none' };
  private isTextStale = false;
  private pane: Pane;
  private problem: string | undefined;
  private work: Work = { kind: 'idle' };
  private drag: Drag | undefined;
  private spoken = '';
  /** What is known of sessions, also of those that the last preview did not have. */
  private readonly known = new Map<string, BuilderComponent>();
  private readonly starts = new Map<string, string>();
  private readonly history: EditHistory<CompositionForm>;
  private readonly formats = new Formats({ locale: navigator.language });
  private readonly reorder = new Reorder({
    rows: () => [...document.querySelectorAll('li.component')],
    onDrag: (drag) => {
      this.drag = drag;
      this.update();
    },
    onDrop: ({ from, to }) => this.move(from, to),
  });
  private readonly figuring = new LatestAsk<CompositionForm>((form) => this.figure(form));
  private readonly comparing = new LatestAsk<CompositionForm>((form) => this.compare(form), STRATEGY_SETTLE_MS);
  private readonly reading = new LatestAsk<CompositionForm>((form) => this.read(form), TEXT_SETTLE_MS);

  constructor(private readonly parts: PanelParts<CompositionState>) {
    const { form, past = [], future = [], pane = 'contents' } = parts.remembered ?? {};
    this.form = form;
    this.history = new EditHistory({ past, future });
    this.pane = pane;
    this.update();
  }

  /** Asks what there is now. What the user has done stays. */
  load(): void {
    this.parts.client.ask(request({ type: 'load' }), builderAnswerSchemas.load).then(
      (data) => {
        this.data = data;
        this.problem = undefined;
        if (data.composing !== undefined) this.work = { kind: 'running', ...data.composing };
        else if (this.work.kind === 'running') this.work = { kind: 'idle' };
        this.show(this.form ?? data.usual);
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** Something that the extension tells by itself. */
  take(event: BuilderEvent): void {
    switch (event.type) {
      case 'add':
        this.add(event.sessions);
        return;
      case 'progress':
        this.work = { kind: 'running', done: event.done, total: event.total, label: event.label };
        break;
      case 'composed':
        this.work = { kind: 'composed', name: event.name, outcome: event.outcome };
        break;
      case 'exported':
        this.work = { kind: 'exported', file: event.file };
        break;
      case 'failed':
        this.work = { kind: 'failed', message: event.message };
        break;
      case 'cancelled':
        this.work = { kind: 'cancelled' };
        break;
    }
    this.update();
  }

  undoByKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const isRedo = (key === 'z' && event.shiftKey) || (key === 'y' && !event.shiftKey);
    if (!isRedo && key !== 'z') return;
    event.preventDefault();
    event.stopPropagation();
    if (isRedo) this.redo();
    else this.undo();
  }

  dragOver(event: DragEvent): void {
    if (event.dataTransfer?.types.includes(SESSIONS_MIME) !== true) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
  }

  dropSessions(event: DragEvent): void {
    const sessions = sessionsIn(event.dataTransfer?.getData(SESSIONS_MIME) ?? '');
    if (sessions.length === 0) return;
    event.preventDefault();
    this.tell({ type: 'dropSessions', sessions });
  }

  private add(sessions: readonly { projectId: string; sessionId: string; firstTimestamp: string }[]): void {
    if (this.form === undefined) return;
    for (const session of sessions) this.starts.set(sessionKey(session), session.firstTimestamp);
    const form = withSessions(this.form, sessions, (key) => this.startOf(key));
    if (form !== this.form) this.edit(undefined, form);
  }

  private startOf(key: string): string | undefined {
    return this.known.get(key)?.firstTimestamp ?? this.starts.get(key);
  }

  /** Everything that a person does to the form comes through here: it can be undone. */
  private edit(field: string | undefined, form: CompositionForm): void {
    if (this.form === undefined) return;
    this.history.record(this.form, field, performance.now());
    if (this.work.kind !== 'running') this.work = { kind: 'idle' };
    this.show(form);
  }

  private undo(): void {
    const before = this.form && this.history.undo(this.form);
    if (before !== undefined) this.show(before);
  }

  private redo(): void {
    const after = this.form && this.history.redo(this.form);
    if (after !== undefined) this.show(after);
  }

  private move(from: number, to: number): void {
    const component = this.form?.components[from];
    if (this.form === undefined || component === undefined) return;
    const key = sessionKey(component);
    const title = this.known.get(key)?.title ?? 'Session';
    this.spoken = `“${title}” is now ${to + 1} of ${this.form.components.length}`;
    const focused = document.activeElement?.id ?? '';
    this.edit(undefined, moved(this.form, from, to));
    // A row that is drawn elsewhere has lost the focus.
    requestAnimationFrame(() => {
      const row = [...document.querySelectorAll('li.component')].find((one) => one.getAttribute('data-key') === key);
      const field = focused === '' ? row?.querySelector('.grip') : document.getElementById(focused);
      if (field instanceof HTMLElement) field.focus();
      row?.scrollIntoView({ block: 'nearest' });
    });
  }

  private show(form: CompositionForm): void {
    this.form = form;
    this.remember();
    if (Object.keys(figureProblems(form)).length > 0) {
      this.figuring.drop();
      this.refusal = undefined;
      if (form.components.length === 0) this.preview = undefined;
      this.text = { kind: 'none' };
    } else {
      this.figuring.ask(form);
      this.refreshPane();
    }
    this.update();
  }

  /** Only what is looked at is worked out. */
  private refreshPane(): void {
    const { form, pane } = this;
    if (form === undefined || Object.keys(figureProblems(form)).length > 0) return;
    if (pane === 'strategies') this.comparing.ask(form);
    if (pane !== 'text') return;
    this.isTextStale = true;
    if (this.text.kind === 'none') this.text = { kind: 'reading' };
    this.reading.ask(form);
  }

  private async figure(form: CompositionForm): Promise<void> {
    try {
      const answer = await this.parts.client.ask(request({ type: 'preview', form }), builderAnswerSchemas.preview);
      if (this.form?.components.length === 0) return;
      this.preview = answer.preview ?? this.preview;
      this.refusal = answer.kind === 'refused' ? answer : undefined;
      this.notes = answer.notes;
      for (const component of answer.preview?.components ?? []) this.known.set(sessionKey(component), component);
      this.problem = undefined;
      this.update();
    } catch (error) {
      this.fail(error);
    }
  }

  private async compare(form: CompositionForm): Promise<void> {
    try {
      const ask = this.parts.client.ask(request({ type: 'strategies', form }), builderAnswerSchemas.strategies);
      this.outcomes = (await ask).outcomes;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.outcomes = undefined; // the reason stands beside the budget already
    }
    this.update();
  }

  private async read(form: CompositionForm): Promise<void> {
    try {
      const answer = await this.parts.client.ask(request({ type: 'text', form }), builderAnswerSchemas.text);
      if (answer.kind === 'superseded') return;
      this.isTextStale = false;
      this.text = answer.kind === 'text' ? { ...answer, chunks: chunksOf(answer.text) } : answer;
      this.update();
    } catch (error) {
      this.isTextStale = false;
      this.text = { kind: 'refused', message: error instanceof RequestError ? error.message : '' };
      this.fail(error);
    }
  }

  private compose(): void {
    if (this.form !== undefined) this.start({ type: 'compose', form: this.form });
  }

  private export(format: 'markdown' | 'jsonl'): void {
    if (this.form !== undefined) this.start({ type: 'export', form: this.form, format });
  }

  private start(body: BuilderRequest): void {
    this.work = { kind: 'running', done: 0, total: 0 };
    this.update();
    this.tell(body);
  }

  private tell(body: BuilderRequest): void {
    this.parts.client.ask(request(body), builderAnswerSchemas.done).then(
      () => undefined,
      (error: unknown) => this.fail(error),
    );
  }

  private fail(error: unknown): void {
    if (!(error instanceof RequestError)) throw error;
    if (error.reason === 'closed') return;
    this.problem = error.message;
    if (this.work.kind === 'running') this.work = { kind: 'idle' };
    this.update();
  }

  private remember(): void {
    const { data, form, pane } = this;
    if (data === undefined || form === undefined) return;
    const { past, future } = this.history.steps(STEPS_REMEMBERED);
    this.parts.remember({ scope: data.scope, form, past: [...past], future: [...future], pane });
  }

  private update(): void {
    this.parts.draw(() => this.view());
  }

  private view(): TemplateResult {
    const { data, form, problem } = this;
    const trouble =
      problem === undefined
        ? nothing
        : html`<div class="problem" role="alert">
            <p>${problem}</p>
            ${button('Try Again', () => this.load())}
          </div>`;
    if (data === undefined || form === undefined) {
      if (problem !== undefined) return html`<main>${trouble}</main>`;
      return html`<main><p class="waiting" role="status">${progressRing()} Reading memory…</p></main>`;
    }
    return html`<main>
      ${this.headView(data, form)} ${trouble}
      ${
        this.preview === undefined
          ? nothing
          : budgetBar({
              preview: this.preview,
              budget: (this.refusal === undefined ? form.budget : null) ?? this.preview.budget,
              windowTokens: data.windowTokens,
              formats: this.formats,
            })
      }
      <div class="columns">${this.timelineView(form)} ${this.sideView(form)}</div>
      ${this.footView(form)}
      <div class="unseen" aria-live="assertive">${this.spoken}</div>
    </main>`;
  }

  private headView(data: CompositionData, form: CompositionForm): TemplateResult {
    return formHead({
      data,
      form,
      problems: problemsOf(form),
      refusal: this.refusal,
      composed: this.work.kind === 'composed' ? this.work.name : undefined,
      canUndo: this.history.canUndo,
      canRedo: this.history.canRedo,
      formats: this.formats,
      onEdit: (field, changed) => this.edit(field, changed),
      onUndo: () => this.undo(),
      onRedo: () => this.redo(),
    });
  }

  private timelineView(form: CompositionForm): TemplateResult {
    const { components } = form;
    const choose = (): void =>
      this.tell({
        type: 'chooseSessions',
        present: components.map(({ projectId, sessionId }) => ({ projectId, sessionId })),
      });
    return html`<section class="timeline" aria-labelledby="timeline-title">
      <div class="section-head">
        <h2 id="timeline-title">Sessions: ${components.length}</h2>
        <div class="buttons">
          ${
            components.length < 2
              ? nothing
              : button('Oldest First', () =>
                  this.edit(
                    undefined,
                    inTimeOrder(form, (key) => this.startOf(key)),
                  ),
                )
          }
          ${button('Add Sessions…', choose)}
        </div>
      </div>
      <p id="move-help" class="unseen">Arrow keys move it; in its fields, Alt and the arrow keys.</p>
      <ol class=${this.drag === undefined ? 'components' : 'components dragging'}>
        ${repeat(components, sessionKey, (_, position) => this.rowView(form, position))}
      </ol>
      <p class="faint drop-hint">
        ${
          components.length === 0
            ? 'Add sessions by the button, by the menu of the Sessions view, or by dragging them from there: drop them here while Shift is held, or on the Compositions view.'
            : 'More: by the button, from the Sessions view by its menu, or dropped here while Shift is held.'
        }
      </p>
    </section>`;
  }

  private rowView(form: CompositionForm, position: number): TemplateResult | typeof nothing {
    const component = form.components[position];
    if (component === undefined) return nothing;
    const key = sessionKey(component);
    const problems = figureProblems(form);
    const { projectId, sessionId } = component;
    return componentRow({
      component,
      figures: this.known.get(key),
      note: this.notes.find((note) => sessionKey(note) === key)?.text,
      problems: { allocation: problems[`allocation ${key}`], weight: problems[`weight ${key}`] },
      position,
      count: form.components.length,
      isCustom: form.strategy === 'custom',
      mark: markOf(this.drag, position),
      formats: this.formats,
      onChange: (field, change) => this.edit(`${field} ${key}`, withComponent(form, key, change)),
      onRemove: () => this.edit(undefined, withoutSession(form, key)),
      onMove: (to) => this.move(position, to),
      onGrip: (event) => this.reorder.begin(event, position),
      onOpen: () => this.tell({ type: 'openSession', projectId, sessionId }),
    });
  }

  private sideView(form: CompositionForm): TemplateResult {
    return sidePanes({
      pane: this.pane,
      form,
      preview: this.preview,
      outcomes: this.outcomes,
      text: this.text,
      isTextStale: this.isTextStale,
      formats: this.formats,
      onPane: (pane) => {
        this.pane = pane;
        this.remember();
        this.refreshPane();
        this.update();
      },
      onStrategy: (strategy) => this.edit('strategy', { ...form, strategy }),
      onMakesMissing: (makesMissing) => this.edit('missing', { ...form, makesMissing }),
      onOpenKeepit: ({ projectId, sessionId, markerId }) =>
        this.tell({ type: 'openKeepit', projectId, sessionId, markerId }),
    });
  }

  private footView(form: CompositionForm): TemplateResult {
    const [first] = Object.values(problemsOf(form));
    return footerBar({
      work: this.work,
      obstacle: first ?? (this.refusal === undefined ? undefined : 'The budget does not hold it.'),
      onCompose: () => this.compose(),
      onExport: (format) => this.export(format),
      onCancel: () => this.tell({ type: 'cancel' }),
      onDeliver: (name, to) => this.tell({ type: 'deliver', name, to }),
    });
  }
}

function request(body: BuilderRequest): BuilderRequest {
  return body;
}

function markOf(drag: Drag | undefined, position: number): 'above' | 'below' | 'dragged' | undefined {
  if (drag === undefined) return undefined;
  if (position === drag.from) return 'dragged';
  if (drag.to === drag.from) return undefined;
  if (drag.to < drag.from) return position === drag.to ? 'above' : undefined;
  return position === drag.to ? 'below' : undefined;
}

/** Long texts are drawn as far as they are in sight. */
function chunksOf(text: string): string[] {
  const lines = text.split('\n');
  const chunks: string[] = [];
  for (let at = 0; at < lines.length; at += CHUNK_LINES) chunks.push(lines.slice(at, at + CHUNK_LINES).join('\n'));
  return chunks;
}
