import type { QueryTerm, SearchQuery } from './searchQuery';
import { foldedText, rawWords, termsOfWord } from './searchTerms';

export interface MatchPlace {
  readonly start: number;
  readonly end: number;
  /** The index of the term; -1 for a phrase. */
  readonly term: number;
}

const MOST_PLACES = 5000;
/** Stemming changes so many of a stem's last letters at most. */
const CHANGED = 2;

/** Finds the words of one query in texts, as the index finds them. */
export class TermMatcher {
  private readonly known = new Map<string, readonly number[]>();
  /** Words of plain texts that can fit; undefined where words next to each other count as well. */
  private readonly candidates: RegExp | undefined;

  /** Phrases, pieces of code, the whole query. */
  private readonly literals: readonly string[];

  constructor(private readonly query: SearchQuery) {
    const { phrases, literal, terms } = query;
    this.literals = [...phrases, ...(terms.length > 1 ? [literal] : [])];
    const fitting = terms.flatMap(({ term, like, others = [] }) => [term, like?.prefix ?? term, ...others]);
    if (terms.every(({ parts }) => parts === undefined)) this.candidates = beginningAs(fitting);
  }

  /** Which terms of the query are there; undefined where none is, or not all that has to be. */
  match(text: string): { readonly terms: ReadonlySet<number> } | undefined {
    if (!this.hasRequired(text)) return undefined;
    const terms = new Set(this.places(text).map(({ term }) => term));
    return terms.size === 0 ? undefined : { terms };
  }

  /** Whether all that has to be there to the letter is there. */
  hasRequired(text: string): boolean {
    const { required } = this.query;
    if (required.length === 0) return true;
    const folded = foldedText(text);
    return required.every((phrase) => folded.includes(phrase));
  }

  /** How much of what was written to the letter is there so, from 0 to 1. */
  literalness(text: string): number {
    if (this.literals.length === 0) return 0;
    const folded = foldedText(text);
    return this.literals.filter((phrase) => folded.includes(phrase)).length / this.literals.length;
  }

  /** Whether a text may be literal at all; `isWhole` tells that it has all words. */
  canBeLiteral(isWhole: boolean): boolean {
    return this.literals.length > 0 && (isWhole || this.query.phrases.length > 0);
  }

  /** Where the words and phrases of the query stand, in no order. */
  places(text: string): MatchPlace[] {
    const { phrases } = this.query;
    const folded = phrases.length === 0 ? '' : foldedText(text);
    const places = phrases.flatMap((phrase) => placesOf(phrase, folded, { from: 0, term: -1 }));
    const words = [...rawWords(text, this.candidates)];
    for (const [at, { 0: raw, index }] of words.entries()) {
      if (places.length > MOST_PLACES) break;
      for (const term of this.termsOf(raw)) {
        const { term: pair = '' } = this.query.terms[term] ?? {};
        if (termsOfWord(raw).form === 'pairs') places.push(...placesOf(pair, foldedText(raw), { from: index, term }));
        else places.push({ start: index, end: index + raw.length, term });
      }
      for (const [term, { parts }] of this.query.terms.entries()) {
        const end = parts === undefined ? undefined : endOfParts(parts, words.slice(at, at + parts.length));
        if (end !== undefined) places.push({ start: index, end, term });
      }
    }
    return places;
  }

  /** Which terms of the query a word is, or is like. */
  private termsOf(raw: string): readonly number[] {
    let found = this.known.get(raw);
    if (found === undefined) {
      const { terms } = termsOfWord(raw);
      found = this.query.terms.flatMap((wanted, at) => (terms.some((term) => isLike(term, wanted)) ? [at] : []));
      this.known.set(raw, found);
    }
    return found;
  }
}

/** Plain words that begin as one of some terms, as their stems do, and names, of which a part may. */
function beginningAs(terms: readonly string[]): RegExp {
  const beginnings = terms.flatMap(
    (term) => /^[a-z]{1,4}/.exec(term.slice(0, Math.max(1, term.length - CHANGED)))?.[0] ?? [],
  );
  const anyCase = beginnings.map((letters) => letters.replace(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`));
  const any = [...new Set(anyCase), '[\\d_]'].join('|');
  return new RegExp(`(?<!\\w|\\w'(?=[A-Za-z]))(?:(?:${any})\\w*|\\w[a-z]*[A-Z\\d_]\\w*)(?:'[A-Za-z]+)*`, 'g');
}

function isLike(term: string, { term: wanted, like, others = [] }: QueryTerm): boolean {
  if (term === wanted || others.includes(term)) return true;
  return like !== undefined && term.startsWith(like.prefix) && term.length <= like.longest;
}

function placesOf(wanted: string, folded: string, { from, term }: { from: number; term: number }): MatchPlace[] {
  const places: MatchPlace[] = [];
  for (let at = folded.indexOf(wanted); at !== -1 && wanted !== ''; at = folded.indexOf(wanted, at + wanted.length)) {
    places.push({ start: from + at, end: from + at + wanted.length, term });
  }
  return places;
}

/** Where words end that are the parts of a name, each next to the one before. */
function endOfParts(parts: readonly string[], words: readonly RegExpExecArray[]): number | undefined {
  let end: number | undefined;
  for (const [at, part] of parts.entries()) {
    const word = words[at];
    if (word === undefined || termsOfWord(word[0]).terms[0] !== part) return undefined;
    if (end !== undefined && word.index > end + 1) return undefined;
    end = word.index + word[0].length;
  }
  return end;
}
