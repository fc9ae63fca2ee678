import { html, nothing, type TemplateResult } from 'lit';
import { moved, problemsOf, withSessions } from '../../src/core/compositions/view/compositionForm';
import {
  builderAnswerSchemas,
  type BuilderEvent,
  type BuilderRequest,
  type CompositionData,
  type CompositionForm,
  type CompositionRefusal,
  type CompositionState,
  type SavedFigures,
  type Suggested,
} from '../../src/core/compositions/view/compositionProtocol';
import { sessionsIn, SESSIONS_MIME } from '../../src/core/sessions/view/treeNode';
import { Formats } from '../../src/core/text/formats';
import { emptyPage, trouble } from '../components/trouble';
import { LatestAsk } from '../lib/latestAsk';
import { EditHistory } from '../lib/editHistory';
import { RequestError } from '../lib/requestClient';
import type { PanelApp, PanelParts } from '../lib/startPanel';
import { budgetBar } from './budgetBar';
import { footerBar, type Work } from './footerBar';
import { FormFigures, type Pane } from './formFigures';
import { formHead } from './formHead';
import { Reorder, type Drag } from './reorder';
import { sidePanes } from './sidePanes';
import { timeline } from './timeline';
import { sessionKey } from '../../src/core/model/fields';

const STEPS_REMEMBERED = 15;
const SUGGEST_AFTER_MS = 500;

/** The Composition Builder: holds the form and what would come of it, and draws both anew at most once per frame. */
export class CompositionApp implements PanelApp {
  private data: CompositionData | undefined;
  private form: CompositionForm | undefined;
  private pane: Pane;
  private problem: string | undefined;
  private work: Work = { kind: 'idle' };
  private drag: Drag | undefined;
  private spoken = '';
  private suggested: readonly Suggested[] = [];
  private suggestedFor: string | undefined;
  private readonly suggesting = new LatestAsk<CompositionForm>((form) => this.suggest(form), SUGGEST_AFTER_MS);
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
  private readonly figures: FormFigures;

  constructor(private readonly parts: PanelParts<CompositionState>) {
    const { form, past = [], future = [], pane = 'contents' } = parts.remembered ?? {};
    this.form = form;
    this.history = new EditHistory({ past, future });
    this.pane = pane;
    this.figures = new FormFigures({
      client: parts.client,
      onChange: () => this.update(),
      onFail: (error) => this.fail(error),
    });
    this.update();
  }

  /** Asks what there is now. What the user has done stays. */
  load(): void {
    this.parts.client.ask(request({ type: 'load' }), builderAnswerSchemas.load).then(
      (data) => {
        this.data = data;
        this.problem = undefined;
        this.figures.saved = data.saved;
        if (data.composing !== undefined) this.work = { kind: 'running', ...data.composing };
        else if (this.work.kind === 'running') this.work = { kind: 'idle' };
        this.suggestedFor = undefined;
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
        this.work = { kind: 'composed', name: event.name };
        this.composed(event.name, event.saved);
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
    return this.figures.of(key)?.firstTimestamp ?? this.starts.get(key);
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
    const title = this.figures.of(key)?.title ?? 'Session';
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
    this.figures.follow(form, this.pane);
    const asked = JSON.stringify([form.purpose, form.files, form.budget]);
    if (asked !== this.suggestedFor) this.suggesting.ask(form);
    this.suggestedFor = asked;
    this.update();
  }

  private async suggest(form: CompositionForm): Promise<void> {
    try {
      const ask = this.parts.client.ask(request({ type: 'suggested', form }), builderAnswerSchemas.suggested);
      this.suggested = (await ask).sessions;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.suggested = []; // nobody asked for it, so nobody is told why
    }
    this.update();
  }

  /** The panel is about the composition that was saved from now on. */
  private composed(name: string, saved: SavedFigures | undefined): void {
    const { data, form } = this;
    if (data === undefined || form === undefined) return;
    this.data = { ...data, scope: { ...data.scope, opened: name }, names: [...new Set([...data.names, name])], saved };
    this.figures.saved = saved;
    this.history.endStep();
    this.show(form);
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
    const onAgain = (): void => this.load();
    if (data === undefined || form === undefined) return emptyPage('Reading memory', { problem, onAgain });
    return html`<main>
      ${this.headView(data, form)} ${trouble(problem, onAgain)} ${this.budgetView(data, form)}
      <div class="columns">${this.timelineView(form)} ${this.sideView(form)}</div>
      ${this.footView(form)}
      <div class="unseen" aria-live="assertive">${this.spoken}</div>
    </main>`;
  }

  private budgetView({ windowTokens }: CompositionData, form: CompositionForm): TemplateResult | typeof nothing {
    const { preview, refusal, isUpdating } = this.figures;
    if (preview === undefined) return nothing;
    const budget = (refusal === undefined ? form.budget : null) ?? preview.budget;
    return budgetBar({ preview, budget, windowTokens, isUpdating, formats: this.formats });
  }

  private headView(data: CompositionData, form: CompositionForm): TemplateResult {
    return formHead({
      data,
      form,
      problems: problemsOf(form),
      refusal: this.figures.refusal,
      state: this.figures.saved === undefined ? 'new' : this.figures.isSaved ? 'saved' : 'changed',
      savedName: data.scope.opened,
      canUndo: this.history.canUndo,
      canRedo: this.history.canRedo,
      formats: this.formats,
      onEdit: (field, changed) => this.edit(field, changed),
      onUndo: () => this.undo(),
      onRedo: () => this.redo(),
    });
  }

  private timelineView(form: CompositionForm): TemplateResult {
    return timeline({
      form,
      figures: this.figures,
      suggested: this.suggested,
      onAdd: ({ projectId, sessionId }) => this.tell({ type: 'dropSessions', sessions: [{ projectId, sessionId }] }),
      drag: this.drag,
      formats: this.formats,
      startOf: (key) => this.startOf(key),
      onEdit: (field, changed) => this.edit(field, changed),
      onMove: (from, to) => this.move(from, to),
      onGrip: (event, position) => this.reorder.begin(event, position),
      onOpen: ({ projectId, sessionId }) => this.tell({ type: 'openSession', projectId, sessionId }),
      onChoose: () =>
        this.tell({
          type: 'chooseSessions',
          present: form.components.map(({ projectId, sessionId }) => ({ projectId, sessionId })),
        }),
    });
  }

  private sideView(form: CompositionForm): TemplateResult {
    return sidePanes({
      pane: this.pane,
      form,
      preview: this.figures.preview,
      isSaved: this.figures.isSaved,
      outcomes: this.figures.outcomes,
      text: this.figures.text,
      formats: this.formats,
      onPane: (pane) => {
        this.pane = pane;
        this.remember();
        this.figures.follow(form, pane);
        this.update();
      },
      onStrategy: (strategy) => this.edit('strategy', { ...form, strategy }),
      onMakesMissing: (makesMissing) => this.edit('missing', { ...form, makesMissing }),
      onOpenKeepit: ({ projectId, sessionId, markerId }) =>
        this.tell({ type: 'openKeepit', projectId, sessionId, markerId }),
      onOpenLoss: ({ projectId, sessionId, messageUuid }) =>
        this.tell({ type: 'openSession', projectId, sessionId, messageUuid }),
    });
  }

  private footView(form: CompositionForm): TemplateResult {
    const [first] = Object.values(problemsOf(form));
    return footerBar({
      work: this.work,
      saved: this.figures.isSaved ? form.name : undefined,
      obstacle: first ?? obstacleOf(this.figures.refusal),
      onCompose: () => this.compose(),
      onExport: (format) => this.export(format),
      onCancel: () => this.tell({ type: 'cancel' }),
      onDeliver: (name, to) => this.tell({ type: 'deliver', name, to }),
    });
  }
}

function obstacleOf(refusal: CompositionRefusal | undefined): string | undefined {
  if (refusal === undefined) return undefined;
  return refusal.smallestBudget === undefined ? 'It cannot be composed as it is.' : 'The budget does not hold it.';
}

function request(body: BuilderRequest): BuilderRequest {
  return body;
}
