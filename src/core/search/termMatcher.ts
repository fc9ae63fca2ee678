import type { QueryTerm, SearchQuery } from './searchQuery';

/** How often the words of a query stand in a text. */
export interface TextMatch {
  /** For each term of the query: how often it is there, what is only like it counting less. */
  readonly counts: readonly number[];
  /** The whole query stands there, letter by letter. */
  readonly isLiteral: boolean;
}

export interface MatchPlace {
  readonly start: number;
  readonly end: number;
  /** The index of the term; -1 for a phrase. */
  readonly term: number;
}

/** A name may go on by so many letters, another word by fewer. */
const LONGEST_NAME_ENDING = 6;
const LONGEST_ENDING = 3;
const LIKE = 0.5;
/** More of one word tells nothing more. */
const MOST_COUNTED = 50;
const MOST_PLACES = 1000;
const LEAST_LITERAL = 4;

/** Finds the words of one query in many texts, without taking the texts apart. */
export class TermMatcher {
  constructor(private readonly query: SearchQuery) {}

  /** Undefined where no word, or not every phrase, is there. */
  match(text: string): TextMatch | undefined {
    const { terms, phrases, literal } = this.query;
    const lower = text.toLowerCase();
    if (phrases.some((phrase) => !lower.includes(phrase))) return undefined;
    const counts = terms.map((term) => {
      let count = 0;
      let found = 0;
      for (const { share } of occurrences(term, text, lower)) {
        count += share;
        found += 1;
        if (found === MOST_COUNTED) break;
      }
      return count;
    });
    if (phrases.length === 0 && counts.every((count) => count === 0)) return undefined;
    return { counts, isLiteral: literal.length >= LEAST_LITERAL && lower.includes(literal) };
  }

  /** Where the words and phrases of the query stand, in no order. */
  places(text: string): MatchPlace[] {
    const { terms, phrases } = this.query;
    const lower = text.toLowerCase();
    const places: MatchPlace[] = [];
    for (const phrase of phrases) {
      const start = lower.indexOf(phrase);
      if (start !== -1) places.push({ start, end: start + phrase.length, term: -1 });
    }
    for (const [index, term] of terms.entries()) {
      for (const { start, end } of occurrences(term, text, lower)) {
        places.push({ start, end, term: index });
        if (places.length >= MOST_PLACES * (index + 1)) break;
      }
    }
    return places;
  }
}

/** The words that are, or are like, a term. */
function* occurrences(
  term: QueryTerm,
  text: string,
  lower: string,
): Generator<{ start: number; end: number; share: number }> {
  // Where lower case is longer than what was written, capitals can no longer be told.
  const written = lower.length === text.length ? text : lower;
  const { stem, form } = term;
  for (let start = lower.indexOf(stem); start !== -1; start = lower.indexOf(stem, start + stem.length)) {
    if (form === 'pair') {
      yield { start, end: start + stem.length, share: 1 };
    } else if (isWordStart(written, start)) {
      const end = wordEnd(lower, start + stem.length);
      const share = likeness(term, end - start);
      if (share > 0) yield { start, end, share };
    }
  }
}

/** How much a word counts that begins with a stem and has this many letters. */
function likeness({ stem, form }: QueryTerm, length: number): number {
  const ending = length - stem.length;
  if (ending === 0 || form === 'cut') return 1;
  if (form === 'name') return ending <= LONGEST_NAME_ENDING ? LIKE : 0;
  if (stem.length < 3) return 0;
  return ending === 1 ? 1 : ending <= LONGEST_ENDING ? LIKE : 0;
}

/** A word begins after what is no letter and no figure, after an underscore, and with a capital inside a name. */
function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (!isWordUnit(before)) return true;
  const isCapital = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;
  return isCapital(text.charCodeAt(at)) && !isCapital(before);
}

function wordEnd(lower: string, from: number): number {
  let end = from;
  while (end < lower.length && isWordUnit(lower.charCodeAt(end))) end++;
  return end;
}

const OTHER_WORD = /[\p{L}\p{N}\p{M}]/u;

function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || isDigit(unit);
  // Halves of characters beyond the first plane are parts of words, if of anything.
  return (unit >= 0xd800 && unit <= 0xdfff) || OTHER_WORD.test(String.fromCharCode(unit));
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
