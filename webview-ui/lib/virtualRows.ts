/** Which rows are to be drawn, and how much room those before and after them take. */
export interface RowWindow {
  /** Positions in the list; `end` is not included. */
  readonly start: number;
  readonly end: number;
  readonly heightBefore: number;
  readonly heightAfter: number;
}

/** So much is drawn above and below what is in sight. */
const OVERSCAN_PX = 600;

/** The rows of a long list, of which only those in sight are drawn. Heights are estimated until a row was drawn and measured. */
export class VirtualRows {
  private keys: readonly number[] = [];
  private readonly measured = new Map<number, number>();

  constructor(private readonly estimate: (key: number) => number) {}

  /** Other rows, or in another order: what was measured of them still holds. */
  show(keys: readonly number[]): void {
    this.keys = keys;
  }

  /** Another width, or another way to draw: nothing that was measured holds any more. */
  forgetHeights(): void {
    this.measured.clear();
  }

  /** True when the row is not as high as it was thought to be. */
  measure(key: number, height: number): boolean {
    const isNew = Math.abs(this.height(key) - height) >= 1;
    this.measured.set(key, height);
    return isNew;
  }

  window(scrollTop: number, viewHeight: number): RowWindow {
    const from = scrollTop - OVERSCAN_PX;
    const to = scrollTop + viewHeight + OVERSCAN_PX;
    let start = 0;
    let heightBefore = 0;
    while (start < this.keys.length && heightBefore + this.heightAt(start) < from)
      heightBefore += this.heightAt(start++);
    let end = start;
    let bottom = heightBefore;
    while (end < this.keys.length && bottom < to) bottom += this.heightAt(end++);
    let heightAfter = 0;
    for (let at = end; at < this.keys.length; at++) heightAfter += this.heightAt(at);
    return { start, end, heightBefore, heightAfter };
  }

  /** How far down a row begins; undefined when it is not in the list. */
  topOf(key: number): number | undefined {
    const position = this.keys.indexOf(key);
    if (position < 0) return undefined;
    let top = 0;
    for (let at = 0; at < position; at++) top += this.heightAt(at);
    return top;
  }

  private heightAt(position: number): number {
    return this.height(this.keys[position] ?? -1);
  }

  private height(key: number): number {
    return this.measured.get(key) ?? this.estimate(key);
  }
}
