import { html, type TemplateResult } from 'lit';
import { problemsOf, type FormProblems } from '../../src/core/versions/view/compressionForm';
import {
  compressionAnswerSchemas,
  type CompressionData,
  type CompressionEvent,
  type CompressionForm,
  type CompressionPanelRequest,
  type CompressionPreview,
  type CompressionState,
} from '../../src/core/versions/view/compressionProtocol';
import { Formats } from '../../src/core/text/formats';
import { emptyPage, trouble } from '../components/trouble';
import { RequestError } from '../lib/requestClient';
import type { PanelParts } from '../lib/startPanel';
import { compressionForm } from './compressionFormView';
import { actionBar, type Work } from './actionBar';
import { previewPane } from './previewPane';

/** So long the form has to be left alone before an estimate is asked for: each takes a look at the whole session. */
const SETTLE_MS = 180;

/** The panel *Create Compression*: holds the form and what would come of it, and draws both anew at most once per frame. */
export class CompressionApp {
  private data: CompressionData | undefined;
  private form: CompressionForm | undefined;
  private preview: CompressionPreview | undefined;
  /** Why there is no estimate for the form as it stands. */
  private refusal: string | undefined;
  private problem: string | undefined;
  private work: Work = { kind: 'idle' };
  private isEstimating = false;
  private lastLoad = 0;
  private lastPreview = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly formats = new Formats({ locale: navigator.language });

  constructor(private readonly parts: PanelParts<CompressionState>) {
    this.form = parts.remembered?.form;
    this.update();
  }

  /** Asks what the session is like now. A newer question supersedes an older one. */
  load(): void {
    const load = ++this.lastLoad;
    this.parts.client.ask(request({ type: 'load' }), compressionAnswerSchemas.load).then(
      (data) => {
        if (load !== this.lastLoad) return;
        this.data = data;
        this.problem = undefined;
        if (data.running !== undefined) this.work = { kind: 'running', ...data.running };
        else if (this.work.kind === 'running') this.work = { kind: 'idle' };
        this.set(this.form ?? data.usual, 0);
      },
      (error: unknown) => {
        if (load === this.lastLoad) this.fail(error);
      },
    );
  }

  /** Something that the extension tells by itself. */
  take(event: CompressionEvent): void {
    switch (event.type) {
      case 'progress':
        this.work = { kind: 'running', done: event.done, total: event.total, label: event.label };
        break;
      case 'made':
        this.work = { kind: 'made', versionId: event.versionId, outcome: event.outcome };
        break;
      case 'failed':
        this.work = { kind: 'failed', message: event.message };
        break;
      case 'cancelled':
        this.work = { kind: 'cancelled' };
        break;
      case 'choose':
        if (this.form !== undefined) this.set({ ...this.form, scope: event.scope }, 0);
        return;
    }
    this.update();
  }

  private get problems(): FormProblems {
    return this.data === undefined || this.form === undefined ? {} : problemsOf(this.form, this.data);
  }

  private set(form: CompressionForm, settleMs = SETTLE_MS): void {
    this.form = form;
    if (this.data !== undefined) this.parts.remember({ target: this.data.target, form });
    clearTimeout(this.timer);
    this.lastPreview += 1; // what is still under way is about another form
    const isComplete = Object.keys(this.problems).length === 0;
    this.isEstimating = isComplete;
    if (isComplete) this.timer = setTimeout(() => this.estimate(form), settleMs);
    this.update();
  }

  private estimate(form: CompressionForm): void {
    const run = ++this.lastPreview;
    this.parts.client.ask(request({ type: 'preview', form }), compressionAnswerSchemas.preview).then(
      (answer) => {
        if (run !== this.lastPreview || answer.kind === 'superseded') return;
        this.isEstimating = false;
        this.preview = answer.kind === 'estimate' ? answer.preview : undefined;
        this.refusal = answer.kind === 'refused' ? answer.message : undefined;
        this.update();
      },
      (error: unknown) => {
        if (run !== this.lastPreview) return;
        this.isEstimating = false;
        this.preview = undefined;
        this.refusal = error instanceof RequestError ? error.message : undefined;
        this.update();
        this.fail(error);
      },
    );
  }

  private create(): void {
    if (this.form === undefined) return;
    const before = this.work;
    this.work = { kind: 'running', done: 0, total: 0, label: undefined };
    this.update();
    this.parts.client.ask(request({ type: 'create', form: this.form }), compressionAnswerSchemas.done).then(
      () => undefined,
      (error: unknown) => {
        this.work = before;
        this.fail(error);
      },
    );
  }

  private tell(body: CompressionPanelRequest): void {
    this.parts.client.ask(request(body), compressionAnswerSchemas.done).then(
      () => undefined,
      (error: unknown) => this.fail(error),
    );
  }

  private fail(error: unknown): void {
    if (!(error instanceof RequestError)) throw error;
    if (error.reason === 'closed') return;
    this.problem = error.message;
    this.update();
  }

  private update(): void {
    this.parts.draw(() => this.view());
  }

  private view(): TemplateResult {
    const { data, form } = this;
    const onAgain = (): void => this.load();
    if (data === undefined || form === undefined) {
      return emptyPage('Reading the session', { problem: this.problem, onAgain });
    }
    const { formats, problems } = this;
    return html`<main>
      ${heading(data, formats)} ${trouble(this.problem, onAgain)}
      <div class="columns">
        ${compressionForm({ data, form, problems, formats, onChange: (changed) => this.set(changed) })}
        ${previewPane({
          preview: this.preview,
          problems,
          refusal: this.refusal,
          isEstimating: this.isEstimating,
          keepitMode: form.keepitMode,
          formats,
          onOpenKeepit: (markerId) => this.tell({ type: 'openKeepit', markerId }),
        })}
      </div>
      ${actionBar({
        work: this.work,
        preview: this.refusal === undefined ? this.preview : undefined,
        isEstimating: this.isEstimating,
        isReady: Object.keys(problems).length === 0 && this.refusal === undefined,
        formats,
        onCreate: () => this.create(),
        onCancel: () => this.tell({ type: 'cancel' }),
        onClose: () => this.tell({ type: 'close' }),
        onShow: (versionId, as) => this.tell({ type: 'show', versionId, as }),
      })}
    </main>`;
  }
}

function request(body: CompressionPanelRequest): CompressionPanelRequest {
  return body;
}

function heading({ title, project, original }: CompressionData, formats: Formats): TemplateResult {
  return html`<header>
    <h1>Create Compression</h1>
    <p class="subject">${title} <span>· ${project}</span></p>
    <p class="original">
      Original: ${original.isEstimate ? 'about ' : ''}${formats.plural(original.tokens, 'token')},
      ${formats.plural(original.messages, 'message')}
    </p>
  </header>`;
}
