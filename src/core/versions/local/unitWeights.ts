import { TermTable } from '../../text/terms';
import type { Unit } from './unit';

/** Of what somebody said, what the answer takes up was the point: from this share of its worth to this. */
const LEAST_ECHO = 1;
const MOST_ECHO = 2.5;
const SHORT_SESSION = 12;

/** The terms of all units of a session, how specific each is, and what each unit is worth in the light of the answer to it. */
export class UnitWeights {
  /** Per unit. */
  readonly terms: readonly (readonly number[])[];
  /** Per term. */
  readonly weights: Float64Array;
  /** Per unit: its merit, changed by what its neighbours tell of it. */
  readonly merits: Float64Array;

  constructor(units: readonly Unit[]) {
    const table = new TermTable();
    this.terms = units.map(({ text, merit }) => (merit > 0 ? table.add(text) : []));
    this.weights = table.weights(units.length);
    this.merits = Float64Array.from(units, ({ merit }) => merit);
    if (units.length >= SHORT_SESSION) this.weighEchoes(units);
  }

  /**
   * Looks at what each said in the light of the words with which the other one answers. No language is known for that. A long answer takes up
   * more by chance than a short one: where there is nothing but words, each speaker's are measured by what is usual for them.
   */
  private weighEchoes(units: readonly Unit[]): void {
    const echoes = { user: new Map<number, number>(), assistant: new Map<number, number>() };
    let answered = new Set<number>();
    let terms = new Set<number>();
    let speaker: Unit['role'] | undefined;
    for (const [index, { kind, role }] of [...units.entries()].reverse()) {
      if (kind === 'detail' || kind === 'step' || kind === 'code') continue;
      if (role !== speaker) {
        answered = terms;
        terms = new Set();
        speaker = role;
      }
      echoes[role].set(index, this.echo(index, answered));
      for (const term of this.terms[index] ?? []) terms.add(term);
    }
    const isDialogue = units.every(({ kind }) => kind !== 'step');
    for (const own of Object.values(echoes)) {
      const usual = isDialogue ? this.usual(own) : 1;
      for (const [index, echo] of own) this.merits[index] = ((this.merits[index] ?? 0) * echo) / usual;
    }
  }

  /** The mean over all terms. */
  private usual(echoes: ReadonlyMap<number, number>): number {
    let [sum, count] = [0, 0];
    for (const [index, echo] of echoes) {
      const length = this.terms[index]?.length ?? 0;
      sum += length * echo;
      count += length;
    }
    return count === 0 ? 1 : sum / count;
  }

  private echo(unit: number, answer: ReadonlySet<number>): number {
    let all = 0;
    let taken = 0;
    for (const term of this.terms[unit] ?? []) {
      const weight = this.weights[term] ?? 0;
      all += weight;
      if (answer.has(term)) taken += weight;
    }
    return LEAST_ECHO + (all === 0 ? 0 : (MOST_ECHO - LEAST_ECHO) * (taken / all));
  }
}
