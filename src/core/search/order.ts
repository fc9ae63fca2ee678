/** Keeps the highest of many numbers: what a further one has to reach to be among them. */
export class Best {
  /** The least first. */
  private readonly kept: number[] = [];

  constructor(private readonly most: number) {}

  /** 0 as long as there is room. */
  get least(): number {
    return this.isFull ? (this.kept[0] ?? 0) : 0;
  }

  get isFull(): boolean {
    return this.kept.length >= this.most;
  }

  /** Whether it is among the highest so far. */
  add(value: number): boolean {
    if (this.most === Infinity) return true;
    if (value < this.least) return false;
    if (this.isFull) this.kept.shift();
    const place = firstFrom(this.kept.length, (at) => (this.kept[at] ?? 0) < value);
    this.kept.splice(place, 0, value);
    return true;
  }
}

/** Of things in order, the place of the first that does not stand before what is looked for; their number where all do. */
export function firstFrom(length: number, isBefore: (at: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
