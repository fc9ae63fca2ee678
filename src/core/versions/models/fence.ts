/**
 * The name of a tag that a text cannot close, because it does not hold it: the first number that is free. It follows from the
 * texts alone, so that the same request is asked in the same words.
 */
export function fenceFor(texts: readonly string[]): string {
  const taken = new Set<number>();
  for (const text of texts) {
    for (const [, digits] of text.matchAll(/transcript-(\d{1,9})/gi)) taken.add(Number(digits));
  }
  let free = 1;
  while (taken.has(free)) free += 1;
  return `transcript-${free}`;
}
