import { MaxHeap } from './maxHeap';
import type { Unit } from './unit';
import type { UnitWeights } from './unitWeights';

/** What a term is worth once it was said so often. */
const REPEATED = [1, 0.3, 0.12, 0.05, 0.02] as const;
/** Between 0 (the most valuable unit first, however long) and 1 (the most value per token first). */
const COST_POWER = 0.9;
/** When so many units in a row are too large for what is left, the rest is as well. */
const MOST_TOO_LARGE = 300;

/** What a selection works on. */
export interface Choices {
  readonly units: readonly Unit[];
  readonly weighed: UnitWeights;
  /** Tokens that a unit takes. */
  cost(unit: number): number;
}

/**
 * Chooses units for a budget: again and again the one that adds most per token to what is said already, where terms that were said count
 * little, until nothing fits. Details come after their step only. The order of choice is kept: a smaller budget is a beginning of it.
 */
export class Selection {
  /** Chosen units, the most valuable first. */
  readonly order: number[] = [];
  private readonly saidBefore: Uint8Array;
  private readonly heap = new MaxHeap();
  private readonly chosen = new Set<number>();
  /** Details by the step that they wait for, and headings that wait. */
  private readonly waiting = new Map<number, number[]>();
  private readonly headings = new Set<number>();

  /** `said` is how often each term was said, and is kept up to date. */
  constructor(
    private readonly choices: Choices,
    available: readonly number[],
    private readonly said: Uint8Array,
  ) {
    this.saidBefore = said.slice();
    for (const unit of available) {
      if (this.isReady(unit)) this.heap.push(unit, this.value(unit));
    }
  }

  /** Chooses up to `budget` tokens more. */
  choose(budget: number): void {
    const tooLarge: number[] = [];
    let left = budget;
    while (left > 0 && tooLarge.length < MOST_TOO_LARGE) {
      const unit = this.next();
      if (unit === -1) break;
      const cost = this.choices.cost(unit);
      if (cost > left) tooLarge.push(unit);
      else {
        left -= cost;
        this.take(unit);
      }
    }
    for (const unit of tooLarge) this.putBack(unit);
  }

  /** Takes back all but the first `count` choices. */
  keep(count: number): void {
    const dropped = this.order.splice(count);
    this.said.set(this.saidBefore);
    for (const unit of this.order) this.say(unit);
    for (const unit of dropped) this.chosen.delete(unit);
    for (const unit of dropped) if (this.isReady(unit)) this.putBack(unit);
  }

  /** The unit that is worth most now, whatever it costs; it is not available any more. -1 when there is none. */
  next(): number {
    for (;;) {
      const unit = this.heap.pop();
      if (unit === -1) return -1;
      const value = this.value(unit);
      if (value >= this.heap.topKey) return value > 0 ? unit : -1;
      this.heap.push(unit, value);
    }
  }

  /** Chooses a unit that `next` gave. */
  take(unit: number): void {
    this.order.push(unit);
    this.chosen.add(unit);
    this.say(unit);
    const { heading } = this.choices.units[unit] ?? {};
    if (heading !== undefined && this.headings.delete(heading)) this.putBack(heading);
    const details = this.waiting.get(unit);
    if (details === undefined) return;
    this.waiting.delete(unit);
    for (const detail of details) this.putBack(detail);
  }

  /** Makes a unit available again. */
  putBack(unit: number): void {
    this.heap.push(unit, this.value(unit));
  }

  /** Whether a unit may be chosen: a detail waits for its step, a heading for something that stands under it. */
  private isReady(unit: number): boolean {
    const { parent, kind } = this.choices.units[unit] ?? {};
    if (kind === 'heading') this.headings.add(unit);
    if (parent === undefined || this.chosen.has(parent)) return kind !== 'heading';
    const siblings = this.waiting.get(parent);
    if (siblings === undefined) this.waiting.set(parent, [unit]);
    else siblings.push(unit);
    return false;
  }

  private say(unit: number): void {
    for (const term of this.choices.weighed.terms[unit] ?? []) {
      this.said[term] = Math.min(REPEATED.length - 1, (this.said[term] ?? 0) + 1);
    }
  }

  private value(unit: number): number {
    const merit = this.choices.weighed.merits[unit] ?? 0;
    let sum = 0;
    for (const term of this.choices.weighed.terms[unit] ?? []) {
      sum += (this.choices.weighed.weights[term] ?? 0) * (REPEATED[this.said[term] ?? 0] ?? 0);
    }
    return (merit * sum) / this.choices.cost(unit) ** COST_POWER;
  }
}
