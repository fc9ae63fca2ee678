import type { LineProblem, ReadingAccount } from './types';

const MAX_PROBLEMS = 1000;
const MAX_REASONS = 100;
const OTHER_REASON = 'other';

/** Counts every line exactly once: `lines = used + Σ skipped + broken`. */
export class Accountant {
  private lines = 0;
  private usedLines = 0;
  private readonly skippedLines = new Map<string, number>();
  /** Lines that were skipped for the same reason as the one before, not yet in the map. */
  private lastReason = '';
  private lastCount = 0;
  private brokenCount = 0;
  private readonly brokenLines: LineProblem[] = [];
  private readonly salvagedLines: LineProblem[] = [];

  used(): void {
    this.lines++;
    this.usedLines++;
  }

  skipped(reason: string): void {
    this.lines++;
    if (reason !== this.lastReason) this.settle();
    this.lastReason = reason;
    this.lastCount++;
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

  private settle(): void {
    const { skippedLines, lastReason, lastCount } = this;
    if (lastCount === 0) return;
    const isKnown = skippedLines.has(lastReason) || skippedLines.size < MAX_REASONS;
    const key = isKnown ? lastReason : OTHER_REASON;
    skippedLines.set(key, (skippedLines.get(key) ?? 0) + lastCount);
    this.lastCount = 0;
  }

  /** A copy, plain. */
  account(): ReadingAccount {
    this.settle();
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
