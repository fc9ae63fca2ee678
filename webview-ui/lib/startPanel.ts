import { render, type TemplateResult } from 'lit';
import * as z from 'zod/mini';
import { registerControls } from '../components/toolkit';
import { RequestClient } from './requestClient';
import { VscodeApi } from './vscodeApi';

/** What an app that fills a panel is given. */
export interface PanelParts<S> {
  readonly client: RequestClient;
  /** What the app has remembered, from before it was hidden or VS Code was restarted. */
  readonly remembered: S | undefined;
  readonly remember: (state: S) => void;
  /** Draws the view as it is when the next frame comes, at most once per frame; `settle` is called when it is drawn. */
  readonly draw: (view: () => TemplateResult, settle?: () => void) => void;
  /** What is drawn into. */
  readonly root: HTMLElement;
}

/** An app that fills a panel. */
export interface PanelApp {
  /** Asks for everything anew: at the start, and when the extension says that something has changed. */
  load(): void;
}

export interface PanelStart<S extends z.ZodMiniType, A extends PanelApp> {
  /** What the app remembers. */
  readonly state: S;
  readonly make: (parts: PanelParts<z.infer<S>>) => A;
  /** What the extension tells by itself; it is the app's to check. */
  readonly onEvent?: (app: A, body: unknown) => void;
  readonly timeoutMs?: number;
}

/** Makes the app of a panel, and lets it talk with the extension; called once by each panel's entry. */
export function startPanel<S extends z.ZodMiniType, A extends PanelApp>(start: PanelStart<S, A>): A {
  // Compiling schemas takes `eval`, which the view's content security policy forbids.
  z.config({ jitless: true });
  const root = document.body;
  const api = new VscodeApi();
  const client = new RequestClient(
    (request) => api.post(request),
    () => app.load(),
    start.timeoutMs,
    (body) => start.onEvent?.(app, body),
  );
  const app = start.make({
    client,
    remembered: api.read(start.state),
    remember: (state) => api.remember(state),
    draw: frameDrawer(root),
    root,
  });
  registerControls();
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => client.receive(data));
  window.addEventListener('pagehide', () => client.close());
  app.load();
  return app;
}

function frameDrawer(root: HTMLElement): PanelParts<unknown>['draw'] {
  let isAsked = false;
  const bar = barFocus();
  return (view, settle) => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      render(view(), root);
      bar.regain();
      settle?.();
    });
  };
}

/**
 * Keeps the focus in the bar at the end of a panel: whoever has pressed a button that is gone with that goes on with the one in its place,
 * Cancel, or what the panel is for; also after VS Code has asked something in between.
 */
function barFocus(): { regain: () => void } {
  let wasThere = false;
  const regain = (): void => {
    // Another part of VS Code may have it, such as the terminal that a button has opened: it is not taken from there.
    if (!wasThere || !document.hasFocus() || document.activeElement !== document.body) return;
    const main = document.querySelector<HTMLElement>('footer vscode-button[appearance=primary]');
    const next = main ?? document.querySelector<HTMLElement>('footer vscode-button');
    next?.focus();
  };
  const follow = ({ target }: Event): void => {
    wasThere = target instanceof Element && target.closest('footer') !== null;
  };
  document.addEventListener('focusin', follow);
  document.addEventListener('pointerdown', follow); // what is clicked need not take the focus
  window.addEventListener('focus', regain);
  return { regain };
}
