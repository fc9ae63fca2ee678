/** Keeps the highest of many numbers: what a further one has to reach to be among them. */
export class Best {
  /** A heap: the least of those that are kept stands first. */
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
    if (!this.isFull) this.rise(this.kept.push(value) - 1);
    else if (value < this.least) return false;
    else this.sink(value);
    return true;
  }

  private rise(from: number): void {
    const value = this.kept[from] ?? 0;
    let at = from;
    for (let above = (at - 1) >> 1; at > 0 && (this.kept[above] ?? 0) > value; above = (at - 1) >> 1) {
      this.kept[at] = this.kept[above] ?? 0;
      at = above;
    }
    this.kept[at] = value;
  }

  /** Puts a value in the place of the least. */
  private sink(value: number): void {
    let at = 0;
    for (let below = 1; below < this.kept.length; below = 2 * at + 1) {
      if ((this.kept[below + 1] ?? Infinity) < (this.kept[below] ?? 0)) below += 1;
      if ((this.kept[below] ?? 0) >= value) break;
      this.kept[at] = this.kept[below] ?? 0;
      at = below;
    }
    this.kept[at] = value;
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
