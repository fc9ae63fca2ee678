import type { CompressionScope } from '../../core/model/compression';
import type { WebviewPanel } from 'vscode';
import { requestOf } from '../../core/versions/view/compressionForm';
import {
  compressionRequestSchema,
  type CompressionEvent,
  type CompressionForm,
  type CompressionTarget,
} from '../../core/versions/view/compressionProtocol';
import { outcomeText } from '../../core/versions/view/versionTexts';
import type { Uses } from '../context';
import { showKeepit } from '../transcript/transcriptCommands';
import { panelTitle, showVersion, type CompressionRunner } from './compressionRunner';
import { Panel } from '../panels/panel';
import type { ProgressFollower } from '../progressMessage';
import type { CompressionSource } from './compressionSource';

/** One *Create Compression* that is open. */
export class CompressionPanel extends Panel<CompressionTarget, CompressionEvent> {
  private title = '';
  /** What the panel was called for, until its form has taken it over. */
  private chosenScope: CompressionScope | undefined;

  constructor(
    scope: CompressionTarget,
    panel: WebviewPanel,
    private readonly context: Uses<'model' | 'listings' | 'transcripts' | 'formats' | 'extensionUri' | 'log'>,
    private readonly made: { readonly source: CompressionSource; readonly runner: CompressionRunner },
  ) {
    super(scope, panel, context, { name: 'compression', title: 'Create Compression' });
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
        await showVersion(this.scope, request.versionId, request.as);
        return {};
      case 'openKeepit':
        await showKeepit(this.context, { ...this.scope, markerId: request.markerId }, this.otherColumn);
        return {};
      case 'close':
        this.panel.dispose();
        return {};
    }
  }

  private async load(signal: AbortSignal): Promise<unknown> {
    const { source, runner } = this.made;
    const data = await source.load(this.scope, signal);
    this.title = data.title;
    this.panel.title = panelTitle(data.title);
    const scope = this.chosenScope ?? data.usual.scope;
    return { ...data, usual: { ...data.usual, scope }, running: runner.progressOf(this.scope) };
  }

  private preview(form: CompressionForm, closing: AbortSignal): Promise<unknown> {
    this.chosenScope = undefined;
    return this.newestOf(closing, async (signal) => {
      return { kind: 'estimate', preview: await this.made.source.preview(this.scope, form, signal) };
    });
  }

  /** A question may wait for its answer, and a model for longer. */
  private async compress(form: CompressionForm, watch: ProgressFollower): Promise<CompressionEvent> {
    const { runner } = this.made;
    const compression = { session: this.scope, title: this.title, request: requestOf(form) };
    const isAgreed = await runner.confirm(compression);
    const version = isAgreed ? await runner.run(compression, watch) : undefined;
    if (version === undefined) return { type: 'cancelled' };
    void runner.present(this.scope, version);
    return { type: 'made', versionId: version.versionId, outcome: outcomeText(version, this.context.formats) };
  }
}
