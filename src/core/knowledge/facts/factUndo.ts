import type { FactsDocument, ProposedFact } from '../../model/layers';

type Permanent = FactsDocument['permanent'];
type FactList = 'rules' | 'solutions' | 'core_logic' | 'heard';
interface Was<List extends FactList> {
  readonly list: List;
  readonly at: number;
  readonly fact: Permanent[List][number];
}

/** What one change did to facts, so that it can be taken back. Plain data. */
export interface FactUndo {
  /** Facts that were changed or taken out: as they were, and where they stood. */
  readonly was: readonly (Was<'rules'> | Was<'solutions'> | Was<'core_logic'> | Was<'heard'>)[];
  /** What the change wrote down as forgotten. */
  readonly tombstones: readonly string[];
  /** Proposals that were changed or taken out, as they were. */
  readonly proposed?: readonly ProposedFact[];
  /** The ids of facts that the change has made. */
  readonly made?: readonly string[];
}

/** What takes a change back that led from one document to the other. */
export function undoOf(before: FactsDocument, after: FactsDocument): FactUndo {
  const lost = [
    ...changedIn('rules', before.permanent, after.permanent),
    ...changedIn('solutions', before.permanent, after.permanent),
    ...changedIn('core_logic', before.permanent, after.permanent),
    ...changedIn('heard', before.permanent, after.permanent),
  ];
  const proposed = before.proposed.filter((fact) => !after.proposed.includes(fact));
  const known = idsIn(before.permanent);
  const made = [...idsIn(after.permanent)].filter((id) => !known.has(id));
  return {
    was: lost,
    tombstones: after.forgotten.filter((key) => !before.forgotten.includes(key)),
    ...(proposed.length > 0 && { proposed }),
    ...(made.length > 0 && { made }),
  };
}

/** The document with these facts as they were; what was changed about others since stays. */
export function undone(document: FactsDocument, undo: FactUndo): FactsDocument {
  const { was, tombstones, proposed = [], made = [] } = undo;
  const { rules, solutions, core_logic: core, heard } = document.permanent;
  const kept = <Fact extends { readonly id: string }>(facts: readonly Fact[]): Fact[] =>
    facts.filter(({ id }) => !made.includes(id));
  const lists = { rules: kept(rules), solutions: kept(solutions), core_logic: kept(core), heard: kept(heard) };
  for (const one of was) {
    if (one.list === 'rules') putBack(lists.rules, one);
    else if (one.list === 'solutions') putBack(lists.solutions, one);
    else if (one.list === 'core_logic') putBack(lists.core_logic, one);
    else putBack(lists.heard, one);
  }
  return {
    ...document,
    permanent: { ...document.permanent, ...lists },
    proposed: [...document.proposed.filter(({ id }) => !proposed.some((one) => one.id === id)), ...proposed],
    forgotten: document.forgotten.filter((key) => !tombstones.includes(key)),
  };
}

function idsIn({ rules, solutions, core_logic: core, heard }: Permanent): Set<string> {
  return new Set([...rules, ...solutions, ...core, ...heard].map(({ id }) => id));
}

function changedIn<List extends FactList>(list: List, before: Permanent, after: Permanent): Was<List>[] {
  const now = new Map<string, string>();
  for (const fact of after[list]) now.set(fact.id, JSON.stringify(fact));
  return [...before[list].entries()].flatMap(([at, fact]) =>
    now.get(fact.id) === JSON.stringify(fact) ? [] : [{ list, at, fact }],
  );
}

function putBack<Fact extends { readonly id: string }>(facts: Fact[], { at, fact }: { at: number; fact: Fact }): void {
  const place = facts.findIndex(({ id }) => id === fact.id);
  if (place === -1) facts.splice(Math.min(at, facts.length), 0, fact);
  else facts[place] = fact;
}
