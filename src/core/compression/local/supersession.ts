import type { Steps } from '../../transcript/steps';
import type { Unit } from './unit';
import type { UnitWeights } from './unitWeights';

/** Finds units that say the same as another one, word for word: the first one has said it. */
export function* findSuperseded(units: readonly Unit[], _weighed: UnitWeights): Steps<Set<number>> {
  const superseded = new Set<number>();
  const seen = new Set<string>();
  for (const [index, { kind, text }] of units.entries()) {
    if (kind === 'detail' || kind === 'step') continue;
    const key = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    if (seen.has(key)) superseded.add(index);
    else seen.add(key);
    if (index % 500 === 499) yield;
  }
  return superseded;
}
