import type { Clock, Ledger } from '../../model/host';
import { formatUsd } from './cost';
import { SummarizerError } from './modelCaller';

export interface CostLimits {
  /** For one run. */
  readonly runUsd: number;
  /** For all runs of a calendar day of the host, those of other processes included. */
  readonly dayUsd: number;
}

/**
 * What calls that are under way may still cost, over all runs of this process: the ledger knows of them only when they have
 * ended.
 */
export class PendingCosts {
  private pendingUsd = 0;

  get usd(): number {
    return this.pendingUsd;
  }

  add(usd: number): void {
    this.pendingUsd += usd;
  }
}

/** Money that is set aside for a call. */
export interface Reservation {
  readonly usd: number;
  /** Called once, with what the call did cost. */
  settle(usd: number): void;
}

/** Keeps one run within its limits: no call begins that could exceed them, even if it used all the room that it has. */
export class CostGate {
  private spentUsd = 0;
  private reservedUsd = 0;

  constructor(
    private readonly limits: CostLimits,
    private readonly ports: { readonly ledger: Ledger; readonly clock: Clock; readonly pending: PendingCosts },
  ) {}

  /** Throws `SummarizerError` when a cost is more than what is left. Sets nothing aside. */
  async check(usd: number): Promise<void> {
    await this.verify(usd, usd);
  }

  /** What may be spent now, by this run and today. */
  async left(): Promise<number> {
    const { runUsd, dayUsd } = this.limits;
    return Math.min(runUsd - this.spentUsd - this.reservedUsd, dayUsd - (await this.spentToday()));
  }

  /** As `check`, and sets the cost aside until it is settled. */
  async reserve(usd: number): Promise<Reservation> {
    const hold = (amount: number) => {
      this.reservedUsd += amount;
      this.ports.pending.add(amount);
    };
    hold(usd); // before the ledger is asked, which takes a moment in which others may want to reserve
    try {
      await this.verify(usd, 0);
    } catch (error) {
      hold(-usd);
      throw error;
    }
    return {
      usd,
      settle: (actualUsd) => {
        hold(-usd);
        this.spentUsd += actualUsd;
      },
    };
  }

  /** `extraUsd` is what of the cost is not among the reservations yet. */
  private async verify(usd: number, extraUsd: number): Promise<void> {
    const { runUsd, dayUsd } = this.limits;
    const afterRun = this.spentUsd + this.reservedUsd + extraUsd;
    if (exceeds(afterRun, runUsd)) throw overLimit('run-limit', { usd, left: runUsd - afterRun + usd, limit: runUsd });
    const afterDay = (await this.spentToday()) + extraUsd;
    if (exceeds(afterDay, dayUsd)) throw overLimit('day-limit', { usd, left: dayUsd - afterDay + usd, limit: dayUsd });
  }

  private async spentToday(): Promise<number> {
    const { ledger, clock, pending } = this.ports;
    return (await ledger.spentSince(startOfDay(clock.now()))) + pending.usd;
  }
}

/** Sums of cents are not exact. */
function exceeds(usd: number, limitUsd: number): boolean {
  return usd > limitUsd + 1e-9;
}

function overLimit(reason: 'run-limit' | 'day-limit', { usd, left, limit }: Record<'usd' | 'left' | 'limit', number>) {
  const detail = `up to ${formatUsd(usd)}, with ${formatUsd(Math.max(0, left))} left of ${formatUsd(limit)}`;
  return new SummarizerError(reason, { detail });
}

/** Midnight where the host is. */
export function startOfDay(now: Date): Date {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day;
}
