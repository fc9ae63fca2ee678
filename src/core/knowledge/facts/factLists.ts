import type { CoreLogicFact, FactsDocument, RuleFact, SolutionFact } from '../../model/layers';
import { ownValue } from '../../text/ownValue';

export type AnyFact = RuleFact | SolutionFact | CoreLogicFact;
export type FactLists = FactsDocument['permanent'];

/** What a fact is about, and what it says of that, whatever its kind. */
export function saidBy(fact: AnyFact): { readonly about: string; readonly content: string } {
  const textOf = (field: string): string => {
    const text = ownValue(fact, field);
    return typeof text === 'string' ? text : '';
  };
  const content = textOf('content') || textOf('solution') || textOf('description');
  return { about: textOf('problem') || textOf('feature'), content };
}

interface ListsOf<R, S, C> {
  readonly rules: readonly R[];
  readonly solutions: readonly S[];
  readonly core_logic: readonly C[];
}

/** Rules, solutions and core logic, one after the other. */
export function allFacts<R, S, C>({ rules, solutions, core_logic: core }: ListsOf<R, S, C>): (R | S | C)[] {
  return [...rules, ...solutions, ...core];
}

/** The lists with each fact as it becomes; those that become nothing are gone. */
export function mapFacts(lists: FactLists, change: <Fact extends AnyFact>(fact: Fact) => Fact | undefined): FactLists {
  const changed = <Fact extends AnyFact>(facts: readonly Fact[]): Fact[] => facts.flatMap((fact) => change(fact) ?? []);
  const { rules, solutions, core_logic: core } = lists;
  return { ...lists, rules: changed(rules), solutions: changed(solutions), core_logic: changed(core) };
}

/** Without what other rules than those of now have found in sessions, and no person has had a word on: it is found again, or was none. */
export function withoutFound(document: FactsDocument): FactsDocument {
  const permanent = mapFacts(document.permanent, (fact) => {
    const { evidence, isConfirmed, isEdited, isRejected } = fact;
    return evidence === undefined || isConfirmed === true || isEdited === true || isRejected === true
      ? fact
      : undefined;
  });
  return { ...document, permanent, habits: [] };
}

/** Whether it counts: nobody has rejected it, and nothing has replaced it. */
export function holds({ isRejected, supersededBy }: Pick<AnyFact, 'isRejected' | 'supersededBy'>): boolean {
  return isRejected !== true && supersededBy === undefined;
}

/** The number in an id tells in which order facts were found. */
export function numberOf({ id }: { readonly id: string }): number {
  return Number(id.replace(/\D/g, '')) || 0;
}

/** What is left of a fact that was forgotten: enough to know it again, too little to read it. */
export function tombstone(key: string): string {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193) >>> 0;
    high = Math.imul(high ^ (unit + at), 0x85ebca6b) >>> 0;
  }
  return low.toString(16).padStart(8, '0') + high.toString(16).padStart(8, '0');
}
