import type { LedgerEntry } from '../../model/ledger';
import { roundUsd } from './cost';
import { startOfDay } from './costGate';

export interface LedgerTotals {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

/** What calls have taken and cost together; tokens that a cache had a part in count as input. */
export function ledgerTotals(entries: readonly LedgerEntry[]): LedgerTotals {
  return {
    calls: entries.length,
    inputTokens: entries.reduce((sum, entry) => sum + promptTokensOf(entry), 0),
    outputTokens: entries.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usd: roundUsd(entries.reduce((sum, { usd }) => sum + usd, 0)),
  };
}

/** The calls that ended on the host's calendar day of `now`: those that count for the limit of a day. */
export function entriesOfDay(entries: readonly LedgerEntry[], now: Date): LedgerEntry[] {
  const start = startOfDay(now).getTime();
  return entries.filter(({ at }) => Date.parse(at) >= start);
}

export function promptTokensOf({ inputTokens, cacheWriteTokens, cacheReadTokens }: LedgerEntry): number {
  return inputTokens + cacheWriteTokens + cacheReadTokens;
}
