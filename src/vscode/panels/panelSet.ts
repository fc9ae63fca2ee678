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
  /** Loads what the panel is made of first: until one is opened, the extension does without. */
  readonly make: (scope: S, panel: WebviewPanel) => Promise<P>;
  /** Where the first one opens: `beside` the editor that is being read, or over it, for panels that want room. */
  readonly place: 'beside' | 'over';
}

/** A session that is being worked in changes with every message. */
const CHANGE_TIMES = { quietMs: 150, maxWaitMs: 1000 };

interface Opened<S, P> {
  /** What it was opened for; what it shows since is known by the panel. */
  readonly opened: S;
  readonly whenMade: Promise<P>;
  made?: P;
}

/** The open panels of one kind: one for each scope, made again after a restart, told once when much changes. */
export class PanelSet<S, P extends OpenPanel<S>> {
  private readonly open = new Map<WebviewPanel, Opened<S, P>>();
  private readonly changed = new Debouncer<WebviewPanel>(CHANGE_TIMES, (panels) => {
    for (const webviewPanel of panels) this.open.get(webviewPanel)?.made?.tellChanged();
  });

  constructor(private readonly options: PanelSetOptions<S, P>) {}

  /** What it returns closes all of them. */
  register(): Disposable {
    return Disposable.from(
      window.registerWebviewPanelSerializer(this.options.type, {
        deserializeWebviewPanel: async (webviewPanel: WebviewPanel, state: unknown) => {
          const scope = this.options.scopeOf(state);
          if (scope === undefined) webviewPanel.dispose();
          else await this.adopt(scope, webviewPanel);
        },
      }),
      new Disposable(() => {
        this.changed.dispose();
        for (const { made } of this.open.values()) made?.dispose();
      }),
    );
  }

  /** Brings the panel to the front that shows this, or opens one: where another of its kind is, if there is one. */
  async show(scope: S, title: string): Promise<P> {
    for (const [webviewPanel, { opened, made, whenMade }] of this.open) {
      if (!this.options.isSame(made?.scope ?? opened, scope)) continue;
      webviewPanel.reveal();
      return whenMade;
    }
    return this.adopt(scope, window.createWebviewPanel(this.options.type, title, this.column()));
  }

  tellChanged(isAbout: (scope: S) => boolean = () => true): void {
    for (const [webviewPanel, { opened, made }] of this.open) {
      if (isAbout(made?.scope ?? opened)) this.changed.add(webviewPanel);
    }
  }

  private column(): ViewColumn {
    const [other] = [...this.open.keys()].flatMap(({ viewColumn }) => viewColumn ?? []);
    if (other !== undefined) return other;
    const isBeside = this.options.place === 'beside' && window.activeTextEditor !== undefined;
    return isBeside ? ViewColumn.Beside : ViewColumn.Active;
  }

  private adopt(scope: S, webviewPanel: WebviewPanel): Promise<P> {
    const { extensionUri, icon, make } = this.options;
    const file = (name: string): Uri => Uri.joinPath(extensionUri, 'media', name);
    webviewPanel.iconPath = { dark: file(`${icon}Dark.svg`), light: file(`${icon}Light.svg`) };
    const entry: Opened<S, P> = { opened: scope, whenMade: make(scope, webviewPanel) };
    this.open.set(webviewPanel, entry);
    webviewPanel.onDidDispose(() => {
      this.open.delete(webviewPanel);
      entry.made?.dispose();
    });
    return this.whenMade(webviewPanel, entry);
  }

  private async whenMade(webviewPanel: WebviewPanel, entry: Opened<S, P>): Promise<P> {
    try {
      const panel = await entry.whenMade;
      entry.made = panel;
      if (!this.open.has(webviewPanel)) panel.dispose(); // closed before there was anything in it
      return panel;
    } catch (error) {
      webviewPanel.dispose();
      throw error;
    }
  }
}
