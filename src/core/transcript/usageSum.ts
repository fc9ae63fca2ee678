import type { Usage } from './types';

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 };

/** What API messages report of their usage, each once: all lines of a message repeat it, and where they differ, it was still growing. */
export class UsageSum {
  private readonly byMessage = new Map<string, Usage>();

  has(message: string): boolean {
    return this.byMessage.has(message);
  }

  /** Takes a line of a message. */
  add(message: string, usage = NO_USAGE): void {
    const known = this.byMessage.get(message);
    this.byMessage.set(message, known === undefined ? usage : combined(known, usage, Math.max));
  }

  total(): Usage {
    return [...this.byMessage.values()].reduce((sum, usage) => combined(sum, usage, (a, b) => a + b), NO_USAGE);
  }
}

function combined(a: Usage, b: Usage, combine: (a: number, b: number) => number): Usage {
  return {
    inputTokens: combine(a.inputTokens, b.inputTokens),
    outputTokens: combine(a.outputTokens, b.outputTokens),
    cacheCreationTokens: combine(a.cacheCreationTokens, b.cacheCreationTokens),
    cacheReadTokens: combine(a.cacheReadTokens, b.cacheReadTokens),
  };
}
