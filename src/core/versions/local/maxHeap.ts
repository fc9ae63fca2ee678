/** A binary heap of indexes with keys, the largest key first; among equal keys the smallest index, so that results never depend on history. */
export class MaxHeap {
  private readonly indexes: number[] = [];
  private readonly keys: number[] = [];

  get size(): number {
    return this.indexes.length;
  }

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
