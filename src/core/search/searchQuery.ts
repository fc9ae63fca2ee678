import { NEGATION, wordsOf, type Word } from '../compression/facts/words';

/** A word that is looked for. */
export interface QueryTerm {
  /** What words of a text have to begin with; in scripts without spaces, a pair of characters that has to be there. */
  readonly stem: string;
  readonly form: 'word' | 'cut' | 'name' | 'pair';
}

/** What somebody is looking for. */
export interface SearchQuery {
  readonly terms: readonly QueryTerm[];
  /** What stood in quotation marks, in lower case: has to be there letter by letter. */
  readonly phrases: readonly string[];
  /** The whole query in lower case: who has all of it comes first. */
  readonly literal: string;
}

const QUOTED = /"([^"]+)"|“([^”]+)”|«([^»]+)»/gu;
const MOST_CHARACTERS = 2000;
const MOST_TERMS = 64;
const PAIR =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** `testing` is to find `tests` as well. */
const ENDING = /(?<=[a-z]{4})(?:ing|ed)\b/gi;
/** As long are stems at most: a word may go on after one. */
const LATIN_CUT = 6;
const OTHER_CUT = 5;
const LATIN = /^[\p{Script=Latin}\p{N}]/u;

/** Reads a query in any language. Never throws; one that holds no words is looked for letter by letter. */
export function parseQuery(text: string): SearchQuery {
  const query = text.slice(0, MOST_CHARACTERS).replace(/\s+/g, ' ').trim();
  const phrases = [...query.matchAll(QUOTED)]
    .map(([, ...quoted]) => (quoted.find(Boolean) ?? '').trim().toLowerCase())
    .filter((phrase) => phrase !== '');
  const literal = query.replace(QUOTED, ' $1$2$3 ').replace(/\s+/g, ' ').trim().toLowerCase();
  const words = wordsOf(query.replace(ENDING, '')).filter(({ stem }) => stem !== NEGATION);
  const telling = words.filter(({ weight }) => weight > 0);
  const terms = new Map<string, QueryTerm>();
  for (const word of telling.length > 0 ? telling : words) {
    const term = termOf(word);
    if (terms.size < MOST_TERMS) terms.set(term.stem, terms.get(term.stem) ?? term);
  }
  const isWordless = terms.size === 0 && phrases.length === 0 && literal !== '';
  return { terms: [...terms.values()], phrases: isWordless ? [literal] : phrases, literal };
}

function termOf({ stem, weight }: Word): QueryTerm {
  if (PAIR.test(stem)) return { stem, form: 'pair' };
  if (weight === 2) return { stem, form: 'name' };
  return { stem, form: stem.length >= (LATIN.test(stem) ? LATIN_CUT : OTHER_CUT) ? 'cut' : 'word' };
}
