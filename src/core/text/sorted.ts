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
