import { ViewColumn, type Uri, type WebviewPanel } from 'vscode';
import type { Log } from '../../core/model/host';
import { decayRequestSchema, type DecayPanelRequest, type DecayScope } from '../../core/presentation/decayPanel';
import type { KeepitRef } from '../../core/sessions/results';
import { panelHtml, panelRoot } from '../panels/panelHtml';
import type { OpenPanel } from '../panels/panelSet';
import { RequestAnswerer } from '../panels/requestAnswerer';
import type { DecaySource } from './decaySource';

export interface DecayPanelOptions {
  readonly source: DecaySource;
  readonly extensionUri: Uri;
  /** Shows the message that a keepit is in, in that column. */
  readonly showKeepit: (ref: KeepitRef, column: ViewColumn) => Promise<boolean>;
  readonly log: Log;
}

/** One decay preview that is open. */
export class DecayPanel implements OpenPanel<DecayScope> {
  private refs: ReadonlyMap<string, KeepitRef> = new Map();
  private readonly answerer: RequestAnswerer;

  constructor(
    readonly scope: DecayScope,
    private readonly panel: WebviewPanel,
    private readonly options: DecayPanelOptions,
  ) {
    const { extensionUri, log } = options;
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [panelRoot(extensionUri)] };
    this.answerer = new RequestAnswerer(webview, (body, signal) => this.answer(body, signal), log);
    webview.html = panelHtml({ webview, extensionUri, name: 'decay', title: 'Decay Preview' });
  }

  tellChanged(): void {
    this.answerer.tellChanged();
  }

  dispose(): void {
    this.answerer.dispose();
  }

  private async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const request: DecayPanelRequest = decayRequestSchema.parse(body);
    switch (request.type) {
      case 'load': {
        const { data, refs } = await this.options.source.load(this.scope, signal);
        this.refs = refs;
        this.panel.title = `Decay: ${data.title}`;
        return data;
      }
      case 'open':
        return { isShown: await this.open(request.key) };
    }
  }

  /** Beside the panel, so that both are seen. */
  private async open(key: string): Promise<boolean> {
    const ref = this.refs.get(key);
    if (ref === undefined) return false;
    const column = this.panel.viewColumn === ViewColumn.One ? ViewColumn.Two : ViewColumn.One;
    return this.options.showKeepit(ref, column);
  }
}
