import { decoded } from '../byteText';
import { hash64 } from '../hash64';

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
}

/** The exact counter, loaded on first use: its data is large, and activation must not pay for it. */
export interface TokenCounters {
  exact(): Promise<TokenCounter>;
}

/** Counts what a model would read. Both methods must be pure, and give whole numbers. */
export interface TokenEstimator {
  /** Tokens of a text. */
  estimate(text: string): number;
  /** Tokens of what a tool was given or gave back, a byte text: it is long and much the same from end to end, samples of it will do. */
  sample(bytes: string): number;
}

/** Shorter texts are counted as quickly as they are looked up. */
const minCachedUnits = 64;
const defaultMaxEntries = 50_000;

/**
 * Remembers the counts of texts by a hash of their content, so that messages that are counted again and again (lists,
 * budgets, previews) are counted once. Holds no text; the counts that were asked for longest ago go first. The hash has
 * 64 bits and the length beside it: among a million texts two are mistaken for each other once in ten million times.
 */
export class CachingTokenCounter implements TokenCounter {
  readonly id: TokenCounter['id'];
  /** In the order of use, the last used at the end. */
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly counter: TokenCounter,
    private readonly maxEntries: number = defaultMaxEntries,
  ) {
    this.id = counter.id;
  }

  /** How many counts are remembered. */
  get size(): number {
    return this.#counts.size;
  }

  count(text: string): number {
    if (text.length < minCachedUnits) return this.counter.count(text);
    const key = `${text.length}:${hash64(text)}`;
    return this.#recall(key) ?? this.#remember(key, this.counter.count(text));
  }

  #recall(key: string): number | undefined {
    const count = this.#counts.get(key);
    if (count !== undefined) this.#remember(key, count);
    return count;
  }

  #remember(key: string, count: number): number {
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > this.maxEntries) {
      const [oldest = key] = this.#counts.keys();
      this.#counts.delete(oldest);
    }
    return count;
  }
}

/** Lets the reader of transcripts count exactly, by the same walk over the same texts with which it estimates. */
export class ExactEstimator implements TokenEstimator {
  constructor(private readonly counter: TokenCounter) {}

  estimate(text: string): number {
    return this.counter.count(text);
  }

  sample(bytes: string): number {
    return this.counter.count(decoded(bytes));
  }
}

/** For reading words whose tokens nobody asks for. */
export const uncounted: TokenEstimator = { estimate: () => 0, sample: () => 0 };

/** The same, where a counter is wanted. */
export const countsNothing: TokenCounter = { id: 'estimate', count: () => 0 };
