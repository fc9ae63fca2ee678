import type { Uri, ViewColumn, WebviewPanel } from 'vscode';
import type { VersionDiff } from '../../core/versions/diff/types';
import type { Log } from '../../core/model/host';
import {
  versionDiffRequestSchema,
  type VersionDiffEvent,
  type VersionDiffScope,
} from '../../core/presentation/versionDiffProtocol';
import { columnBeside } from '../panels/columnBeside';
import { panelHtml, panelRoot } from '../panels/panelHtml';
import type { OpenPanel } from '../panels/panelSet';
import { RequestAnswerer } from '../panels/requestAnswerer';
import type { VersionDiffSource } from './versionDiffSource';

export interface VersionDiffPanelOptions {
  readonly source: VersionDiffSource;
  readonly extensionUri: Uri;
  /** Shows a message of the session, in that column. */
  readonly showMessage: (scope: VersionDiffScope, messageUuid: string, column: ViewColumn) => Promise<boolean>;
  readonly log: Log;
}

/** One comparison that is open: of any two versions of one session. */
export class VersionDiffPanel implements OpenPanel<VersionDiffScope> {
  private readonly answerer: RequestAnswerer;
  private chosen: Pick<VersionDiffScope, 'a' | 'b'>;
  private loading = new AbortController();
  private shown: { readonly stamp: number; readonly diff: VersionDiff } | undefined;

  constructor(
    readonly scope: VersionDiffScope,
    private readonly panel: WebviewPanel,
    private readonly options: VersionDiffPanelOptions,
  ) {
    const { extensionUri, log } = options;
    const { webview } = panel;
    this.chosen = scope;
    webview.options = { enableScripts: true, localResourceRoots: [panelRoot(extensionUri)] };
    this.answerer = new RequestAnswerer(webview, (body, signal) => this.answer(body, signal), log);
    webview.html = panelHtml({ webview, extensionUri, name: 'versionDiff', title: 'Compare Versions' });
  }

  tellChanged(): void {
    this.answerer.tellChanged();
  }

  /** The command was called for these two. */
  choose(a: string, b: string): void {
    this.chosen = { a, b };
    this.answerer.tell({ type: 'choose', a, b } satisfies VersionDiffEvent);
  }

  dispose(): void {
    this.loading.abort();
    this.answerer.dispose();
  }

  private get current(): VersionDiffScope {
    return { ...this.scope, a: this.chosen.a, b: this.chosen.b };
  }

  private async answer(body: unknown, closing: AbortSignal): Promise<unknown> {
    const request = versionDiffRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load(request, closing);
      case 'hunks':
        return this.hunks(request);
      case 'open':
        return { isShown: await this.options.showMessage(this.current, request.messageUuid, columnBeside()) };
    }
  }

  /** A newer comparison supersedes an older one, whose work ends. A view without a memory gets what the panel was opened for. */
  private async load(wanted: Pick<VersionDiffScope, 'a' | 'b'>, closing: AbortSignal): Promise<unknown> {
    this.loading.abort();
    this.loading = new AbortController();
    if (wanted.a !== '') this.chosen = { a: wanted.a, b: wanted.b };
    const signal = AbortSignal.any([this.loading.signal, closing]);
    const { data, diff } = await this.options.source.load(this.current, signal);
    this.chosen = { a: data.scope.a, b: data.scope.b };
    this.shown = { stamp: data.stamp, diff };
    this.panel.title = `Compare: ${data.title}`;
    return data;
  }

  private hunks({ stamp, from, count }: { stamp: number; from: number; count: number }): unknown {
    const hunks = this.shown?.stamp === stamp ? this.shown.diff.hunks.slice(from, from + count) : [];
    return { stamp, hunks };
  }
}
