import type * as z from 'zod/mini';
import { hostMessageSchema, type WebviewRequest } from '../../src/core/model/webviewProtocol';

export type RequestFailure = 'failed' | 'timed-out' | 'closed' | 'bad-answer';

/** A request without a usable answer. The message is for people. */
export class RequestError extends Error {
  constructor(
    readonly reason: RequestFailure,
    message: string,
  ) {
    super(message);
    this.name = 'RequestError';
  }
}

interface Waiting {
  readonly settle: (body: unknown) => void;
  readonly fail: (error: RequestError) => void;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Asks the extension, and waits for its answers: none is waited for in vain, and none is believed before it was checked. */
export class RequestClient {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private isClosed = false;

  constructor(
    private readonly send: (request: WebviewRequest) => void,
    private readonly onChanged: () => void,
    private readonly timeoutMs = DEFAULT_TIMEOUT_MS,
    /** Takes what the extension tells without being asked; it is the view's to check. */
    private readonly onEvent: (body: unknown) => void = () => undefined,
  ) {}

  /** Rejects with a `RequestError`. */
  async ask<T extends z.ZodMiniType>(body: unknown, answer: T): Promise<z.infer<T>> {
    const parsed = answer.safeParse(await this.exchange(body));
    if (parsed.success) return parsed.data;
    throw new RequestError('bad-answer', 'This view and the extension are of different versions. Reload the window.');
  }

  /** Takes in whatever was posted to the view; what is not ours is left alone. */
  receive(message: unknown): void {
    const parsed = hostMessageSchema.safeParse(message);
    if (!parsed.success) return;
    const { data } = parsed;
    if (data.kind === 'changed') {
      this.onChanged();
      return;
    }
    if (data.kind === 'event') {
      this.onEvent(data.body);
      return;
    }
    const waiting = this.waiting.get(data.id);
    if (data.kind === 'answer') waiting?.settle(data.body);
    else waiting?.fail(new RequestError('failed', data.message));
  }

  /** The view goes away: whoever still waits is told. */
  close(): void {
    this.isClosed = true;
    for (const { fail } of this.waiting.values()) fail(new RequestError('closed', 'The view was closed.'));
  }

  private exchange(body: unknown): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(new RequestError('closed', 'The view was closed.'));
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
      };
      const waiting: Waiting = {
        settle: (answer) => {
          end();
          resolve(answer);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const seconds = Math.round(this.timeoutMs / 1000);
      const late = new RequestError('timed-out', `The extension has not answered for ${seconds} seconds.`);
      const timer = setTimeout(() => waiting.fail(late), this.timeoutMs);
      this.waiting.set(id, waiting);
      this.send({ kind: 'request', id, body });
    });
  }
}
