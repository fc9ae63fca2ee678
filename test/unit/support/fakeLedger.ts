import type { LedgerEntry } from '../../../src/core/model/models';
import type { Ledger } from '../../../src/core/model/host';

/** A ledger in memory. */
export class FakeLedger implements Ledger {
  readonly lines: LedgerEntry[] = [];

  async append(entry: LedgerEntry): Promise<void> {
    this.lines.push(entry);
  }

  async entries(): Promise<LedgerEntry[]> {
    return [...this.lines];
  }

  async spentSince(start: Date): Promise<number> {
    return this.lines.reduce((sum, { at, usd }) => (Date.parse(at) >= start.getTime() ? sum + usd : sum), 0);
  }
}
