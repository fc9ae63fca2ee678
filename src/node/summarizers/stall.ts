import { SummarizerError } from '../../core/versions/models/modelCaller';

/**
 * Ends work that shows no sign of life: `signal` aborts when the caller's does, or when nobody called `pulse` for too long.
 */
export class Stall {
  readonly signal: AbortSignal;
  readonly #timeout = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: NodeJS.Timeout;

  constructor(
    private readonly stallMs: number,
    caller?: AbortSignal,
  ) {
    this.#caller = caller;
    this.signal = caller === undefined ? this.#timeout.signal : AbortSignal.any([caller, this.#timeout.signal]);
    this.#timer = this.#start();
  }

  pulse(): void {
    this.#timer.refresh();
  }

  /** What an abort of `signal` means: rethrows the caller's own reason, or says that time ran out. Returns when there was none. */
  throwIfEnded(cause?: unknown): void {
    this.#caller?.throwIfAborted();
    if (!this.#timeout.signal.aborted) return;
    throw new SummarizerError('timeout', { detail: `for ${Math.round(this.stallMs / 1000)} s`, cause });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#timeout.abort(), this.stallMs);
  }
}
