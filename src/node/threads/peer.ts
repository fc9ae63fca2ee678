import { expectedErrors } from '../../core/expectedErrors';
import type { KeepitError } from '../../core/text/keepitError';

/** What both ends of a thread have: `parentPort` inside, the `Worker` outside. */
interface Port {
  postMessage(message: Message): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

type Message =
  | { kind: 'call'; id: number; name: string; args: unknown[]; flag: Int32Array }
  | { kind: 'cancel'; id: number }
  | { kind: 'callback'; id: number; index: number; args: unknown[] }
  | { kind: 'done'; id: number; result: unknown }
  | { kind: 'failed'; id: number; error: SentError };

type Callback = (...args: unknown[]) => unknown;

/** A call to the other side that is not answered yet. */
interface Asked {
  readonly callbacks: readonly Callback[];
  readonly cancel: () => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const CALLBACK = 'keepit:callback';
const SIGNAL = 'keepit:signal';

/**
 * One end of a thread: calls functions of the other end by name, and answers the calls of the other end. Arguments are plain data;
 * functions that are told of progress and an `AbortSignal` may stand among them, or in an object among them. An abort also reaches
 * work that lets no messages in, as soon as that looks at its signal.
 */
export class Peer {
  readonly #asked = new Map<number, Asked>();
  readonly #serving = new Map<number, AbortController>();
  #nextId = 1;
  #whenIdle: (() => void) | undefined;

  constructor(
    private readonly port: Port,
    private readonly answer: (name: string, args: unknown[]) => unknown,
  ) {
    port.on('message', (message) => this.#hear(message));
  }

  async call(name: string, args: readonly unknown[]): Promise<unknown> {
    const { sent, callbacks, signal } = taken(args);
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const cancel = (): void => {
      Atomics.store(flag, 0, 1);
      this.port.postMessage({ kind: 'cancel', id });
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#asked.set(id, { callbacks, cancel, resolve, reject });
        this.port.postMessage({ kind: 'call', id, name, args: sent, flag });
      });
    } catch (error) {
      if (error instanceof DOMException) signal?.throwIfAborted(); // with the reason of the caller
      throw error;
    } finally {
      this.#asked.delete(id);
      if (this.#asked.size === 0) this.#whenIdle?.();
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Cancels all that the other end was asked for; resolves when it has answered. */
  cancelAll(): Promise<void> {
    for (const { cancel } of this.#asked.values()) cancel();
    return new Promise((resolve) => {
      if (this.#asked.size === 0) resolve();
      else this.#whenIdle = resolve;
    });
  }

  /** The other end is gone: rejects what it has not answered, and stops what is done for it. */
  end(reason: Error): void {
    for (const { reject } of this.#asked.values()) reject(reason);
    for (const controller of this.#serving.values()) controller.abort(reason);
  }

  #hear(message: Message): void {
    switch (message.kind) {
      case 'call':
        void this.#serve(message);
        break;
      case 'cancel':
        this.#serving.get(message.id)?.abort();
        break;
      case 'callback':
        this.#asked.get(message.id)?.callbacks[message.index]?.(...message.args);
        break;
      case 'done':
        this.#asked.get(message.id)?.resolve(message.result);
        break;
      case 'failed':
        this.#asked.get(message.id)?.reject(receivedError(message.error));
        break;
    }
  }

  async #serve({ id, name, args, flag }: Extract<Message, { kind: 'call' }>): Promise<void> {
    const controller = new AbortController();
    this.#serving.set(id, controller);
    const signal = watching(controller, flag);
    const callback = (index: number): Callback => {
      return (...told) => this.port.postMessage({ kind: 'callback', id, index, args: told });
    };
    try {
      const result: unknown = await this.answer(name, given(args, signal, callback));
      this.port.postMessage({ kind: 'done', id, result });
    } catch (error) {
      this.port.postMessage({ kind: 'failed', id, error: sentError(error) });
    } finally {
      this.#serving.delete(id);
    }
  }
}

/** Answers calls of `object.method` with these objects. */
export function answering(objects: ReadonlyMap<string, object>): (name: string, args: unknown[]) => unknown {
  return (name, args) => {
    const [objectName = '', methodName = ''] = name.split('.');
    const object = objects.get(objectName);
    const method: unknown = object === undefined ? undefined : Reflect.get(object, methodName);
    if (typeof method !== 'function') throw new TypeError(`There is no operation ${name}`);
    return Reflect.apply(method, object, args) as unknown;
  };
}

/** Arguments as they are sent, and what of them stays here. */
function taken(args: readonly unknown[]): { sent: unknown[]; callbacks: Callback[]; signal: AbortSignal | undefined } {
  const callbacks: Callback[] = [];
  const signals: AbortSignal[] = [];
  const sent = mapped(args, (value) => {
    if (typeof value === 'function') {
      callbacks.push((...told): unknown => Reflect.apply(value, undefined, told));
      return { [CALLBACK]: callbacks.length - 1 };
    }
    if (!(value instanceof AbortSignal)) return value;
    signals.push(value);
    return { [SIGNAL]: true };
  });
  return { sent, callbacks, signal: signals[0] };
}

/** Arguments as they were before they were sent. */
function given(args: readonly unknown[], signal: AbortSignal, callback: (index: number) => Callback): unknown[] {
  return mapped(args, (value) => {
    if (!isPlain(value)) return value;
    const { [CALLBACK]: index, [SIGNAL]: isSignal } = value;
    if (typeof index === 'number') return callback(index);
    return isSignal === true ? signal : value;
  });
}

/** Each argument, and each property of those that are plain objects. */
function mapped(args: readonly unknown[], change: (value: unknown) => unknown): unknown[] {
  return args.map((arg) => {
    const changed = change(arg);
    if (changed !== arg || !isPlain(arg)) return changed;
    return Object.fromEntries(Object.entries(arg).map(([key, value]) => [key, change(value)]));
  });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The controller's signal, which looks at the flag as well: no message comes in while synchronous work goes on. */
function watching(controller: AbortController, flag: Int32Array): AbortSignal {
  const look = (): void => {
    if (Atomics.load(flag, 0) !== 0) controller.abort();
  };
  return Object.defineProperties(controller.signal, {
    aborted: {
      get(this: AbortSignal) {
        look();
        return Reflect.get(AbortSignal.prototype, 'aborted', this);
      },
    },
    throwIfAborted: {
      value(this: AbortSignal) {
        look();
        AbortSignal.prototype.throwIfAborted.call(this);
      },
    },
  });
}

/** An error as plain data. */
export interface SentError {
  /** That of an expected error, or what the error calls itself. */
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** What it says beside that: reason, hint, code, details. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause?: SentError;
}

const classes = new Map<string, { readonly prototype: KeepitError }>(Object.entries(expectedErrors));

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined, fields: {} };
  const { message, stack, cause } = error;
  const known = [...classes].find(([, { prototype }]) => Object.getPrototypeOf(error) === prototype);
  const fields = Object.fromEntries(Object.entries(error).filter(([key]) => key !== 'name' && key !== 'cause'));
  return {
    name: known?.[0] ?? error.name,
    message,
    stack,
    fields,
    ...(cause !== undefined && { cause: sentError(cause) }),
  };
}

/** The same error on the other side: an expected one is of its class again. */
export function receivedError({ name, message, stack, fields, cause }: SentError): Error {
  if (name === 'AbortError') return new DOMException(message, name);
  const error = new Error(message, cause === undefined ? {} : { cause: receivedError(cause) });
  const known = classes.get(name);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, fields, { name });
}
