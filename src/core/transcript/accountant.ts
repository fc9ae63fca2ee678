import type { AccountState } from './readingState';
import type { ReadingAccount } from './types';

const MAX_PROBLEMS = 1000;
const MAX_REASONS = 100;
const OTHER_REASON = 'other';

/** Counts every line exactly once: `lines = used + Σ skipped + broken`. */
export class Accountant {
  private lines: number;
  private usedLines: number;
  private readonly skippedLines: Map<string, number>;
  private brokenCount: number;
  private readonly brokenLines: AccountState['broken'];
  private readonly salvagedLines: AccountState['salvaged'];

  constructor(state: AccountState = { lines: 0, used: 0, skipped: {}, brokenCount: 0, broken: [], salvaged: [] }) {
    this.lines = state.lines;
    this.usedLines = state.used;
    this.skippedLines = new Map(Object.entries(state.skipped));
    this.brokenCount = state.brokenCount;
    this.brokenLines = [...state.broken];
    this.salvagedLines = [...state.salvaged];
  }

  used(): void {
    this.lines++;
    this.usedLines++;
  }

  skipped(reason: string): void {
    this.lines++;
    const isKnown = this.skippedLines.has(reason) || this.skippedLines.size < MAX_REASONS;
    const key = isKnown ? reason : OTHER_REASON;
    this.skippedLines.set(key, (this.skippedLines.get(key) ?? 0) + 1);
  }

  broken(line: number, error: string): void {
    this.lines++;
    this.brokenCount++;
    if (this.brokenLines.length < MAX_PROBLEMS) this.brokenLines.push({ line, error });
  }

  /** A line that was counted otherwise, but had a part that could not be read. */
  salvaged(line: number, error: string): void {
    if (this.salvagedLines.length < MAX_PROBLEMS) this.salvagedLines.push({ line, error });
  }

  /** A copy, plain. */
  account(): ReadingAccount & AccountState {
    return {
      lines: this.lines,
      used: this.usedLines,
      skipped: Object.fromEntries(this.skippedLines),
      brokenCount: this.brokenCount,
      broken: [...this.brokenLines],
      salvaged: [...this.salvagedLines],
    };
  }
}
