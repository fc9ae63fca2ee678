import { randomUUID } from 'node:crypto';
import { Uri, ViewColumn, window, workspace, type WebviewPanel } from 'vscode';
import { errorText, isAbortError, KeepitError } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import {
  builderRequestSchema,
  type BuilderEvent,
  type BuilderRequest,
  type CompositionForm,
  type CompositionScope,
} from '../../core/presentation/compositionProtocol';
import type { AddedSession } from '../../core/presentation/compositionForm';
import type { CompositionRef } from '../../core/presentation/treeNode';
import { failureText } from '../../core/presentation/windowHint';
import type { KeepitRef, Progress, SessionRef } from '../../core/sessions/results';
import { panelHtml, panelRoot } from '../panels/panelHtml';
import type { OpenPanel } from '../panels/panelSet';
import { RequestAnswerer } from '../panels/requestAnswerer';
import { withProgressMessage } from '../progressMessage';
import { BuilderFiguring } from './builderFiguring';
import type { CompositionRunner } from './compositionRunner';
import type { CompositionSource } from './compositionSource';

export interface CompositionPanelOptions {
  readonly source: CompositionSource;
  readonly runner: CompositionRunner;
  readonly extensionUri: Uri;
  readonly log: Log;
  /** Lets a person choose sessions; those that are not in memory are added to it, if they agree. */
  readonly chooseSessions: (present: readonly SessionRef[]) => Promise<AddedSession[]>;
  /** Brings sessions into memory, if a person agrees. */
  readonly bringIn: (sessions: readonly SessionRef[]) => Promise<AddedSession[]>;
  readonly deliver: (place: CompositionRef, to: 'resume' | 'next-session' | 'clipboard') => Promise<void>;
  readonly showKeepit: (ref: KeepitRef, column: ViewColumn) => Promise<boolean>;
  readonly showSession: (ref: SessionRef, column: ViewColumn) => Promise<void>;
}

type Exported = Extract<BuilderRequest, { type: 'export' }>['format'];

/** One Composition Builder that is open. */
export class CompositionPanel implements OpenPanel<CompositionScope> {
  private readonly answerer: RequestAnswerer;
  private readonly figuring: BuilderFiguring;
  private reading = new AbortController();
  /** The id that a new composition is going to have, so that its figures are those of its text. */
  private compositionId = randomUUID();
  private composing: AbortController | undefined;
  private progress: Progress | undefined;
  /** Sessions that were added before the page could be told. */
  private waiting: AddedSession[] = [];
  private isLoaded = false;

  constructor(
    readonly scope: CompositionScope,
    private readonly panel: WebviewPanel,
    private readonly options: CompositionPanelOptions,
  ) {
    const { extensionUri, log } = options;
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [panelRoot(extensionUri)] };
    this.figuring = new BuilderFiguring(options.source, scope);
    this.answerer = new RequestAnswerer(webview, (body, signal) => this.answer(body, signal), log);
    webview.html = panelHtml({ webview, extensionUri, name: 'composition', title: 'Composition Builder' });
  }

  tellChanged(): void {
    this.answerer.tellChanged();
  }

  /** Adds sessions that are in memory. */
  add(sessions: readonly AddedSession[]): void {
    if (sessions.length === 0) return;
    if (this.isLoaded) this.tell({ type: 'add', sessions: [...sessions] });
    else this.waiting.push(...sessions);
  }

  /** Composing that is under way goes on: its message shows it, and cancels it. */
  dispose(): void {
    this.reading.abort();
    this.figuring.dispose();
    this.answerer.dispose();
  }

  private async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const { compositionId } = this;
    const { source } = this.options;
    const request = builderRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load();
      case 'preview':
        return request.waits
          ? this.figuring.measured(request.form, compositionId)
          : this.figuring.atOnce(request.form, compositionId);
      case 'strategies':
        return {
          outcomes: await source.strategies(this.scope, request.form, { isMeasured: true, compositionId }, signal),
        };
      case 'text':
        return this.text(request.form, signal);
      default:
        await this.act(request);
        return {};
    }
  }

  /** Long work and questions to a person are answered at once: what becomes of them is told by events. */
  private async act(
    request: Exclude<BuilderRequest, { type: 'load' | 'preview' | 'strategies' | 'text' }>,
  ): Promise<void> {
    const { projectId } = this.scope;
    switch (request.type) {
      case 'chooseSessions':
        void this.added(this.options.chooseSessions(request.present));
        return;
      case 'dropSessions':
        void this.added(this.options.bringIn(request.sessions));
        return;
      case 'compose':
        void this.work((signal) => this.compose(request.form, signal));
        return;
      case 'export':
        void this.work((signal) => this.export(request.form, request.format, signal));
        return;
      case 'cancel':
        this.composing?.abort();
        return;
      case 'deliver':
        await this.options.deliver({ projectId, name: request.name }, request.to);
        return;
      case 'openKeepit':
        await this.options.showKeepit(request, this.otherColumn());
        return;
      case 'openSession':
        await this.options.showSession(request, this.otherColumn());
        return;
    }
  }

  private async load(): Promise<unknown> {
    const data = await this.options.source.load(this.scope);
    const name = this.scope.opened;
    this.panel.title = name === undefined ? `Compose: ${data.project}` : `Compose: ${name}`;
    this.isLoaded = true;
    const added = this.waiting.splice(0);
    // After the answer, so that the form is there to which they are added.
    if (added.length > 0) setImmediate(() => this.add(added));
    const { progress } = this;
    return {
      ...data,
      ...(progress !== undefined && {
        composing: { done: progress.done, total: progress.total, label: progress.label },
      }),
    };
  }

  /** A newer one supersedes an older one, whose work ends. */
  private async text(form: CompositionForm, closing: AbortSignal): Promise<unknown> {
    this.reading.abort();
    const controller = new AbortController();
    this.reading = controller;
    try {
      const signal = AbortSignal.any([controller.signal, closing]);
      const { source } = this.options;
      const figuring = { isMeasured: true, compositionId: this.compositionId };
      return { kind: 'text', ...(await source.text(this.scope, form, figuring, signal)) };
    } catch (error) {
      if (controller.signal.aborted && isAbortError(error)) return { kind: 'superseded' };
      if (error instanceof KeepitError) return { kind: 'refused', message: failureText(error) };
      throw error;
    }
  }

  private async added(choosing: Promise<AddedSession[]>): Promise<void> {
    try {
      this.add(await choosing);
    } catch (error) {
      this.failed(error);
    }
  }

  private async work(run: (signal: AbortSignal) => Promise<BuilderEvent>): Promise<void> {
    if (this.composing !== undefined) return;
    const controller = new AbortController();
    this.composing = controller;
    try {
      this.tell(await run(controller.signal));
    } catch (error) {
      if (isAbortError(error)) this.tell({ type: 'cancelled' });
      else this.failed(error);
    } finally {
      this.composing = undefined;
      this.progress = undefined;
    }
  }

  private async compose(form: CompositionForm, signal: AbortSignal): Promise<BuilderEvent> {
    const { source, runner } = this.options;
    const { request } = await source.sound(form);
    const made = await runner.compose(this.scope.projectId, request, this.compositionId, {
      signal,
      onProgress: (progress) => {
        this.progress = progress;
        const { done, total, label } = progress;
        this.tell({ type: 'progress', done, total, ...(label !== undefined && { label }) });
      },
    });
    if (made === undefined) return { type: 'cancelled' };
    this.compositionId = randomUUID();
    void runner.present(made);
    return { type: 'composed', name: made.record.name, outcome: runner.outcomeOf(made.record) };
  }

  /** To a file of the user's choice; no composition is saved. */
  private async export(form: CompositionForm, format: Exported, signal: AbortSignal): Promise<BuilderEvent> {
    const isMarkdown = format === 'markdown';
    const ending = isMarkdown ? 'md' : 'jsonl';
    const folder = workspace.workspaceFolders?.[0]?.uri;
    const file = await window.showSaveDialog({
      title: isMarkdown ? 'Export Markdown' : 'Export JSONL',
      filters: isMarkdown ? { Markdown: ['md'] } : { 'JSON Lines': ['jsonl'] },
      ...(folder !== undefined && {
        defaultUri: Uri.joinPath(folder, `${form.name.replace(/[/\\]/g, '-')}.${ending}`),
      }),
    });
    if (file === undefined) return { type: 'cancelled' };
    const asked = { ...form, hasMarkdown: isMarkdown, hasJsonl: !isMarkdown };
    const { markdown, jsonl } = await withProgressMessage(`Composing “${form.name}”`, { signal }, (_, both) =>
      this.options.source.texts(this.scope, asked, both),
    );
    await workspace.fs.writeFile(file, new TextEncoder().encode(markdown ?? jsonl ?? ''));
    return { type: 'exported', file: file.fsPath };
  }

  private failed(error: unknown): void {
    this.options.log.warn(`Composing failed: ${errorText(error)}`);
    this.tell({ type: 'failed', message: failureText(error) });
  }

  private tell(event: BuilderEvent): void {
    this.answerer.tell(event);
  }

  /** Beside the panel, so that both are seen. */
  private otherColumn(): ViewColumn {
    return this.panel.viewColumn === ViewColumn.One ? ViewColumn.Two : ViewColumn.One;
  }
}
