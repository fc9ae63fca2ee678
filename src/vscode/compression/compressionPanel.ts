import { ViewColumn, type Uri, type WebviewPanel } from 'vscode';
import type { CompressionScope } from '../../core/versions/types';
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
import type { KeepitRef, SessionRef } from '../../core/sessions/results';
import { Panel } from '../panels/panel';
import type { CompressionRunner } from './compressionRunner';
import type { ProgressFollower } from '../progressMessage';
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
export class CompressionPanel extends Panel<CompressionTarget, CompressionEvent> {
  private title = '';
  /** What the panel was called for, until its form has taken it over. */
  private chosenScope: CompressionScope | undefined;

  constructor(
    scope: CompressionTarget,
    panel: WebviewPanel,
    private readonly options: CompressionPanelOptions,
  ) {
    super(scope, panel, {
      extensionUri: options.extensionUri,
      log: options.log,
      name: 'compression',
      title: 'Create Compression',
    });
  }

  /** The panel was called for something of the session: its form shows that. */
  choose(scope: CompressionScope): void {
    this.chosenScope = scope;
    this.tell({ type: 'choose', scope });
  }

  protected async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const request = compressionRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load(signal);
      case 'preview':
        return this.preview(request.form, signal);
      case 'create':
        void this.work((signal, onProgress) => this.compress(request.form, { signal, onProgress }));
        return {};
      case 'cancel':
        this.cancel();
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

  private preview(form: CompressionForm, closing: AbortSignal): Promise<unknown> {
    this.chosenScope = undefined;
    return this.newestOf(closing, async (signal) => {
      return { kind: 'estimate', preview: await this.options.source.preview(this.scope, form, signal) };
    });
  }

  /** A question may wait for its answer, and a model for longer. */
  private async compress(form: CompressionForm, watch: ProgressFollower): Promise<CompressionEvent> {
    const { runner, formats } = this.options;
    const compression = { session: this.scope, title: this.title, request: requestOf(form) };
    const isAgreed = await runner.confirm(compression);
    const version = isAgreed ? await runner.run(compression, watch) : undefined;
    if (version === undefined) return { type: 'cancelled' };
    void runner.present(this.scope, version);
    return { type: 'made', versionId: version.versionId, outcome: outcomeText(version, formats) };
  }

  private async openKeepit(markerId: string): Promise<void> {
    const { projectId, sessionId } = this.scope;
    await this.options.showKeepit({ projectId, sessionId, markerId }, this.otherColumn);
  }
}
