import { relativePathsIn } from '../../material/paths';
import type { CoreLogicFact, FactsDocument, RuleFact } from '../../model/layers';

/** What is at paths of a project: '' for what is there, the day on which git saw it go. What is absent is not there, and nobody knows since when. */
export type Whereabouts = ReadonlyMap<string, string>;

type Anchored = RuleFact | CoreLogicFact;

/**
 * Notes for each fact that holds whether the files that it names are there. Only what git or an earlier check has seen can be gone: other
 * names may be plans, or a way of speaking.
 */
export async function withAnchors(
  document: FactsDocument,
  find: (paths: readonly string[]) => Promise<Whereabouts>,
  today: string,
): Promise<FactsDocument> {
  const { rules, core_logic: core } = document.permanent;
  const paths = [...new Set([...rules, ...core].flatMap(pathsOf))];
  if (paths.length === 0) return document;
  const found = await find(paths);
  const checked = <Fact extends Anchored>(fact: Fact): Fact => ({ ...fact, anchors: anchorsOf(fact, found, today) });
  return {
    ...document,
    permanent: { ...document.permanent, rules: rules.map(checked), core_logic: core.map(checked) },
  };
}

/** What a fact names and is gone, in words; undefined while all is there, and for what a person confirmed. */
export function outdatedNote({
  anchors = {},
  isConfirmed,
}: Pick<Anchored, 'anchors' | 'isConfirmed'>): string | undefined {
  const [gone] = Object.entries(anchors).filter(([, day]) => day !== '');
  return gone === undefined || isConfirmed === true
    ? undefined
    : `may be outdated: ${gone[0]} is gone since ${gone[1]}`;
}

function pathsOf(fact: Anchored): string[] {
  if (fact.supersededBy !== undefined || fact.isRejected === true) return [];
  return relativePathsIn(isRule(fact) ? fact.content : fact.description);
}

function isRule(fact: Anchored): fact is RuleFact {
  return typeof fact['content'] === 'string';
}

function anchorsOf(fact: Anchored, found: Whereabouts, today: string): Record<string, string> | undefined {
  const known = new Map(Object.entries(fact.anchors ?? {}));
  const anchors = pathsOf(fact).flatMap((path) => {
    const day = found.get(path) ?? (known.get(path) === '' ? today : known.get(path));
    return day === undefined ? [] : [[path, day] as const];
  });
  return anchors.length === 0 ? undefined : Object.fromEntries(anchors);
}
