/** Numbers for each passage of a segment; the same memory for one search after the other. */
export class Scratch {
  readonly near: Float32Array;
  readonly nearest: Float32Array;
  readonly touched: Uint32Array;
  readonly beside: Uint32Array;
  readonly isSeen: Uint8Array;
  readonly isFound: Uint8Array;
  private readonly counts: Uint8ClampedArray[] = [];

  constructor(readonly length: number) {
    this.near = new Float32Array(length);
    this.nearest = new Float32Array(length);
    this.touched = new Uint32Array(length);
    this.beside = new Uint32Array(length);
    this.isSeen = new Uint8Array(length);
    this.isFound = new Uint8Array(length);
  }

  clear(): void {
    for (const numbers of [this.near, this.isSeen, this.isFound]) numbers.fill(0);
  }

  countsOf(term: number): Uint8ClampedArray {
    const counts = (this.counts[term] ??= new Uint8ClampedArray(this.length));
    return counts.fill(0);
  }
}

const scratches: Scratch[] = [];

/** For the segment at some place of a search, which is done before the next one begins. */
export function scratchFor(at: number, length: number): Scratch {
  const known = scratches[at];
  const scratch = known === undefined || known.length < length ? new Scratch(Math.ceil(length * 1.25)) : known;
  scratches[at] = scratch;
  scratch.clear();
  return scratch;
}
