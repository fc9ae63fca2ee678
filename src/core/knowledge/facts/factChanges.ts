import type { CoreLogicFact, FactsDocument, RuleFact, SolutionFact } from '../../model/layers';
import type { FactChange } from './factChange';
import { changedProposal } from './proposals';
import { writable } from '../../text/writable';
import { LayersError } from '../layersError';
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
  const words = writable(content).trim();
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
  const { rules, solutions, core_logic: core, heard } = released.permanent;
  const permanent = {
    rules: without(rules),
    solutions: without(solutions),
    core_logic: without(core),
    heard: without(heard),
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
  const all = [...permanent.rules, ...permanent.solutions, ...permanent.core_logic, ...permanent.heard];
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
  const { rules, solutions, core_logic: core, heard } = permanent;
  return {
    ...permanent,
    rules: rules.map(change),
    solutions: solutions.map(change),
    core_logic: core.map(change),
    heard: heard.map(change),
  };
}
