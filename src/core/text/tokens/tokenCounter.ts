/**
 * Counts tokens of text. Two implementations: `ExactTokenCounter` (`o200k_base`, the unit of budgets and ratios) and
 * `EstimatingTokenCounter` (a scan without data files, for filling trees at once).
 *
 * Counting never throws and is pure: the same text always has the same count. Counts are not additive: the count of a
 * concatenation may be larger or smaller than the sum of the counts of its parts.
 */
export interface TokenCounter {
  readonly id: 'o200k_base' | 'estimate';
  /** Tokens of any string. What looks like a special token (`<|endoftext|>`) is ordinary text, a lone surrogate is U+FFFD. */
  count(text: string): number;
  /** Tokens of the UTF-8 text in `bytes[start, end)`. Broken UTF-8 is counted too. */
  countBytes(bytes: Uint8Array, start: number, end: number): number;
}

/**
 * A counter whose work can be cut in slices, so that an event loop can breathe between them. The count is the same as that of `count`.
 */
export interface SliceableTokenCounter extends TokenCounter {
  /** Yields after every bounded slice of work (a few milliseconds at most, whatever the text), returns the count. */
  countInSlices(text: string): Generator<void, number>;
}

/**
 * Counts in slices and awaits `pause` between them (a host's "let others run", e.g. `setImmediate`).
 * Throws the signal's reason when it is aborted.
 */
export async function countWithPauses(
  counter: SliceableTokenCounter,
  text: string,
  pause: () => Promise<void>,
  signal?: AbortSignal,
): Promise<number> {
  const slices = counter.countInSlices(text);
  signal?.throwIfAborted();
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await pause();
    signal?.throwIfAborted();
  }
}

/** The exact counter, loaded on first use: its data is large, and activation must not pay for it. */
export interface TokenCounters {
  exact(): Promise<SliceableTokenCounter>;
}

/** Counts what a model would read. Both methods must be pure. */
export interface TokenEstimator {
  /** Tokens of a text. */
  estimate(text: string): number;
  /** Tokens of what a tool was given or gave back, which is long and much the same from end to end: samples of it will do. */
  sample(text: string): number;
}
