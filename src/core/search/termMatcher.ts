import { foldedText, type QueryTerm, type SearchQuery } from './searchQuery';

/** How often the words of a query stand in a text. */
interface TextMatch {
  /** For each term of the query: how often it is there, what is only like it counting less. */
  readonly counts: readonly number[];
  /** How many terms of the query are followed closely by the next one, at some place. */
  readonly neighbours: number;
  /** The whole query stands there, letter by letter. */
  readonly isLiteral: boolean;
}

export interface MatchPlace {
  readonly start: number;
  readonly end: number;
  /** The index of the term; -1 for a phrase. */
  readonly term: number;
}

interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly share: number;
}

/** A name may go on by so many letters, another word by fewer. */
const LONGEST_NAME_ENDING = 6;

const LONGEST_ENDING = 3;

const LIKE = 0.5;

/** Shorter stems are words as they are. */
const SHORTEST_STEM = 3;

/** More of one word tells nothing more. */
const MOST_COUNTED = 50;

const MOST_PLACES = 1000;

const LEAST_LITERAL = 4;

/** With so many characters between them, two words belong together. */
const NEAR = 12;

/** What may stand between the parts of a name. */
const SEPARATOR = /[\s_./:-]/;

const ARTICLE = /(?:^|[^\p{Script=Arabic}])(?:[وفبكل]?ال|لل)$/u;

const MOST_JOINED = 4;

/** Finds the words of one query in many texts, without taking the texts apart. */
export class TermMatcher {
  constructor(private readonly query: SearchQuery) {}

  /** Undefined where no word, or not every phrase, is there. */
  match(text: string): TextMatch | undefined {
    const { terms, phrases, literal } = this.query;
    const folded = foldedText(text);
    if (phrases.some((phrase) => !folded.includes(phrase))) return undefined;
    let neighbours = 0;
    let before: readonly Occurrence[] = [];
    const counts = terms.map((term) => {
      const found = someOf(occurrences(term, text, folded), MOST_COUNTED);
      if (areNear(before, found)) neighbours += 1;
      before = found;
      return found.reduce((sum, { share }) => sum + share, 0);
    });
    if (phrases.length === 0 && counts.every((count) => count === 0)) return undefined;
    return { counts, neighbours, isLiteral: literal.length >= LEAST_LITERAL && folded.includes(literal) };
  }

  /** Where the words and phrases of the query stand, in no order. */
  places(text: string): MatchPlace[] {
    const { terms, phrases } = this.query;
    const folded = foldedText(text);
    const places: MatchPlace[] = [];
    for (const phrase of phrases) {
      const start = folded.indexOf(phrase);
      if (start !== -1) places.push({ start, end: start + phrase.length, term: -1 });
    }
    for (const [index, term] of terms.entries()) {
      for (const { start, end } of someOf(occurrences(term, text, folded), MOST_PLACES)) {
        places.push({ start, end, term: index });
      }
    }
    return places;
  }
}

function someOf(all: Iterable<Occurrence>, most: number): Occurrence[] {
  const some: Occurrence[] = [];
  for (const one of all) {
    some.push(one);
    if (some.length === most) break;
  }
  return some;
}

/** Both in the order of the text. */
function areNear(before: readonly Occurrence[], after: readonly Occurrence[]): boolean {
  let at = 0;
  for (const { end } of before) {
    while (at < after.length && (after[at]?.start ?? 0) < end) at++;
    if ((after[at]?.start ?? Infinity) - end <= NEAR) return true;
  }
  return false;
}

/** The words that are, or are like, a term. */
function* occurrences(term: QueryTerm, text: string, folded: string): Generator<Occurrence> {
  // Where lower case is longer than what was written, capitals can no longer be told.
  const written = folded.length === text.length ? text : folded;
  const { form } = term;
  const [first = term.stem, ...rest] = term.parts ?? [];
  for (let start = folded.indexOf(first); start !== -1; start = folded.indexOf(first, start + first.length)) {
    if (form === 'pair') {
      yield { start, end: start + first.length, share: 1 };
      continue;
    }
    const isSign = form === 'sign';
    if (isSign ? !isApart(written, start, first) : !isWordStart(written, start)) continue;
    const after = isSign ? start + first.length : endOfParts(folded, start + first.length, rest);
    if (after === undefined) continue;
    const end = isSign ? after : wordEnd(written, after);
    const share = isSign ? 1 : likeness(term, folded.slice(after, end));
    if (share > 0) yield { start, end, share };
  }
}

/** Whether what stands around a piece of code does not go on with its letters. */
function isApart(text: string, start: number, sign: string): boolean {
  const isJoined = (at: number, other: number): boolean =>
    isWordUnit(text.charCodeAt(at)) && other >= 0 && other < text.length && isWordUnit(text.charCodeAt(other));
  const end = start + sign.length;
  return !isJoined(start, start - 1) && !isJoined(end - 1, end);
}

/** Where the parts of a name end that follow from here on, with at most one sign before each; undefined where they do not follow. */
function endOfParts(folded: string, from: number, parts: readonly string[]): number | undefined {
  let at = from;
  for (const part of parts) {
    if (!folded.startsWith(part, at)) at += SEPARATOR.test(folded.charAt(at)) ? 1 : 0;
    if (!folded.startsWith(part, at)) return undefined;
    at += part.length;
  }
  return at;
}

/** How much a word counts that begins with a stem and ends so. */
function likeness({ stem, form, endings }: QueryTerm, ending: string): number {
  if (form === 'cut' || endings?.has(ending) === true) return 1;
  if (endings?.has('') === false) return formLikeness(ending, endings);
  if (ending === '') return 1;
  if (form === 'name') return ending.length <= LONGEST_NAME_ENDING ? LIKE : 0;
  if (stem.length < SHORTEST_STEM) return 0;
  return ending.length === 1 ? 1 : ending.length <= LONGEST_ENDING ? LIKE : 0;
}

/** Where the root of a word is shorter than the word, what else may follow on it is another word: `filter` is no form of `file`. */
function formLikeness(ending: string, endings: ReadonlySet<string>): number {
  return endings.has('e') && ending.startsWith('e') && ending.length <= LONGEST_ENDING + 1 ? LIKE : 0;
}

/** A word begins after what is no letter and no figure, after an underscore, and with a capital inside a name. */
function isWordStart(text: string, at: number): boolean {
  return at === 0 || !isWordUnit(text.charCodeAt(at - 1)) || isSeam(text, at) || isAfterArticle(text, at);
}

/** Arabic joins its article, and what stands before it, to the word. */
function isAfterArticle(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MOST_JOINED), at);
  return ARTICLE.test(before) && /^\p{Script=Arabic}/u.test(text.charAt(at));
}

/** Where a part of a name begins with a capital. */
function isSeam(text: string, at: number): boolean {
  const isCapital = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;
  return isCapital(text.charCodeAt(at)) && !isCapital(text.charCodeAt(at - 1));
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isWordUnit(text.charCodeAt(end)) && !isSeam(text, end)) end++;
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
