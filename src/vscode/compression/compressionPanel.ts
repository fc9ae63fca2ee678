import { ViewColumn, type Uri, type WebviewPanel } from 'vscode';
import type { CompressionScope } from '../../core/versions/types';
import { errorText, isAbortError, KeepitError } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { requestOf } from '../../core/presentation/compressionForm';
import {
  compressionRequestSchema,
  type CompressionEvent,
  type CompressionForm,
  type CompressionTarget,
} from '../../core/presentation/compressionProtocol';
import type { Formats } from '../../core/text/formats';
import { outcomeText } from '../../core/presentation/versionTexts';
import { failureText } from '../../core/presentation/windowHint';
import type { KeepitRef, Progress, SessionRef } from '../../core/sessions/results';
import { panelHtml, panelRoot } from '../panels/panelHtml';
import type { OpenPanel } from '../panels/panelSet';
import { RequestAnswerer } from '../panels/requestAnswerer';
import type { Compression, CompressionRunner } from './compressionRunner';
import type { CompressionSource } from './compressionSource';
import { panelTitle } from './panelTitle';

export interface CompressionPanelOptions {
  readonly source: CompressionSource;
  readonly runner: CompressionRunner;
  readonly extensionUri: Uri;
  readonly formats: Formats;
  readonly log: Log;
  /** Shows the message that a keepit is in, in that column. */
  readonly showKeepit: (ref: KeepitRef, column: ViewColumn) => Promise<boolean>;
  readonly showVersion: (session: SessionRef, versionId: string, as: 'text' | 'comparison') => Promise<unknown>;
}

/** One *Create Compression* that is open. */
export class CompressionPanel implements OpenPanel<CompressionTarget> {
  private readonly answerer: RequestAnswerer;
  private estimating = new AbortController();
  private compressing: AbortController | undefined;
  private title = '';
  /** What the panel was called for, until its form has taken it over. */
  private chosenScope: CompressionScope | undefined;

  constructor(
    readonly scope: CompressionTarget,
    private readonly panel: WebviewPanel,
    private readonly options: CompressionPanelOptions,
  ) {
    const { extensionUri, log } = options;
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [panelRoot(extensionUri)] };
    this.answerer = new RequestAnswerer(webview, (body, signal) => this.answer(body, signal), log);
    webview.html = panelHtml({ webview, extensionUri, name: 'compression', title: 'Create Compression' });
  }

  tellChanged(): void {
    this.answerer.tellChanged();
  }

  /** The panel was called for something of the session: its form shows that. */
  choose(scope: CompressionScope): void {
    this.chosenScope = scope;
    this.tell({ type: 'choose', scope });
  }

  /** A compression that is under way goes on: its message shows it, and cancels it. */
  dispose(): void {
    this.estimating.abort();
    this.answerer.dispose();
  }

  private async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const request = compressionRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load(signal);
      case 'preview':
        return this.preview(request.form, signal);
      case 'create':
        this.create(request.form);
        return {};
      case 'cancel':
        this.compressing?.abort();
        return {};
      case 'show':
        await this.options.showVersion(this.scope, request.versionId, request.as);
        return {};
      case 'openKeepit':
        await this.openKeepit(request.markerId);
        return {};
      case 'close':
        this.panel.dispose();
        return {};
    }
  }

  private async load(signal: AbortSignal): Promise<unknown> {
    const { source, runner } = this.options;
    const data = await source.load(this.scope, signal);
    this.title = data.title;
    this.panel.title = panelTitle(data.title);
    const progress = runner.progressOf(this.scope);
    const scope = this.chosenScope ?? data.usual.scope;
    return {
      ...data,
      usual: { ...data.usual, scope },
      ...(progress !== undefined && { running: { done: progress.done, total: progress.total, label: progress.label } }),
    };
  }

  /** A newer one supersedes an older one, whose work ends. */
  private async preview(form: CompressionForm, closing: AbortSignal): Promise<unknown> {
    this.estimating.abort();
    const controller = new AbortController();
    this.estimating = controller;
    this.chosenScope = undefined;
    try {
      const signal = AbortSignal.any([controller.signal, closing]);
      return { kind: 'estimate', preview: await this.options.source.preview(this.scope, form, signal) };
    } catch (error) {
      if (controller.signal.aborted && isAbortError(error)) return { kind: 'superseded' };
      if (error instanceof KeepitError) return { kind: 'refused', message: failureText(error) };
      throw error;
    }
  }

  /** A question may wait for its answer, and a model for longer: what becomes of it is told by events. */
  private create(form: CompressionForm): void {
    if (this.compressing !== undefined) return;
    const controller = new AbortController();
    this.compressing = controller;
    const compression = { session: this.scope, title: this.title, request: requestOf(form) };
    void this.compress(compression, controller.signal).finally(() => (this.compressing = undefined));
  }

  private async compress(compression: Compression, signal: AbortSignal): Promise<void> {
    const { runner, formats, log } = this.options;
    try {
      const onProgress = ({ done, total, label }: Progress): void =>
        this.tell({ type: 'progress', done, total, ...(label !== undefined && { label }) });
      const isAgreed = await runner.confirm(compression);
      const version = isAgreed ? await runner.run(compression, { signal, onProgress }) : undefined;
      if (version === undefined) {
        this.tell({ type: 'cancelled' });
        return;
      }
      this.tell({ type: 'made', versionId: version.versionId, outcome: outcomeText(version, formats) });
      void runner.present(this.scope, version);
    } catch (error) {
      log.warn(`Compressing failed: ${errorText(error)}`);
      this.tell({ type: 'failed', message: failureText(error) });
    }
  }

  private tell(event: CompressionEvent): void {
    this.answerer.tell(event);
  }

  /** Beside the panel, so that both are seen. */
  private async openKeepit(markerId: string): Promise<void> {
    const { projectId, sessionId } = this.scope;
    const column = this.panel.viewColumn === ViewColumn.One ? ViewColumn.Two : ViewColumn.One;
    await this.options.showKeepit({ projectId, sessionId, markerId }, column);
  }
}
