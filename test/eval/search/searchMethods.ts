// What Keepit's search is held against: what one would write in an afternoon.
import { readFileSync } from 'node:fs';
import { Meaning } from '../../../src/core/search/meaning';
import { Answers } from '../../../src/core/search/answers';
import { askedTime } from '../../../src/core/search/askedDates';
import { inMemory, rank } from '../../../src/core/search/ranking';
import { asSpelt } from '../../../src/core/search/spelling';
import { DocumentFilter } from '../../../src/core/search/searchFilter';
import type { SearchDocument } from '../../../src/core/search/searchDocument';
import { parseQuery } from '../../../src/core/search/searchQuery';
import { wordsOf } from '../../../src/core/text/words';

/** Made ready for documents, ranks them for a query: the best first, each hit with all that it names. What does not match is left out. */
export type SearchMethod = (
  documents: readonly SearchDocument[],
) => (query: string, also?: readonly string[]) => Promise<SearchDocument[][]>;

/** The answers as one gets them: exchanges with the messages that each of them names, or messages one by one. */
function keepit(isSingle: boolean): SearchMethod {
  return (documents) => {
    const byId = new Map(documents.map((document) => [document.id, document]));
    const sessions = new Map<string, SearchDocument[]>();
    for (const document of documents) {
      const { sessionId = '' } = document;
      sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), document]);
    }
    const all = [...sessions].map(([sessionId, own]) => inMemory(own, sessionId, MEANING));
    const tables = all.map((searched) => searched.tables);
    return async (query, also = []) => {
      const queries = asSpelt(tables, [query, ...also].map(parseQuery));
      const isThen = askedTime(query, NOW);
      const answers = new Answers(queries, isSingle, undefined);
      const ranked = rank(all, queries, {
        isThen,
        isSingle,
        meaning: MEANING,
        most: MOST_RANKED,
        takes: () => undefined,
      });
      const found = await answers.best(ranked.found, new DocumentFilter({}));
      const hits = await Promise.all(found.slice(0, MOST_HITS).map((one) => answers.hit(one)));
      return hits.map(({ sources }) => sources.flatMap(({ messageUuid }) => byId.get(messageUuid) ?? []));
    };
  };
}

const MEANING = new Meaning(readFileSync('scripts/data/meaning.bin'));
const MOST_HITS = 20;
/** As in the product. */
const MOST_RANKED = 150;
const NOW = new Date('2026-03-01T12:00:00Z');

/** Who has the most words of the query somewhere in the text, in lower case; the latest first among equals. */
function substring(query: string, documents: readonly SearchDocument[]): SearchDocument[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];
  return byScore(documents, (document) => {
    const text = textOf(document).toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  });
}

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** The usual BM25 over whole messages: stop words left out, the rest cut to stems. */
function plainBm25(documents: readonly SearchDocument[]) {
  const stems = documents.map((document) => stemsOf(textOf(document)));
  const postings = new Map<string, Map<number, number>>();
  for (const [at, words] of stems.entries()) {
    for (const word of words) {
      const found = postings.get(word) ?? new Map<number, number>();
      postings.set(word, found.set(at, (found.get(at) ?? 0) + 1));
    }
  }
  const mean = stems.reduce((sum, { length }) => sum + length, 0) / Math.max(1, stems.length);
  return async (query: string, also: readonly string[] = []): Promise<SearchDocument[][]> => {
    const scores = new Map<SearchDocument, number>();
    for (const word of new Set(stemsOf([query, ...also].join(' ')))) {
      const found = postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - found.size + 0.5) / (found.size + 0.5));
      for (const [at, count] of found) {
        const document = documents[at];
        const length = (stems[at]?.length ?? 0) / mean;
        const norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length);
        const score = (rarity * count * (SATURATION + 1)) / (count + norm);
        if (document !== undefined) scores.set(document, (scores.get(document) ?? 0) + score);
      }
    }
    return byScore(documents, (document) => scores.get(document) ?? 0).map((document) => [document]);
  };
}

function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 ? [stem] : []));
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

export const KEEPIT = 'keepit search';
export const PLAIN = 'plain BM25';
export const searchMethods: Readonly<Record<string, SearchMethod>> = {
  [KEEPIT]: keepit(false),
  'keepit, messages': keepit(true),
  [PLAIN]: plainBm25,
  'substring, most words':
    (documents) =>
    async (query, also = []) =>
      substring([query, ...also].join(' '), documents).map((document) => [document]),
};
