// What Keepit's search is held against: what one would write in an afternoon.
import { Ranking } from '../../../src/core/search/searchService';
import type { SearchDocument } from '../../../src/core/search/searchDocument';
import { DocumentFilter } from '../../../src/core/search/searchFilter';
import { parseQuery } from '../../../src/core/search/searchQuery';

/** Ranks documents for a query, the best first; those that do not match are left out. */
export type SearchMethod = (query: string, documents: readonly SearchDocument[]) => SearchDocument[];

function keepit(query: string, documents: readonly SearchDocument[]): SearchDocument[] {
  const ranking = new Ranking(parseQuery(query), new DocumentFilter({}));
  for (const document of documents) ranking.add(document);
  return ranking.ranked().map(({ document }) => document);
}

/** Who has the most words of the query somewhere in the text, in lower case; the latest first among equals. */
function substring(query: string, documents: readonly SearchDocument[]): SearchDocument[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];
  return byScore(documents, (document) => {
    const text = textOf(document).toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  });
}

const vectors = new WeakMap<readonly SearchDocument[], { counts: Map<string, number>[]; found: Map<string, number> }>();

/** The cosine of TF-IDF vectors of lower-case words. */
function tfIdf(query: string, documents: readonly SearchDocument[]): SearchDocument[] {
  const known = vectors.get(documents) ?? countWords(documents);
  vectors.set(documents, known);
  const rarity = (word: string): number => Math.log((1 + documents.length) / (1 + (known.found.get(word) ?? 0)));
  const asked = countOf(query);
  const scores = new Map<SearchDocument, number>();
  for (const [at, document] of documents.entries()) {
    const counts = known.counts[at] ?? new Map<string, number>();
    const dot = [...asked].reduce((sum, [word, n]) => sum + n * (counts.get(word) ?? 0) * rarity(word) ** 2, 0);
    const norm = Math.sqrt([...counts].reduce((sum, [word, n]) => sum + (n * rarity(word)) ** 2, 0));
    scores.set(document, norm === 0 ? 0 : dot / norm);
  }
  return byScore(documents, (document) => scores.get(document) ?? 0);
}

function countWords(documents: readonly SearchDocument[]) {
  const counts = documents.map((document) => countOf(textOf(document)));
  const found = new Map<string, number>();
  for (const words of counts) for (const word of words.keys()) found.set(word, (found.get(word) ?? 0) + 1);
  return { counts, found };
}

function countOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}_]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function textOf({ text, aside = '' }: SearchDocument): string {
  return `${text}\n${aside}`;
}

function byScore(
  documents: readonly SearchDocument[],
  scoreOf: (document: SearchDocument) => number,
): SearchDocument[] {
  return documents
    .map((document) => ({ document, score: scoreOf(document) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || ((a.document.timestamp ?? '') < (b.document.timestamp ?? '') ? 1 : -1))
    .map(({ document }) => document);
}

export const searchMethods: Readonly<Record<string, SearchMethod>> = {
  'keepit search': keepit,
  'substring, most words': substring,
  'TF-IDF, cosine': tfIdf,
};
