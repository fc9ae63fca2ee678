import { distance } from '../core/search/spelling';

/** The word that was probably meant; undefined when none is near. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.min(4, Math.max(2, Math.floor(word.length / 3) + 1));
  for (const candidate of known) {
    const isBegun = lower.length >= 3 && candidate.startsWith(lower);
    const edits = isBegun ? 1 : distance(lower.slice(0, 64), candidate.toLowerCase(), bestDistance);
    if (edits < bestDistance) {
      best = candidate;
      bestDistance = edits;
    }
  }
  return best;
}
