import type { SearchDocument, SearchKind } from './searchDocument';
import type { DocumentFilter } from './searchFilter';
import type { SearchQuery } from './searchQuery';
import { TermMatcher } from './termMatcher';

/** A document that was found. */
export interface Ranked {
  readonly document: SearchDocument;
  readonly score: number;
}

/** BM25's usual figures; texts of all lengths stand beside each other, so length counts less than usual. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.4;
const TITLE_FACTOR = 2;
const ASIDE_FACTOR = 0.5;
const LITERAL_FACTOR = 1.5;
/** What it adds that all words of a query stand beside each other in its order. */
const NEAR_SHARE = 0.1;

/** What somebody has judged, or put together, says more than one message among many. */
const kindFactors: Readonly<Record<SearchKind, number>> = {
  fact: 1.5,
  keepit: 1.4,
  note: 1.2,
  memory: 1,
  concept: 0.9, // its name repeats the words of what it is about
  exchange: 1.1,
  composition: 0.7,
  message: 1,
};

interface Candidate {
  readonly document: SearchDocument;
  readonly isLiteral: boolean;
  readonly neighbours: number;
  readonly counts: readonly number[];
  readonly length: number;
}

/** Takes documents one by one, and ranks those that match a query by BM25. The same documents in any order give the same ranking. */
export class Ranking {
  private readonly candidates: Candidate[] = [];
  private readonly matcher: TermMatcher;
  private readonly frequencies: number[];
  private documents = 0;
  private characters = 0;

  constructor(
    private readonly query: SearchQuery,
    private readonly filter: DocumentFilter,
  ) {
    this.matcher = new TermMatcher(query);
    this.frequencies = query.terms.map(() => 0);
  }

  add(document: SearchDocument): void {
    const length = document.text.length;
    this.documents += 1;
    this.characters += length;
    const { text, title = '', aside = '' } = document;
    const found = [
      { factor: 1, match: this.matcher.match(text) },
      { factor: TITLE_FACTOR, match: title === '' ? undefined : this.matcher.match(title) },
      { factor: ASIDE_FACTOR, match: aside === '' ? undefined : this.matcher.match(aside) },
    ];
    if (found.every(({ match }) => match === undefined)) return;
    const isLiteral = found.some(({ match }) => match?.isLiteral === true);
    const neighbours = Math.max(...found.map(({ match }) => match?.neighbours ?? 0));
    const counts = this.query.terms.map((_, index) =>
      found.reduce((sum, { factor, match }) => sum + factor * (match?.counts[index] ?? 0), 0),
    );
    for (const [index, count] of counts.entries()) {
      if (count > 0) this.frequencies[index] = (this.frequencies[index] ?? 0) + 1;
    }
    if (this.filter.passes(document)) this.candidates.push({ document, isLiteral, neighbours, counts, length });
  }

  /** The best first. What speaks of the same message is there once, at its best. */
  ranked(): Ranked[] {
    const rarities = this.frequencies.map((frequency) =>
      Math.log(1 + (this.documents - frequency + 0.5) / (frequency + 0.5)),
    );
    const usual = this.documents === 0 ? 1 : Math.max(1, this.characters / this.documents);
    const pairs = Math.max(1, this.query.terms.length - 1);
    const all = this.candidates.map(({ document, isLiteral, neighbours, counts, length }): Ranked => {
      const part = LENGTH_SHARE * (length / usual) + 1 - LENGTH_SHARE;
      const nearness = 1 + (NEAR_SHARE * neighbours) / pairs;
      const score = scoreOf(counts, rarities, SATURATION * part) * nearness * factorOf(document, isLiteral);
      return { document, score: Math.round(score * 1e4) / 1e4 };
    });
    return eachOnce(all.sort(byRank));
  }
}

/** BM25, times the share of the query that is there at all. Phrases alone are worth one. */
function scoreOf(counts: readonly number[], rarities: readonly number[], damping: number): number {
  if (counts.length === 0) return 1;
  let score = 0;
  let found = 0;
  let total = 0;
  for (const [index, count] of counts.entries()) {
    const rarity = rarities[index] ?? 0;
    total += rarity;
    if (count === 0) continue;
    found += rarity;
    score += (rarity * count * (SATURATION + 1)) / (count + damping);
  }
  return total === 0 ? score : score * (found / total);
}

function factorOf({ kind, weight = 0 }: SearchDocument, isLiteral: boolean): number {
  return kindFactors[kind] * (1 + weight / 2) * (isLiteral ? LITERAL_FACTOR : 1);
}

function byRank(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    compare(b.document.timestamp ?? '', a.document.timestamp ?? '') ||
    compare(documentKey(a.document), documentKey(b.document))
  );
}

/** A resumed session holds the messages of the one before, and a request is a message as well. */
function eachOnce(ranked: readonly Ranked[]): Ranked[] {
  const seen = new Set<string>();
  return ranked.filter(({ document: { kind, messageUuid } }) => {
    if (messageUuid === undefined || kind === 'fact') return true;
    const isNew = !seen.has(messageUuid);
    seen.add(messageUuid);
    return isNew;
  });
}

function documentKey({ projectId, kind, sessionId = '', id }: SearchDocument): string {
  return [projectId, kind, sessionId, id].join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
