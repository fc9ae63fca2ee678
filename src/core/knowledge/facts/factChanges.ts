import type { Evidence, FactsDocument, ProposedFact } from '../../model/layers';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { LayersError } from '../layerStore';
import { allFacts, mapFacts, numberOf, type AnyFact, type FactLists, tombstone } from './factLists';
import { HABIT, PATTERN_AT } from './habits';
import { changedProposal, type FactChange } from './proposals';

/** The document after one change. Throws `LayersError` for a fact that is not there. */
export function changedFacts(document: FactsDocument, id: string, change: FactChange, nowIso: string): FactsDocument {
  const ofProposal = changedProposal(document, id, change, nowIso);
  if (ofProposal !== undefined) return ofProposal;
  const known = allFacts(document.permanent).find((one) => one.id === id);
  if (known === undefined) throw new LayersError('unknown-fact', id);
  const confirmed = { confidence: 1, contradictions: 0, last_validated: nowIso.slice(0, 10), isConfirmed: true };
  switch (change.to) {
    case 'confirmed':
      return withFact(document, id, (fact) => ({
        ...fact,
        ...confirmed,
        isRejected: undefined,
        supersededBy: undefined,
      }));
    case 'edited': {
      const words = withoutSecrets(change.content).trim();
      if (words === '') throw new LayersError('empty-fact', id);
      // It stays the same fact: the words that it came from do not bring back the old ones.
      const own = { ...confirmed, isEdited: true };
      return withFact(document, id, (fact) => {
        if ('solution' in fact) return { ...fact, ...own, solution: words };
        return 'description' in fact ? { ...fact, ...own, description: words } : { ...fact, ...own, content: words };
      });
    }
    case 'rejected':
      return withFact(withoutReign(document, id), id, (fact) => ({
        ...fact,
        isRejected: true,
        isConfirmed: undefined,
      }));
    case 'forgotten':
      return forgotten(withoutReign(document, id), known);
  }
}

/** It cannot be read in the file any more. */
function forgotten(document: FactsDocument, { id, key }: AnyFact): FactsDocument {
  const permanent = mapFacts(document.permanent, (one) => {
    if (one.id === id) return undefined;
    return one.supersedes === id ? { ...one, supersedes: undefined } : one;
  });
  const tombstones = key === undefined ? [] : [tombstone(key)];
  return { ...document, permanent, forgotten: [...new Set([...document.forgotten, ...tombstones])] };
}

/** The document with what this fact had replaced valid again. */
function withoutReign(document: FactsDocument, id: string): FactsDocument {
  const permanent = mapFacts(document.permanent, (one) =>
    one.supersededBy === id ? { ...one, supersededBy: undefined } : one,
  );
  return { ...document, permanent };
}

function withFact(
  document: FactsDocument,
  id: string,
  change: <Fact extends AnyFact>(fact: Fact) => Fact,
): FactsDocument {
  return { ...document, permanent: mapFacts(document.permanent, (fact) => (fact.id === id ? change(fact) : fact)) };
}

/** The facts without what an erased session shows: what too few others show is no pattern any more, unless somebody confirmed it. */
export function withoutSession(document: FactsDocument, sessionId: string): FactsDocument {
  const isOther = (one: Evidence): boolean => one.sessionId !== sessionId;
  const permanent = mapFacts(document.permanent, (fact) => {
    if (fact.trigger !== HABIT || fact.evidence === undefined) return fact;
    const [evidence, ...sources] = [fact.evidence, ...(fact.sources ?? [])].filter(isOther);
    const isPattern = sources.length + 1 >= PATTERN_AT || fact.isConfirmed === true;
    return isPattern ? { ...fact, evidence, sources } : undefined;
  });
  const habits = document.habits?.map((one) => ({ ...one, sessions: one.sessions.filter(isOther) }));
  return { ...document, permanent, habits };
}

/** What one change did to facts, so that it can be taken back. Plain data. */
export interface FactUndo {
  /** Facts that were changed or taken out, as they were. */
  readonly was: FactLists;
  /** What the change wrote down as forgotten. */
  readonly tombstones: readonly string[];
  /** Proposals that were changed or taken out, as they were. */
  readonly proposed: readonly ProposedFact[];
  /** The ids of facts that the change has made. */
  readonly made: readonly string[];
}

/** What takes a change back that led from one document to the other. */
export function undoOf(before: FactsDocument, after: FactsDocument): FactUndo {
  const now = new Map(allFacts(after.permanent).map((fact) => [fact.id, JSON.stringify(fact)]));
  const known = new Set(allFacts(before.permanent).map(({ id }) => id));
  const was = mapFacts(before.permanent, (fact) => (now.get(fact.id) === JSON.stringify(fact) ? undefined : fact));
  return {
    was,
    tombstones: after.forgotten.filter((key) => !before.forgotten.includes(key)),
    proposed: before.proposed.filter((fact) => !after.proposed.includes(fact)),
    made: [...now.keys()].filter((id) => !known.has(id)),
  };
}

/** The document with these facts as they were; what was changed about others since stays. */
export function undone(document: FactsDocument, { was, tombstones, proposed, made }: FactUndo): FactsDocument {
  const withOld = <Fact extends { readonly id: string }>(facts: readonly Fact[], old: readonly Fact[]): Fact[] => {
    const others = facts.filter(({ id }) => !made.includes(id) && !old.some((one) => one.id === id));
    return [...others, ...old].sort((a, b) => numberOf(a) - numberOf(b));
  };
  const { rules, solutions, core_logic: core } = document.permanent;
  return {
    ...document,
    permanent: {
      ...document.permanent,
      rules: withOld(rules, was.rules),
      solutions: withOld(solutions, was.solutions),
      core_logic: withOld(core, was.core_logic),
    },
    proposed: withOld(document.proposed, proposed),
    forgotten: document.forgotten.filter((key) => !tombstones.includes(key)),
  };
}
