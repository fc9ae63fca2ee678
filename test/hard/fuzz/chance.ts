/** Choices that follow from one source of random numbers. */
export class Chance {
  constructor(private readonly random: () => number) {}

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  is(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error('Nothing to pick from');
    return item;
  }

  some<T>(list: readonly T[], count: number): T[] {
    return Array.from({ length: count }, () => this.pick(list));
  }
}
