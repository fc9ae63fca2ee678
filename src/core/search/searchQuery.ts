import { singleSpaced } from '../text/cleanText';
import { foldedText, termsOfWord, wordTexts } from './searchTerms';

/** Something that is looked for. */
export interface QueryTerm {
  /** As somebody wrote it. */
  readonly word: string;
  readonly term: string;
  /** What begins so is like it; at most so long. */
  readonly like?: { readonly prefix: string; readonly longest: number } | undefined;
  /** What a name is put together from: together they stand for it. */
  readonly parts?: readonly string[] | undefined;
  /** Terms that stand for it where nothing has it: it may be misspelt. */
  readonly others?: readonly string[] | undefined;
}

/** What somebody is looking for. */
export interface SearchQuery {
  /** In the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** What stood in quotation marks, and pieces of code: who has them to the letter comes first. Folded. */
  readonly phrases: readonly string[];
  /** What stood after a plus: has to be there. Folded. */
  readonly required: readonly string[];
  /** The whole query, folded: who has all of it comes first. */
  readonly literal: string;
}

const QUOTED = /(?<![^\s])(\+?)(?:"([^"]+)"|“([^“”]+)”|«([^«»]+)»)|(?<![^\s])\+([\p{L}\p{N}_][^\s]*)/gu;
const MOST_CHARACTERS = 2000;
const MOST_TERMS = 64;
/** Signs that belong to a piece of code, at its ends or inside; a hyphen inside is in plain words, too, and what encloses or ends it in a sentence is not. */
const CODE = /^[_.@#$/~-]+\p{L}|[\p{L}\p{N}][+#/.:@_]+[\p{L}\p{N}]|\p{L}(?:_|\+\+|#)$/u;
const ENCLOSING = /^["'`“”‘’«»()[\]{}<>,;!?]+|(?<!["'`“”‘’«»()[\]{}<>,;:!?.])["'`“”‘’«»()[\]{}<>,;:!?.]+$/gu;
/** A word may go on after as many letters; shorter ones by a short ending alone. */
const LIKE_LENGTH = 6;
const SHORTEST_LIKE = 4;
const SHORT_ENDING = 3;
const NAME_ENDING = 6;

/** Reads a query in any language. Never throws. */
export function parseQuery(text: string): SearchQuery {
  const query = singleSpaced(text.slice(0, MOST_CHARACTERS).normalize('NFC'));
  const quoted = [...query.matchAll(QUOTED)].map(([, plus, ...texts]) => {
    const phrase = foldedText((texts.find(Boolean) ?? '').trim());
    return { phrase, isRequired: plus === '+' || texts[3] !== undefined };
  });
  const plain = singleSpaced(query.replace(QUOTED, ' $2$3$4$5 '));
  const terms = new Map<string, QueryTerm>();
  for (const raw of wordTexts(plain)) {
    for (const term of termsOf(raw)) {
      if (terms.size < MOST_TERMS && !terms.has(term.term)) terms.set(term.term, term);
    }
  }
  const phrases = quoted.map(({ phrase }) => phrase);
  const signs = plain.split(' ').flatMap((word) => {
    const bare = word.replace(ENCLOSING, '');
    return CODE.test(bare) ? [foldedText(bare)] : [];
  });
  const literal = foldedText(plain);
  // Signs alone, or words that say nothing by themselves: there is nothing but their letters to look for.
  const isWordless = terms.size === 0 && phrases.length === 0 && literal !== '';
  return {
    terms: [...terms.values()],
    phrases: isWordless ? [literal] : [...new Set([...phrases, ...signs])].filter(Boolean),
    required: isWordless ? [literal] : quoted.filter(({ isRequired }) => isRequired).map(({ phrase }) => phrase),
    literal,
  };
}

function termsOf(raw: string): QueryTerm[] {
  const { terms, form } = termsOfWord(raw);
  const [whole = '', ...parts] = terms;
  if (form === 'empty') return [];
  if (form === 'pairs') return terms.map((term) => ({ word: term, term }));
  if (form === 'name') {
    const like = whole.length >= SHORTEST_LIKE ? { prefix: whole, longest: whole.length + NAME_ENDING } : undefined;
    return [{ word: raw, term: whole, like, parts: parts.length > 1 ? parts : undefined }];
  }
  if (whole.length < SHORTEST_LIKE) return [{ word: raw, term: whole }];
  const longest = whole.length < LIKE_LENGTH ? whole.length + SHORT_ENDING : Infinity;
  return [{ word: raw, term: whole, like: { prefix: whole.slice(0, LIKE_LENGTH), longest } }];
}
