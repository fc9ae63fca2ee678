import type { Disposable, Webview } from 'vscode';
import { errorText, isAbortError } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { requestSchema, type HostMessage, type WebviewRequest } from '../../core/model/webviewProtocol';
import { failureText } from '../../core/text/windowHint';

/** Parses a request's body, does what it asks, and gives the answer's body. */
export type RequestHandler = (body: unknown, signal: AbortSignal) => Promise<unknown>;

/** The extension's end of a panel: answers each request once, also when the handler throws, as long as the panel is open. */
export class RequestAnswerer implements Disposable {
  private readonly closing = new AbortController();
  private readonly subscription: Disposable;

  constructor(
    private readonly webview: Pick<Webview, 'onDidReceiveMessage' | 'postMessage'>,
    private readonly handle: RequestHandler,
    private readonly log: Log,
  ) {
    this.subscription = webview.onDidReceiveMessage((message: unknown) => {
      const request = requestSchema.safeParse(message);
      if (request.success) void this.answer(request.data);
    });
  }

  /** What the panel shows is out of date: it is to ask again. */
  tellChanged(): void {
    this.post({ kind: 'changed' });
  }

  /** Something that the panel did not ask for, in its own protocol. */
  tell(event: unknown): void {
    this.post({ kind: 'event', body: event });
  }

  /** The panel was closed: what is still under way for it ends, and is answered no more. */
  dispose(): void {
    this.subscription.dispose();
    this.closing.abort();
  }

  private async answer({ id, body }: WebviewRequest) {
    try {
      this.post({ kind: 'answer', id, body: await this.handle(body, this.closing.signal) });
    } catch (error) {
      if (this.closing.signal.aborted && isAbortError(error)) return;
      this.log.warn(`A view's request failed: ${errorText(error)}`);
      this.post({ kind: 'failure', id, message: failureText(error) });
    }
  }

  private post(message: HostMessage) {
    if (this.closing.signal.aborted) return;
    // False when the view is hidden meanwhile: it asks again when it is shown.
    void this.webview.postMessage(message);
  }
}
