import { collectCheckpoints } from '../material/collectCheckpoints';
import { CheckpointFinder } from '../material/checkpointFinder';
import { bareText } from '../text/words';
import type { CheckpointKind, Checkpoint, SourceMessage } from '../material/types';
import type { Fidelity } from '../model/compression';
import { parseKeepits } from '../keepits/markerParser';
import { pushTo, sumOf } from '../text/ownValue';
import { TermTable } from '../text/terms';
import { readPieces } from './local/pieces';
import { isRule, pieceMerit } from './local/unitMerit';

/** A keepit as far as its survival is measured. */
interface MarkedWords {
  readonly weight: number;
  readonly content: string;
}

/** Everything that a version is measured against: of the original, or of the part that it covers. */
export interface FidelityReference {
  readonly facts: readonly Checkpoint[];
  readonly keepits: readonly MarkedWords[];
  readonly items: SessionItems;
}

/** What a session says: sentences and list items by the terms that they use, names, numbers, paths and rare words above all. */
interface SessionItems {
  readonly table: TermTable;
  /** Per term: how specific it is. */
  readonly weights: Float64Array;
  readonly passages: readonly SaidPassage[];
}

interface SaidPassage {
  /** The most specific first. */
  readonly terms: readonly number[];
  /** How specific all of them are together. */
  readonly weight: number;
  readonly merit: number;
}

/** Words that are no more than words count so much beside what is specific: hardly, but in languages that show no names by capitals. */
const PLAIN_WORD = 0.1;

/** What the human laid down counts so much more: it is what a reader misses first. */
const LAID_DOWN = 2;

/** What matters of messages. */
export function referenceOf(messages: readonly SourceMessage[], keepits: readonly MarkedWords[]): FidelityReference {
  const table = new TermTable();
  const said: { terms: number[]; merit: number }[] = [];
  for (const [at, { role, texts }] of messages.entries()) {
    const isReport = messages[at + 1]?.role !== role;
    for (const { text } of texts) {
      const pieces = readPieces(bareText(text));
      for (const [position, piece] of pieces.entries()) {
        if (piece.kind !== 'sentence' && piece.kind !== 'item') continue;
        const isFirst = role === 'user' && position === 0;
        const place = { role, isFirst, isReport, siblings: pieces.length, position };
        const merit = pieceMerit(piece, place) * (role === 'user' && isRule(piece, place) ? LAID_DOWN : 1);
        said.push({ terms: table.add(piece.text), merit });
      }
    }
  }
  const weights = table.weights(said.length).map((weight, term) => weight * (table.isSpecific(term) ? 1 : PLAIN_WORD));
  const weightOf = (term: number): number => weights[term] ?? 0;
  const passages = said.flatMap(({ terms, merit }) => {
    terms.sort((a, b) => weightOf(b) - weightOf(a));
    const weight = sumOf(terms, (term) => weightOf(term));
    return weight === 0 ? [] : [{ terms, weight, merit }];
  });
  return { facts: collectCheckpoints(messages), keepits, items: { table, weights, passages } };
}

/** So many of a passage's terms, the most specific ones, tell where it may stand. */
const MOST_PLACED = 4;

/** How much of each passage stands in one paragraph of a text: more paragraphs never make that less. */
function* sharesOf(
  { table, weights, passages }: SessionItems,
  text: string,
): Generator<readonly [SaidPassage, number]> {
  const paragraphs: Set<number>[] = [];
  const places = new Map<number, number[]>();
  /** For which passage each paragraph was looked at last. */
  const looked: number[] = [];
  for (const piece of readPieces(bareText(text))) {
    const there = (paragraphs[piece.paragraph] ??= new Set());
    for (const term of table.termsIn(piece.text)) {
      if (!there.has(term)) pushTo(places, term, piece.paragraph);
      there.add(term);
    }
  }
  const sumAt = (place: number, terms: readonly number[]): number =>
    sumOf(terms, (term) => (paragraphs[place]?.has(term) === true ? (weights[term] ?? 0) : 0));
  for (const [at, passage] of passages.entries()) {
    const { terms, weight } = passage;
    let most = 0;
    for (const place of terms.slice(0, MOST_PLACED).flatMap((term) => places.get(term) ?? [])) {
      if (looked[place] === at) continue;
      looked[place] = at;
      most = Math.max(most, sumAt(place, terms));
    }
    yield [passage, most / weight];
  }
}

/** Words of a keepit that are there, but not as they were marked. */
const REWORDED = 0.5;
/** A hint counts little, but not nothing. */
const LEAST_WEIGHT = 0.01;

const kindOf = {
  instruction: 'instructions',
  decision: 'decisions',
  path: 'paths',
  command: 'commands',
  error: 'errors',
  identifier: 'identifiers',
} as const satisfies Readonly<Record<CheckpointKind, string>>;
type Kind = (typeof kindOf)[CheckpointKind] | 'keepits' | 'items' | 'artifacts';

/** What people marked themselves, what was said, and what was done. */
const scoreWeights = { keepits: 0.3, items: 0.5, artifacts: 0.3 } as const;

/**
 * How much of what mattered a text still holds. Of each kind: the share of its facts that {@link CheckpointFinder} finds, by their weights;
 * 1 where there are none. Of keepits: byte-exact counts 1, their words in another form one half. The score is the mean of keepits, of
 * what was said, by the specific terms of each sentence that stand together, and of artifacts, as far as there are any: 1 for the original,
 * 0 for an empty text, and never lower for a text with more paragraphs.
 */
export function measureFidelity({ facts, keepits, items }: FidelityReference, text: string): Fidelity {
  const finder = new CheckpointFinder(facts, text);
  const sums = new Map<Kind, { held: number; all: number }>();
  const count = (kind: Kind, weight: number, share: number): void => {
    const sum = sums.get(kind) ?? { held: 0, all: 0 };
    sums.set(kind, { held: sum.held + weight * share, all: sum.all + weight });
  };
  for (const fact of facts) {
    const share = finder.share(fact);
    count(kindOf[fact.kind], fact.weight, share);
    if (fact.isArtifact) count('artifacts', fact.weight, share);
  }
  // What is said at length with many names is more of what is asked for later than its words alone.
  for (const [{ weight, merit }, share] of sharesOf(items, text)) count('items', merit * weight ** 2, share);
  const holds = contentFinder(text);
  for (const { weight, content } of keepits) {
    count('keepits', Math.max(LEAST_WEIGHT, weight), holds(content) ? 1 : rewordedShare(content, finder));
  }
  const shareOf = (kind: Kind): number => {
    const sum = sums.get(kind);
    return sum === undefined ? 1 : Math.min(1, sum.held / sum.all);
  };
  let held = 0;
  let all = 0;
  for (const kind of ['keepits', 'items', 'artifacts'] as const) {
    if (!sums.has(kind)) continue;
    held += scoreWeights[kind] * shareOf(kind);
    all += scoreWeights[kind];
  }
  return {
    score: all === 0 ? 1 : Math.min(1, held / all),
    keepits: shareOf('keepits'),
    instructions: shareOf('instructions'),
    decisions: shareOf('decisions'),
    artifacts: shareOf('artifacts'),
    paths: shareOf('paths'),
    commands: shareOf('commands'),
    errors: shareOf('errors'),
    identifiers: shareOf('identifiers'),
  };
}

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

function rewordedShare(content: string, finder: CheckpointFinder): number {
  return finder.saysWords(content) ? REWORDED : 0;
}
