import type { TokenEstimator } from './tokenCounter';
import type { TokenCounter } from './tokenCounter';

/** Lets the reader of transcripts count exactly, by the same walk over the same texts with which it estimates. */
export class ExactEstimator implements TokenEstimator {
  readonly #counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  estimate(text: string): number {
    return this.#counter.count(text);
  }

  sample(text: string): number {
    return this.#counter.count(text);
  }
}
