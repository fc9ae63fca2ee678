import type { CoreLogicFact, FactsDocument, ProposedFact, RuleFact, SolutionFact } from '../../model/layers';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { LayersError } from '../layersError';
import { changedProposal, type FactChange } from './proposals';
import { tombstone } from './tombstone';

type AnyFact = RuleFact | SolutionFact | CoreLogicFact;

type Permanent = FactsDocument['permanent'];

/** The document after one change. Throws `LayersError` for a fact that is not there. */
export function changedFacts(document: FactsDocument, id: string, change: FactChange, nowIso: string): FactsDocument {
  const ofProposal = changedProposal(document, id, change, nowIso);
  if (ofProposal !== undefined) return ofProposal;
  if (change.to === 'confirmed') return confirmed(document, id, nowIso);
  if (change.to === 'edited') return edited(document, id, change.content, nowIso);
  return change.to === 'rejected' ? rejected(document, id) : forgotten(document, id);
}

/** Says that a fact holds: what spoke against it counts no more. */
export function confirmed(document: FactsDocument, id: string, nowIso: string): FactsDocument {
  return withFact(document, id, (fact) => ({
    ...fact,
    confidence: 1,
    contradictions: 0,
    last_validated: nowIso.slice(0, 10),
    isConfirmed: true,
    isRejected: undefined,
    supersededBy: undefined,
  }));
}

/** Puts a fact in other words. It stays the same fact: the words that it came from do not bring back the old ones. */
export function edited(document: FactsDocument, id: string, content: string, nowIso: string): FactsDocument {
  const words = withoutSecrets(content).trim();
  if (words === '') throw new LayersError('empty-fact', id);
  const change = {
    isEdited: true,
    isConfirmed: true,
    confidence: 1,
    contradictions: 0,
    last_validated: nowIso.slice(0, 10),
  };
  return withFact(document, id, (fact) => {
    if ('solution' in fact) return { ...fact, ...change, solution: words };
    return 'description' in fact ? { ...fact, ...change, description: words } : { ...fact, ...change, content: words };
  });
}

/** Says that a fact is wrong: it stays to be seen, counts no more, and is not found again. What it had replaced holds again. */
export function rejected(document: FactsDocument, id: string): FactsDocument {
  const { document: released } = withoutReign(document, id);
  return withFact(released, id, (fact) => ({ ...fact, isRejected: true, isConfirmed: undefined }));
}

/** Takes a fact out altogether. It does not come back, and cannot be read in the file any more. */
export function forgotten(document: FactsDocument, id: string): FactsDocument {
  const { document: released, fact } = withoutReign(document, id);
  const key = fact.key;
  const without = <T extends AnyFact>(facts: readonly T[]): T[] =>
    facts
      .filter((one) => one.id !== id)
      .map((one) => (one.supersedes === id ? { ...one, supersedes: undefined } : one));
  const { rules, solutions, core_logic: core } = released.permanent;
  const permanent = {
    rules: without(rules),
    solutions: without(solutions),
    core_logic: without(core),
  };
  return {
    ...released,
    permanent: { ...released.permanent, ...permanent },
    forgotten: key === undefined ? released.forgotten : [...new Set([...released.forgotten, tombstone(key)])],
  };
}

/** The document with what this fact had replaced valid again. */
function withoutReign(document: FactsDocument, id: string): { document: FactsDocument; fact: AnyFact } {
  const fact = factOf(document, id);
  const free = <T extends AnyFact>(one: T): T => (one.supersededBy === id ? { ...one, supersededBy: undefined } : one);
  return { document: { ...document, permanent: mapFacts(document.permanent, free) }, fact };
}

function factOf({ permanent }: FactsDocument, id: string): AnyFact {
  const all = [...permanent.rules, ...permanent.solutions, ...permanent.core_logic];
  const fact = all.find((one) => one.id === id);
  if (fact === undefined) throw new LayersError('unknown-fact', id);
  return fact;
}

function withFact(document: FactsDocument, id: string, change: <T extends AnyFact>(fact: T) => T): FactsDocument {
  factOf(document, id);
  const permanent = mapFacts(document.permanent, (fact) => (fact.id === id ? change(fact) : fact));
  return { ...document, permanent };
}

function mapFacts(permanent: Permanent, change: <T extends AnyFact>(fact: T) => T): Permanent {
  const { rules, solutions, core_logic: core } = permanent;
  return {
    ...permanent,
    rules: rules.map(change),
    solutions: solutions.map(change),
    core_logic: core.map(change),
  };
}

/** Without what other rules than those of now have found in sessions, and no person has had a word on: it is found again, or was none. */
export function withoutFound(document: FactsDocument): FactsDocument {
  const isKept = ({ evidence, isConfirmed, isEdited, isRejected }: AnyFact): boolean =>
    evidence === undefined || isConfirmed === true || isEdited === true || isRejected === true;
  const { rules, solutions, core_logic: core } = document.permanent;
  const kept = { rules: rules.filter(isKept), solutions: solutions.filter(isKept), core_logic: core.filter(isKept) };
  return { ...document, permanent: { ...document.permanent, ...kept } };
}

type FactList = 'rules' | 'solutions' | 'core_logic';

interface Was<List extends FactList> {
  readonly list: List;
  readonly at: number;
  readonly fact: Permanent[List][number];
}

/** What one change did to facts, so that it can be taken back. Plain data. */
export interface FactUndo {
  /** Facts that were changed or taken out: as they were, and where they stood. */
  readonly was: readonly (Was<'rules'> | Was<'solutions'> | Was<'core_logic'>)[];
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
  const { rules, solutions, core_logic: core } = document.permanent;
  const kept = <Fact extends { readonly id: string }>(facts: readonly Fact[]): Fact[] =>
    facts.filter(({ id }) => !made.includes(id));
  const lists = { rules: kept(rules), solutions: kept(solutions), core_logic: kept(core) };
  for (const one of was) {
    if (one.list === 'rules') putBack(lists.rules, one);
    else if (one.list === 'solutions') putBack(lists.solutions, one);
    else putBack(lists.core_logic, one);
  }
  return {
    ...document,
    permanent: { ...document.permanent, ...lists },
    proposed: [...document.proposed.filter(({ id }) => !proposed.some((one) => one.id === id)), ...proposed],
    forgotten: document.forgotten.filter((key) => !tombstones.includes(key)),
  };
}

function idsIn({ rules, solutions, core_logic: core }: Permanent): Set<string> {
  return new Set([...rules, ...solutions, ...core].map(({ id }) => id));
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
