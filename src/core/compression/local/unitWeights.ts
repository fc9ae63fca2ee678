import { TermTable, type TermClass } from './terms';
import type { Unit } from './unit';

const CLASS_WEIGHTS: Readonly<Record<TermClass, number>> = {
  word: 1,
  gram: 0.5,
  number: 1,
  name: 1.6,
  path: 1.8,
  quoted: 1.2,
};
/** A word that stands in so many pieces (as a logarithm) is central; one that stands once is worth the floor. */
const CENTRAL_LOG = 3;
const FLOOR = 0.25;
/** What the human speaks of is what the session is about. */
const HUMAN_TERM = 1.4;

/** The terms of all units of a session, and what each is worth. */
export class UnitWeights {
  /** Per unit. */
  readonly terms: readonly (readonly number[])[];
  /** Per term: rare ones tell more, repeated ones matter more; those that stand everywhere tell nothing. */
  readonly weights: Float64Array;

  constructor(units: readonly Unit[]) {
    const table = new TermTable();
    this.terms = units.map((unit) => (unit.merit > 0 ? table.add(unit.text) : []));
    const human = new Uint8Array(table.size);
    for (const [at, terms] of this.terms.entries()) {
      if (units[at]?.role === 'user') for (const term of terms) human[term] = 1;
    }
    const all = Math.log(2 + units.length);
    this.weights = Float64Array.from({ length: table.size }, (_, term) => {
      const frequency = table.frequency(term);
      const rarity = Math.log(1 + (1 + units.length) / (frequency + 1)) / all;
      const termClass = table.class(term);
      const centrality = Math.min(1, Math.log2(1 + frequency) / CENTRAL_LOG) * (1 - FLOOR) + FLOOR;
      return CLASS_WEIGHTS[termClass] * rarity * centrality * (human[term] === 1 ? HUMAN_TERM : 1);
    });
  }
}
