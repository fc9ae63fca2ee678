import { wordsOf } from '../text/words';

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** How much each text says to a query, 0 for nothing: plain BM25 over the stems of words. */
export function bm25(query: string, texts: readonly string[]): number[] {
  const wanted = new Set(stemsOf(query));
  const counts = texts.map((text) => {
    const found = new Map<string, number>();
    const stems = stemsOf(text);
    for (const stem of stems) if (wanted.has(stem)) found.set(stem, (found.get(stem) ?? 0) + 1);
    return { found, length: stems.length };
  });
  const mean = counts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const rarity = new Map(
    [...wanted].map((stem) => {
      const holders = counts.filter(({ found }) => found.has(stem)).length;
      return [stem, Math.log(1 + (texts.length - holders + 0.5) / (holders + 0.5))];
    }),
  );
  return counts.map(({ found, length }) => {
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / Math.max(1, mean));
    return [...found].reduce(
      (sum, [stem, count]) => sum + ((rarity.get(stem) ?? 0) * count * (SATURATION + 1)) / (count + norm),
      0,
    );
  });
}

function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 ? [stem] : []));
}
