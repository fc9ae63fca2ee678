import { Disposable, Uri, ViewColumn, window, type WebviewPanel } from 'vscode';
import { Debouncer } from '../../node/claude/debouncer';

/** A panel that is open; what it shows is called its scope. */
export interface OpenPanel<S> extends Disposable {
  readonly scope: S;
  /** What it shows is out of date. */
  tellChanged(): void;
}

export interface PanelSetOptions<S, P extends OpenPanel<S>> {
  /** The type that VS Code knows the panels by. */
  readonly type: string;
  readonly extensionUri: Uri;
  /** `decay` for `media/decayDark.svg` and `media/decayLight.svg`. */
  readonly icon: string;
  readonly isSame: (a: S, b: S) => boolean;
  /** What a panel was about, by what it has remembered; undefined when it was closed before it knew. */
  readonly scopeOf: (state: unknown) => S | undefined;
  readonly make: (scope: S, panel: WebviewPanel) => P;
  /** Where the first one opens: `beside` the editor that is being read, or over it, for panels that want room. */
  readonly place: 'beside' | 'over';
}

/** A session that is being worked in changes with every message. */
const CHANGE_TIMES = { quietMs: 150, maxWaitMs: 1000 };

/** The open panels of one kind: one for each scope, made again after a restart, told once when much changes. */
export class PanelSet<S, P extends OpenPanel<S>> {
  private readonly open = new Map<P, WebviewPanel>();
  private readonly changed = new Debouncer<P>(CHANGE_TIMES, (panels) => {
    for (const panel of panels) if (this.open.has(panel)) panel.tellChanged();
  });

  constructor(private readonly options: PanelSetOptions<S, P>) {}

  /** What it returns closes all of them. */
  register(): Disposable {
    return Disposable.from(
      window.registerWebviewPanelSerializer(this.options.type, {
        deserializeWebviewPanel: async (webviewPanel: WebviewPanel, state: unknown) => {
          const scope = this.options.scopeOf(state);
          if (scope === undefined) webviewPanel.dispose();
          else this.adopt(scope, webviewPanel);
        },
      }),
      new Disposable(() => {
        this.changed.dispose();
        for (const panel of this.open.keys()) panel.dispose();
      }),
    );
  }

  /** Brings the panel to the front that shows this, or opens one: where another of its kind is, if there is one. */
  show(scope: S, title: string): P {
    for (const [panel, webviewPanel] of this.open) {
      if (!this.options.isSame(panel.scope, scope)) continue;
      webviewPanel.reveal();
      return panel;
    }
    return this.adopt(scope, window.createWebviewPanel(this.options.type, title, this.column()));
  }

  tellChanged(isAbout: (scope: S) => boolean): void {
    for (const panel of this.open.keys()) if (isAbout(panel.scope)) this.changed.add(panel);
  }

  private column(): ViewColumn {
    const [other] = [...this.open.values()].flatMap(({ viewColumn }) => viewColumn ?? []);
    if (other !== undefined) return other;
    const isBeside = this.options.place === 'beside' && window.activeTextEditor !== undefined;
    return isBeside ? ViewColumn.Beside : ViewColumn.Active;
  }

  private adopt(scope: S, webviewPanel: WebviewPanel): P {
    const { extensionUri, icon, make } = this.options;
    const file = (name: string): Uri => Uri.joinPath(extensionUri, 'media', name);
    webviewPanel.iconPath = { dark: file(`${icon}Dark.svg`), light: file(`${icon}Light.svg`) };
    const panel = make(scope, webviewPanel);
    this.open.set(panel, webviewPanel);
    webviewPanel.onDidDispose(() => {
      this.open.delete(panel);
      panel.dispose();
    });
    return panel;
  }
}
