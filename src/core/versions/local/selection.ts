import type { Unit } from './unit';
import type { UnitWeights } from './unitWeights';

/** What a term is worth once it was said so often. */
const REPEATED = [1, 0.4, 0.18, 0.08, 0.04] as const;
/** What words are worth of which it is not known what they name: some languages hardly show it. */
const WORTH_PER_TOKEN = 0.08;
/** What fits by chance is worth at least so much of what does not fit. */
const LEAST_VALUE = 0.75;
/** A few vague words are not worth more because they take little room. */
const FEWEST_TOKENS = 10;

/** What a selection works on. */
interface Choices {
  readonly units: readonly Unit[];
  readonly weighed: UnitWeights;
  /** Tokens that a unit takes. */
  cost(unit: number): number;
}

/**
 * Chooses units for a budget: again and again the one that adds most per token to what is said already, where terms that were said count
 * little, until nothing fits. Details come after their step only, headings after something that stands under them. The order of choice is
 * kept: a smaller budget is a beginning of it.
 */
export class Selection {
  private readonly taken: number[] = [];
  private readonly chosen = new Set<number>();
  private readonly saidBefore: Uint8Array;
  private readonly heap = new MaxHeap();
  private readonly queued = new Set<number>();
  /** Units that wait for what has to be chosen before them: details for their step, a heading for what stands under it. */
  private readonly waiting = new Map<number, Set<number>>();
  /** How many units under a heading are chosen. */
  private readonly headed = new Map<number, number>();

  /** `said` is how often each term was said, and is kept up to date. */
  constructor(
    private readonly choices: Choices,
    private readonly said: Uint8Array,
  ) {
    this.saidBefore = said.slice();
  }

  /** Makes units available. */
  offerAll(units: readonly number[]): void {
    for (const unit of units) this.offer(unit);
  }

  /** Chosen units, the most valuable first. */
  get order(): readonly number[] {
    return this.taken;
  }

  /** Chooses up to `budget` tokens more: what fits, but nothing that says far less than what does not fit any more. */
  choose(budget: number): void {
    const tooLarge: number[] = [];
    let least = 0;
    let left = budget;
    while (left > 0) {
      const unit = this.next();
      if (unit === -1) break;
      const cost = this.cost(unit);
      const value = this.value(unit);
      if (cost <= left && value >= least) {
        left -= cost;
        this.take(unit);
        continue;
      }
      tooLarge.push(unit);
      if (value < least) break;
      least = Math.max(least, value * LEAST_VALUE);
    }
    for (const unit of tooLarge) this.offer(unit);
  }

  /** Takes back all but the first `count` choices. */
  keep(count: number): void {
    this.replace(this.taken.slice(0, count));
  }

  /** Chooses these units, in this order, instead of those that are chosen. */
  replace(order: readonly number[]): void {
    const before = this.taken.splice(0);
    this.chosen.clear();
    this.headed.clear();
    this.said.set(this.saidBefore);
    for (const unit of order) this.take(unit);
    for (const unit of before) this.offer(unit);
  }

  /** The units that are worth most now, the best first; they stay available. */
  best(count: number): number[] {
    const found: number[] = [];
    while (found.length < count) {
      const unit = this.next();
      if (unit === -1) break;
      found.push(unit);
    }
    for (const unit of found) this.offer(unit);
    return found;
  }

  /** Chooses a unit. */
  take(unit: number): void {
    this.taken.push(unit);
    this.chosen.add(unit);
    for (const term of this.choices.weighed.terms[unit] ?? []) {
      this.said[term] = Math.min(REPEATED.length - 1, (this.said[term] ?? 0) + 1);
    }
    const { heading } = this.choices.units[unit] ?? {};
    if (heading !== undefined) {
      this.headed.set(heading, (this.headed.get(heading) ?? 0) + 1);
      this.release(heading);
    }
    this.release(unit);
  }

  /** Tokens that a unit takes. */
  cost(unit: number): number {
    return this.choices.cost(unit);
  }

  /** The available unit that is worth most now, which is taken out of the heap; -1 when there is none. */
  private next(): number {
    for (;;) {
      const unit = this.heap.pop();
      if (unit === -1) return -1;
      this.queued.delete(unit);
      if (this.chosen.has(unit) || this.mustWait(unit)) continue;
      const value = this.value(unit);
      if (value >= this.heap.topKey) return value > 0 ? unit : -1;
      this.queue(unit, value);
    }
  }

  /** Makes a unit available as soon as it may be chosen. */
  private offer(unit: number): void {
    if (!this.chosen.has(unit) && !this.queued.has(unit) && !this.mustWait(unit)) this.queue(unit, this.value(unit));
  }

  private queue(unit: number, value: number): void {
    this.queued.add(unit);
    this.heap.push(unit, value);
  }

  private mustWait(unit: number): boolean {
    const { parent, kind } = this.choices.units[unit] ?? {};
    const isHeading = kind === 'heading';
    const awaited = isHeading ? unit : parent;
    if (awaited === undefined || (isHeading ? (this.headed.get(unit) ?? 0) > 0 : this.chosen.has(awaited)))
      return false;
    const others = this.waiting.get(awaited);
    if (others === undefined) this.waiting.set(awaited, new Set([unit]));
    else others.add(unit);
    return true;
  }

  private release(awaited: number): void {
    const waiting = this.waiting.get(awaited);
    if (waiting === undefined) return;
    this.waiting.delete(awaited);
    for (const unit of waiting) this.offer(unit);
  }

  private value(unit: number): number {
    const { terms, weights, merits } = this.choices.weighed;
    let sum = WORTH_PER_TOKEN * this.cost(unit);
    for (const term of terms[unit] ?? []) sum += (weights[term] ?? 0) * (REPEATED[this.said[term] ?? 0] ?? 0);
    return ((merits[unit] ?? 0) * sum) / Math.max(FEWEST_TOKENS, this.cost(unit));
  }
}

/** A binary heap of indexes with keys, the largest key first; among equal keys the smallest index, so that results never depend on history. */
export class MaxHeap {
  private readonly indexes: number[] = [];
  private readonly keys: number[] = [];

  /** The largest key; -Infinity when empty. */
  get topKey(): number {
    return this.keys[0] ?? -Infinity;
  }

  push(index: number, key: number): void {
    let at = this.indexes.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isAbove(index, key, parent)) break;
      this.set(at, this.indexes[parent] ?? 0, this.keys[parent] ?? 0);
      at = parent;
    }
    this.set(at, index, key);
  }

  /** Takes the index with the largest key; -1 when empty. */
  pop(): number {
    const top = this.indexes[0] ?? -1;
    const index = this.indexes.pop();
    const key = this.keys.pop();
    if (index !== undefined && key !== undefined && this.indexes.length > 0) this.sink(index, key);
    return top;
  }

  private sink(index: number, key: number): void {
    const { length } = this.indexes;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= length) break;
      if (child + 1 < length && this.isAbove(this.indexes[child + 1] ?? 0, this.keys[child + 1] ?? 0, child)) child++;
      if (this.isAbove(index, key, child)) break;
      this.set(at, this.indexes[child] ?? 0, this.keys[child] ?? 0);
      at = child;
    }
    this.set(at, index, key);
  }

  private isAbove(index: number, key: number, other: number): boolean {
    const otherKey = this.keys[other] ?? -Infinity;
    return key > otherKey || (key === otherKey && index < (this.indexes[other] ?? Infinity));
  }

  private set(at: number, index: number, key: number): void {
    this.indexes[at] = index;
    this.keys[at] = key;
  }
}
