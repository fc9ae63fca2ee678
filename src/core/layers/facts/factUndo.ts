import type { FactsDocument } from '../../model/layers';

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
}

/** What takes a change back that led from one document to the other. */
export function undoOf(before: FactsDocument, after: FactsDocument): FactUndo {
  const lost = [
    ...changedIn('rules', before.permanent, after.permanent),
    ...changedIn('solutions', before.permanent, after.permanent),
    ...changedIn('core_logic', before.permanent, after.permanent),
    ...changedIn('heard', before.permanent, after.permanent),
  ];
  return { was: lost, tombstones: after.forgotten.filter((key) => !before.forgotten.includes(key)) };
}

/** The document with these facts as they were; what was changed about others since stays. */
export function undone(document: FactsDocument, { was, tombstones }: FactUndo): FactsDocument {
  const { rules, solutions, core_logic: core, heard } = document.permanent;
  const lists = { rules: [...rules], solutions: [...solutions], core_logic: [...core], heard: [...heard] };
  for (const one of was) {
    if (one.list === 'rules') putBack(lists.rules, one);
    else if (one.list === 'solutions') putBack(lists.solutions, one);
    else if (one.list === 'core_logic') putBack(lists.core_logic, one);
    else putBack(lists.heard, one);
  }
  return {
    ...document,
    permanent: { ...document.permanent, ...lists },
    forgotten: document.forgotten.filter((key) => !tombstones.includes(key)),
  };
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
