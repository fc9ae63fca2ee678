import type * as z from 'zod/mini';

/** What VS Code gives to a webview's script. */
interface WebviewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): WebviewApi;

/** The way out of the view. VS Code hands it out once: made by the entry, and passed on. */
export class VscodeApi {
  private readonly api = acquireVsCodeApi();

  post(message: unknown): void {
    this.api.postMessage(message);
  }

  /** What the view has remembered, from before it was hidden or VS Code was restarted; undefined when there is nothing of that shape. */
  read<T extends z.ZodMiniType>(schema: T): z.infer<T> | undefined {
    return schema.safeParse(this.api.getState()).data;
  }

  remember(state: unknown): void {
    this.api.setState(state);
  }
}
