import { TermTable, type TermClass } from '../../text/terms';
import type { Unit } from './unit';

const CLASS_WEIGHTS: Readonly<Record<TermClass, number>> = {
  word: 1,
  craft: 2,
  gram: 0.5,
  number: 1.5,
  name: 2,
  path: 2.2,
  quoted: 1.6,
};
/** A word that stands in so many pieces (as a logarithm) is central; one that stands once is worth the floor. */
const CENTRAL_LOG = 3;
const FLOOR = 0.25;
/** What the human speaks of is what the session is about. */
const HUMAN_TERM = 1.4;
/** Of what the human said, what the answer takes up was the point: from this share of its worth to this. */
const LEAST_ECHO = 0.45;
const MOST_ECHO = 2.2;

const SHORT_SESSION = 12;

/** The terms of all units of a session, what each is worth, and what each unit is worth in the light of its neighbours. */
export class UnitWeights {
  /** Per unit. */
  readonly terms: readonly (readonly number[])[];
  /** Per term: rare ones tell more, repeated ones matter more; those that stand everywhere tell nothing. */
  readonly weights: Float64Array;
  /** Per unit: its merit, changed by what its neighbours tell of it. */
  readonly merits: Float64Array;

  private constructor(units: readonly Unit[], terms: readonly (readonly number[])[], table: TermTable) {
    this.terms = terms;
    this.weights = this.weigh(units, table);
    this.merits = Float64Array.from(units, ({ merit }) => merit);
    this.weighEchoes(units);
  }

  /** Reads all units. */
  static of(units: readonly Unit[]): UnitWeights {
    const table = new TermTable();
    const terms = units.map(({ text, merit }) => (merit > 0 ? table.add(text) : []));
    return new UnitWeights(units, terms, table);
  }

  private weigh(units: readonly Unit[], table: TermTable): Float64Array {
    const human = new Uint8Array(table.size);
    for (const [at, terms] of this.terms.entries()) {
      if (units[at]?.role === 'user') for (const term of terms) human[term] = 1;
    }
    const all = Math.log(2 + units.length);
    return Float64Array.from({ length: table.size }, (_, term) => {
      const frequency = table.frequency(term);
      const rarity = Math.log(1 + (1 + units.length) / (frequency + 1)) / all;
      const centrality = FLOOR + (1 - FLOOR) * Math.min(1, Math.log2(1 + frequency) / CENTRAL_LOG);
      return CLASS_WEIGHTS[table.class(term)] * rarity * centrality * (human[term] === 1 ? HUMAN_TERM : 1);
    });
  }

  /** Looks at what the human said in the light of the words with which the assistant answers. No language is known for that. */
  private weighEchoes(units: readonly Unit[]): void {
    const answer = new Set<number>();
    let answered = -1;
    for (let index = units.length - 1; index >= 0; index--) {
      const { role, kind, messages } = units[index] ?? {};
      const [message = -1] = messages ?? [];
      if (kind === 'detail' || kind === 'step' || kind === 'code') continue;
      if (role === 'user')
        this.merits[index] =
          (this.merits[index] ?? 0) * this.echo(index, answered === message + 1 ? answer : undefined);
      else {
        if (answered !== message) answer.clear();
        answered = message;
        for (const term of this.terms[index] ?? []) answer.add(term);
      }
    }
  }

  /** In a short session everything that the human said is the point. */
  private echo(unit: number, answer: ReadonlySet<number> | undefined): number {
    if (answer === undefined || this.terms.length < SHORT_SESSION) return 1;
    let all = 0;
    let taken = 0;
    for (const term of this.terms[unit] ?? []) {
      const weight = this.weights[term] ?? 0;
      all += weight;
      if (answer.has(term)) taken += weight;
    }
    return all === 0 ? LEAST_ECHO : LEAST_ECHO + (MOST_ECHO - LEAST_ECHO) * (taken / all);
  }
}
