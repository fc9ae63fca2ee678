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
      const centrality = 0.6 + Math.min(4, Math.log2(1 + frequency)) / 4;
      return CLASS_WEIGHTS[table.class(term)] * rarity * centrality * (human[term] === 1 ? HUMAN_TERM : 1);
    });
  }
}
