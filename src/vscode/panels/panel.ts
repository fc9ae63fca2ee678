import { randomBytes } from 'node:crypto';
import { Disposable, env, Uri, ViewColumn, window, type WebviewPanel } from 'vscode';
import { failureText } from '../../core/text/windowHint';
import type { MemoryService } from '../../core/memory';
import type {
  DiscoveredProject,
  DiscoveredSession,
  OnProgress,
  Progress,
  SessionRef,
} from '../../core/sessions/results';
import { SessionLookupError } from '../../core/sessions/sessionLookupError';
import { errorText, isAbortError, KeepitError } from '../../core/text/keepitError';
import { Debouncer } from '../../node/claude/debouncer';
import type { Uses } from '../context';
import { RequestAnswerer } from './requestAnswerer';

export interface PanelPage {
  /** The product in `dist/webview`. */
  readonly name: string;
  readonly title: string;
}

interface Working {
  readonly controller: AbortController;
  progress?: Progress;
}

/** A panel that is open; what it shows is called its scope. Its page asks, and is told of what it did not ask for in its own protocol. */
export abstract class Panel<S, E = never> implements Disposable {
  private readonly answerer: RequestAnswerer;
  private latest = new AbortController();
  private working: Working | undefined;

  protected constructor(
    public scope: S,
    protected readonly panel: WebviewPanel,
    private readonly host: Uses<'extensionUri' | 'log'>,
    private readonly page: PanelPage,
  ) {
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [panelRoot(host.extensionUri)] };
    this.answerer = new RequestAnswerer(webview, (body, closing) => this.answer(body, closing), host.log);
    webview.html = this.html();
  }

  /** What it shows is out of date. */
  tellChanged(): void {
    this.answerer.tellChanged();
  }

  /** Work that is under way goes on: its message shows it, and cancels it. */
  dispose(): void {
    this.latest.abort();
    this.answerer.dispose();
  }

  protected abstract answer(body: unknown, closing: AbortSignal): Promise<unknown>;

  protected tell(event: E): void {
    this.answerer.tell(event);
  }

  /** Beside the panel, so that both are seen. */
  protected get otherColumn(): ViewColumn {
    return this.panel.viewColumn === ViewColumn.One ? ViewColumn.Two : ViewColumn.One;
  }

  /** Aborted by the next request of its kind, and when the panel closes. */
  protected newest(closing: AbortSignal): AbortSignal {
    this.latest.abort();
    this.latest = new AbortController();
    return AbortSignal.any([this.latest.signal, closing]);
  }

  /** Answers with what the newest request asks for; an older one is superseded, and what cannot be is refused with the reason. */
  protected async newestOf(closing: AbortSignal, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const signal = this.newest(closing);
    const { latest } = this;
    try {
      return await work(signal);
    } catch (error) {
      if (latest.signal.aborted && isAbortError(error)) return { kind: 'superseded' };
      if (error instanceof KeepitError) return { kind: 'refused', message: failureText(error) };
      throw error;
    }
  }

  /** How far the work is that is under way. */
  protected get progress(): Progress | undefined {
    return this.working?.progress;
  }

  /** Long work, one at a time: what becomes of it is told by events. */
  protected async work(run: (signal: AbortSignal, onProgress: OnProgress) => Promise<E>): Promise<void> {
    if (this.working !== undefined) return;
    const working: Working = { controller: new AbortController() };
    this.working = working;
    try {
      const event = await run(working.controller.signal, (progress) => {
        working.progress = progress;
        const { done, total, label } = progress;
        this.answerer.tell({ type: 'progress', done, total, label });
      });
      this.tell(event);
    } catch (error) {
      if (isAbortError(error)) this.answerer.tell({ type: 'cancelled' });
      else this.failed(error);
    } finally {
      this.working = undefined;
    }
  }

  protected cancel(): void {
    this.working?.controller.abort();
  }

  protected failed(error: unknown): void {
    this.host.log.warn(`${this.page.title} failed: ${errorText(error)}`);
    this.answerer.tell({ type: 'failed', message: failureText(error) });
  }

  /** Everything is forbidden that is not named: one script, by its nonce, and our own style sheets. */
  private html(): string {
    const { webview } = this.panel;
    const { extensionUri } = this.host;
    const { name, title } = this.page;
    const nonce = randomBytes(18).toString('base64');
    const file = (ending: string): string =>
      webview.asWebviewUri(Uri.joinPath(panelRoot(extensionUri), `${name}.${ending}`)).toString();
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!doctype html>
<html lang="${env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('css')}">
<title>${title}</title>
</head>
<body>
<script nonce="${nonce}" src="${file('js')}"></script>
</body>
</html>`;
  }
}

interface Scope {
  readonly projectId: string;
  readonly sessionId?: string | undefined;
}

interface PanelSetOptions<S extends Scope, P extends Panel<S>> {
  /** The type that VS Code knows the panels by. */
  readonly type: string;
  /** `decay` for `media/decayDark.svg` and `media/decayLight.svg`. */
  readonly icon: string;
  /** Without it, there is one panel for each session, or project. */
  readonly isSame?: (a: S, b: S) => boolean;
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
export class PanelSet<S extends Scope, P extends Panel<S>> {
  private readonly open = new Map<WebviewPanel, Opened<S, P>>();
  private readonly changed = new Debouncer<WebviewPanel>(CHANGE_TIMES, (panels) => {
    for (const webviewPanel of panels) this.open.get(webviewPanel)?.made?.tellChanged();
  });

  constructor(
    private readonly context: Uses<'host' | 'model' | 'extensionUri'>,
    private readonly options: PanelSetOptions<S, P>,
  ) {}

  /** Those about a session, or its project, are told what is written of these features, and all of them that sessions have changed. */
  registerFollowing(features: readonly ('keepits' | 'versions')[]): Disposable {
    const { host, model } = this.context;
    return Disposable.from(
      this.register(),
      host.onDidWriteOf(features, (session) =>
        this.tellChanged(({ projectId }) => projectId === (session?.projectId ?? projectId)),
      ),
      model.onDidChange(() => this.tellChanged()),
    );
  }

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
    const { isSame = isSameSession } = this.options;
    for (const [webviewPanel, { opened, made, whenMade }] of this.open) {
      if (!isSame(made?.scope ?? opened, scope)) continue;
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
    const { icon, make } = this.options;
    const file = (name: string): Uri => Uri.joinPath(this.context.extensionUri, 'media', name);
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

function isSameSession(a: Scope, b: Scope): boolean {
  return a.projectId === b.projectId && a.sessionId === b.sessionId;
}

/** Where a panel's script and style lie: all that it may load. */
function panelRoot(extensionUri: Uri): Uri {
  return Uri.joinPath(extensionUri, 'dist/webview');
}

/** The column next to what is active: where something is shown that belongs to it, so that both are seen. */
export function columnBeside(): ViewColumn {
  return window.tabGroups.activeTabGroup.viewColumn === ViewColumn.One ? ViewColumn.Two : ViewColumn.One;
}

/** A project, or a session of it, as it is now, for what a panel shows of it. Throws `SessionLookupError` when it is gone. */
export async function scopeShown(
  memory: Pick<MemoryService, 'sessions'>,
  { projectId, sessionId }: { projectId: string; sessionId?: string | undefined },
  signal?: AbortSignal,
): Promise<{ project: DiscoveredProject; session: DiscoveredSession | undefined }> {
  const request = { projectIds: [projectId], ...(sessionId !== undefined && { sessionId }) };
  const [project] = (await memory.sessions.discover(request, signal)).projects;
  const session = project?.sessions.find((one) => one.sessionId === sessionId);
  if (project === undefined || (sessionId !== undefined && session === undefined))
    throw new SessionLookupError('not-found', sessionId ?? projectId);
  return { project, session };
}

/** As `scopeShown`, for one session. */
export async function sessionShown(
  memory: Pick<MemoryService, 'sessions'>,
  ref: SessionRef,
  signal?: AbortSignal,
): Promise<{ project: DiscoveredProject; session: DiscoveredSession }> {
  const { project, session } = await scopeShown(memory, ref, signal);
  if (session === undefined) throw new SessionLookupError('not-found', ref.sessionId);
  return { project, session };
}
