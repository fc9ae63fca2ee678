/** Numbers for each passage of the segment at hand; the same memory for one segment after the other. */
export class Scratch {
  readonly own: Float32Array;
  readonly covered: Float32Array;
  readonly near: Float32Array;
  readonly nearest: Float32Array;
  readonly touched: Uint32Array;
  readonly isFound: Uint8Array;
  private readonly counts: Uint8Array[] = [];

  constructor(readonly length: number) {
    this.own = new Float32Array(length);
    this.covered = new Float32Array(length);
    this.near = new Float32Array(length);
    this.nearest = new Float32Array(length);
    this.touched = new Uint32Array(length);
    this.isFound = new Uint8Array(length);
  }

  clear(): void {
    for (const numbers of [this.own, this.covered, this.near, this.isFound]) numbers.fill(0);
  }

  countsOf(term: number): Uint8Array {
    const counts = (this.counts[term] ??= new Uint8Array(this.length));
    return counts.fill(0);
  }
}

let scratch = new Scratch(1024);

export function scratchFor(length: number): Scratch {
  if (scratch.length < length) scratch = new Scratch(Math.ceil(length * 1.25));
  scratch.clear();
  return scratch;
}
