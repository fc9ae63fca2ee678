/** The sample that `npm test` has time for; everything, for hours; everything with one fault at each file call, or with so many. */
export const effort = process.env['KEEPIT_HARD'] ?? 'sample';
export const isFull = effort !== 'sample';

/** Chosen anew for each full run, and printed; `KEEPIT_SEED` runs the same again. */
export const seed = Number(process.env['KEEPIT_SEED'] ?? 1);

/** Numbers in [0, 1) that follow from the seed and a name, so that one test's choices don't shift another's (mulberry32). */
export function randomFor(name: string): () => number {
  let state = Array.from(name).reduce(
    (hash, char) => Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193),
    seed | 0,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** All of them, or in a sample `count` chosen at random, in their order. */
export function sampled<T>(all: readonly T[], count: number, random: () => number): readonly T[] {
  return isFull ? all : chosen(all, count, random);
}

/** So many of them, at random, in their order. */
export function chosen<T>(all: readonly T[], count: number, random: () => number): readonly T[] {
  const ranked = all.map((item, index) => ({ item, index, rank: random() }));
  const first = ranked.sort((a, b) => a.rank - b.rank).slice(0, count);
  return first.sort((a, b) => a.index - b.index).map(({ item }) => item);
}
