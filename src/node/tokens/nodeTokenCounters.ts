import { readFile } from 'node:fs/promises';
import type { TokenCounters } from '../../core/text/tokens/tokenCounter';
import type { ExactTokenCounter } from '../../core/text/tokens/exactTokenCounter';
import { TokenRanksError } from '../../core/text/tokens/rankTable';

/**
 * Loads the exact counter when it is first asked for: 1.6 MB that no activation pays for. All callers share one counter;
 * after a failure the next caller tries again.
 */
export class NodeTokenCounters implements TokenCounters {
  #loading: Promise<ExactTokenCounter> | undefined;

  /** `ranksFile` is the `o200k_base.bin` that the build puts beside the bundles. */
  constructor(private readonly ranksFile: string) {}

  exact(): Promise<ExactTokenCounter> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<ExactTokenCounter> {
    let ranks: Uint8Array;
    try {
      ranks = await readFile(this.ranksFile);
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw new TokenRanksError(isMissing ? 'missing' : 'unreadable', { cause: error });
    }
    const exact = await import('../../core/text/tokens/exactTokenCounter');
    return new exact.ExactTokenCounter(ranks);
  }
}
