import { parseKeepits } from '../keepits/markerParser';
import type { Fidelity } from '../model/compression';
import { FactFinder } from '../material/factFinder';
import type { FactKind, SessionFact } from '../material/types';

/** A keepit as far as its survival is measured. */
export interface MarkedWords {
  readonly weight: number;
  readonly content: string;
}

/** Everything that a version is measured against: of the original, or of the part that it covers. */
export interface FidelityReference {
  readonly facts: readonly SessionFact[];
  readonly keepits: readonly MarkedWords[];
}

/** Words of a keepit that are there, but not as they were marked. */
const REWORDED = 0.5;
/** A hint counts little, but not nothing. */
const LEAST_WEIGHT = 0.01;

type Kind = 'keepits' | 'instructions' | 'decisions' | 'paths' | 'errors' | 'commands' | 'identifiers';

/** What people marked themselves comes first, then what they said, then what was found out. */
const kindWeights: Readonly<Record<Kind, number>> = {
  keepits: 0.3,
  instructions: 0.25,
  decisions: 0.15,
  paths: 0.1,
  errors: 0.08,
  commands: 0.06,
  identifiers: 0.06,
};

const kindOf: Readonly<Record<FactKind, Kind>> = {
  instruction: 'instructions',
  decision: 'decisions',
  path: 'paths',
  command: 'commands',
  error: 'errors',
  identifier: 'identifiers',
};

/**
 * How much of what mattered a text still holds. Of each kind: the share of its facts that {@link FactFinder} finds, by their weights;
 * 1 where there are none. Of keepits: byte-exact counts 1, their words in another form one half. The score is the mean of the kinds
 * that there are, keepits first: 1 for the original, 0 for an empty text, and never lower for a text with more paragraphs.
 */
export function measureFidelity({ facts, keepits }: FidelityReference, text: string): Fidelity {
  const finder = new FactFinder(facts, text);
  const sums = new Map<Kind, { held: number; all: number }>();
  const count = (kind: Kind, weight: number, share: number): void => {
    const sum = sums.get(kind) ?? { held: 0, all: 0 };
    sums.set(kind, { held: sum.held + weight * share, all: sum.all + weight });
  };
  for (const fact of facts) count(kindOf[fact.kind], fact.weight, finder.share(fact));
  const holds = contentFinder(text);
  for (const { weight, content } of keepits) {
    count('keepits', Math.max(LEAST_WEIGHT, weight), holds(content) ? 1 : rewordedShare(content, finder));
  }
  const shareOf = (kind: Kind): number => {
    const sum = sums.get(kind);
    return sum === undefined ? 1 : Math.min(1, sum.held / sum.all);
  };
  return {
    score: scoreOf(shareOf, (kind) => sums.has(kind)),
    keepits: shareOf('keepits'),
    instructions: shareOf('instructions'),
    decisions: shareOf('decisions'),
    paths: shareOf('paths'),
    commands: shareOf('commands'),
    errors: shareOf('errors'),
    identifiers: shareOf('identifiers'),
  };
}

function scoreOf(shareOf: (kind: Kind) => number, isThere: (kind: Kind) => boolean): number {
  let held = 0;
  let all = 0;
  for (const kind of kinds) {
    if (!isThere(kind)) continue;
    held += kindWeights[kind] * shareOf(kind);
    all += kindWeights[kind];
  }
  return all === 0 ? 1 : Math.min(1, held / all);
}

const kinds: readonly Kind[] = ['keepits', 'instructions', 'decisions', 'paths', 'errors', 'commands', 'identifiers'];

/**
 * Whether a text holds a content. Not all of it is searched for each of a hundred thousand: what it has as keepits of its own is known, and
 * so is what it cannot have, because one of the words amid the content is nowhere in it.
 */
function contentFinder(text: string): (content: string) => boolean {
  const marked = new Set(parseKeepits(text).spans.map(({ content }) => content));
  const words = new Set(text.split(/\s+/));
  const hasWordsAmid = (content: string): boolean => {
    return content.split(/\s+/).every((word, at, { length }) => at === 0 || at === length - 1 || words.has(word));
  };
  return (content) => content !== '' && (marked.has(content) || (hasWordsAmid(content) && text.includes(content)));
}

function rewordedShare(content: string, finder: FactFinder): number {
  return finder.holdsWords('instruction', content) ? REWORDED : 0;
}
