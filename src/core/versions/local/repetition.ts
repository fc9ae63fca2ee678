import type { Unit } from './unit';

/** Units that say what an earlier one has said, word for word. */
export function findRepeated(units: readonly Unit[]): Set<number> {
  const repeated = new Set<number>();
  const seen = new Set<string>();
  for (const [index, { kind, text }] of units.entries()) {
    if (kind === 'detail' || kind === 'step' || kind === 'heading') continue;
    const key = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    if (key !== '' && seen.has(key)) repeated.add(index);
    seen.add(key);
  }
  return repeated;
}
