/** Where something at `from` goes when the pointer is at this height, among rows with these middles. */
export function targetAt(middles: readonly number[], from: number, y: number): number {
  return middles.filter((middle, at) => at !== from && middle < y).length;
}
