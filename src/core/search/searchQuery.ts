import { ownValue } from '../text/ownValue';
import { NEGATION, wordsOf, type Word } from '../text/words';
import { singleSpaced } from '../text/cleanText';

/** Something that is looked for; folded as texts are. */
export interface QueryTerm {
  /** What words of a text have to begin with; of a `pair` or a `sign`, what has to be there as it is. */
  readonly stem: string;
  /** `pair`: two characters of a script without spaces; `sign`: a piece of code, such as `i_` or `docker-compose.yml`. */
  readonly form: 'word' | 'cut' | 'name' | 'pair' | 'sign';
  /** How words may go on after the stem and be the same word. */
  readonly endings?: ReadonlySet<string>;
  /** What a name is put together from: `parse` and `file` of `parseFile`, which is `parse_file` elsewhere. */
  readonly parts?: readonly string[];
}

/** What somebody is looking for. */
export interface SearchQuery {
  /** In the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** What stood in quotation marks: has to be there letter by letter, but for case and marks. */
  readonly phrases: readonly string[];
  /** The whole query: who has all of it comes first. */
  readonly literal: string;
}

const QUOTED = /"([^"]+)"|“([^“”]+)”|«([^«»]+)»/gu;
const MOST_CHARACTERS = 2000;
const MOST_TERMS = 64;
const RAW_WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:['’][\p{L}\p{M}]+)*/gu;
const PAIR =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Written with spaces, but what stands after a word is joined to it. */
const HANGUL = /^\p{Script=Hangul}+$/u;
/** Joined to the words after them; what is left of a word has three letters at least. */
const ARABIC_ARTICLE = /^(?:[وفبكل]?ال|لل)(?=\p{Script=Arabic}{3})/u;
/** Where a name goes on: `parseFile`, `HTTPServer`, `parse_file`. */
const SEAM = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Signs that belong to a piece of code, at its ends or inside; what encloses or ends it in a sentence does not. */
const CODE = /^[_.@#$/~-]+\p{L}|[\p{L}\p{N}][+#/.:@]+[\p{L}\p{N}]|\p{L}(?:_|\+\+|#)$/u;
const ENCLOSING = /^["'`“”‘’«»()[\]{}<>,;!?]+|(?<!["'`“”‘’«»()[\]{}<>,;:!?.])["'`“”‘’«»()[\]{}<>,;:!?.]+$/gu;
/** As long are stems at most: a word may go on after one. */
const LATIN_CUT = 6;
const OTHER_CUT = 5;
const LATIN = /^[\p{Script=Latin}\p{N}]/u;

/** Reads a query in any language. Never throws; one that holds no words is looked for letter by letter. */
export function parseQuery(text: string): SearchQuery {
  const query = singleSpaced(text.slice(0, MOST_CHARACTERS).normalize('NFC'));
  const phrases = [...query.matchAll(QUOTED)]
    .map(([, ...quoted]) => foldedText((quoted.find(Boolean) ?? '').trim()))
    .filter((phrase) => phrase !== '');
  const plain = singleSpaced(query.replace(QUOTED, ' $1$2$3 '));
  const found = plain.split(' ').flatMap((word) => [...signsIn(word), ...termsIn(word)]);
  const telling = found.filter(({ weight }) => weight > 0);
  const terms = new Map<string, QueryTerm>();
  for (const { term } of telling.length > 0 ? telling : found) {
    const key = `${term.form === 'sign' ? 'sign' : ''} ${term.stem}`;
    if (terms.size < MOST_TERMS) terms.set(key, terms.get(key) ?? term);
  }
  const literal = foldedText(plain);
  const isWordless = terms.size === 0 && phrases.length === 0 && literal !== '';
  return { terms: [...terms.values()], phrases: isWordless ? [literal] : phrases, literal };
}

interface FoundTerm {
  readonly term: QueryTerm;
  readonly weight: Word['weight'];
}

/** A piece of code is looked for as a whole, besides its words. */
function signsIn(word: string): FoundTerm[] {
  const bare = word.replace(ENCLOSING, '');
  return CODE.test(bare) ? [{ term: { stem: foldedText(bare), form: 'sign' }, weight: 2 }] : [];
}

function termsIn(text: string): FoundTerm[] {
  return [...text.matchAll(RAW_WORD)].flatMap(([raw]) => {
    const words = wordsOf(raw).filter(({ stem }) => stem !== NEGATION);
    return words.flatMap((word) => termsOf(word, raw).map((term) => ({ term, weight: word.weight })));
  });
}

function termsOf({ stem, weight }: Word, raw: string): QueryTerm[] {
  const folded = foldedText(stem);
  if (PAIR.test(stem)) return [{ stem: folded, form: 'pair' }];
  if (HANGUL.test(stem)) return pairsOf(folded);
  if (weight === 2) {
    const parts = foldedParts(raw);
    return [{ stem: folded, form: 'name', ...(parts.length > 1 && { parts }) }];
  }
  const bare = folded.replace(ARABIC_ARTICLE, '');
  const inflection = /^[a-z]+$/i.test(raw) ? inflectionOf(raw.toLowerCase()) : undefined;
  const root = inflection?.root ?? bare;
  const cut = LATIN.test(root) ? LATIN_CUT : OTHER_CUT;
  if (root.length >= cut) return [{ stem: root.slice(0, cut), form: 'cut' }];
  return [{ stem: root, form: 'word', ...(inflection !== undefined && { endings: inflection.endings }) }];
}

function foldedParts(name: string): string[] {
  return name
    .split(SEAM)
    .filter((part) => part !== '')
    .map(foldedText);
}

function pairsOf(word: string): QueryTerm[] {
  const characters = Array.from(word);
  if (characters.length === 1) return [{ stem: word, form: 'pair' }];
  return characters.slice(1).map((second, at) => ({ stem: `${characters[at] ?? ''}${second}`, form: 'pair' }));
}

/** What the forms of an English word have in common, and how they end. */
interface Inflection {
  readonly root: string;
  readonly endings: ReadonlySet<string>;
}

const PLAIN = ['', 's', 'es', 'ed', 'ing', 'er', 'ers', 'e'];
const WITH_E = ['e', 'es', 'ed', 'ing', 'er', 'ers'];
const WITH_Y = ['y', 'ies', 'ied', 'ying', 'ier'];
const SHORTEST_ROOT = 3;
/** Shorter words than that are no verbs that end so: `king`, `red`. */
const SHORTEST_VERB = 4;

/**
 * The forms of a word that has letters a to z alone, in lower case: `retry` of `retries`, `cache` of `caching`, `log` of `logging`. Undefined
 * where too little would be left of it. Takes words of other languages for English ones; their forms are found by their beginnings besides.
 */
function inflectionOf(word: string): Inflection | undefined {
  const y = /^(.*[^aeiou])(?:y|ies|ied|ying)$/.exec(word)?.[1];
  if (y !== undefined) return made(y, WITH_Y);
  const verb = /^(.*)(?:ing|ed)$/.exec(word)?.[1];
  if (verb !== undefined && verb.length >= SHORTEST_VERB) return made(undoubled(verb), PLAIN);
  const plural = /^(.*(?:s|x|z|ch|sh))es$/.exec(word)?.[1] ?? /^(.*[^siu])s$/.exec(word)?.[1] ?? word;
  return plural.endsWith('e') ? made(plural.slice(0, -1), WITH_E) : made(plural, PLAIN);
}

function made(root: string, endings: readonly string[]): Inflection | undefined {
  if (root.length < SHORTEST_ROOT) return undefined;
  const last = root.charAt(root.length - 1);
  const doubled = /[aeiou][bdgklmnprt]$/.test(root) ? ['ing', 'ed', 'er'].map((ending) => last + ending) : [];
  return { root, endings: new Set([...endings, ...doubled]) };
}

function undoubled(verb: string): string {
  return /([bdgkmnprt])\1$/.test(verb) ? verb.slice(0, -1) : verb;
}

/** Letters that people write with or without their marks: é and e, ё and е, أ and ا. Others, such as й, are letters of their own. */
const MARKED =
  /[\u00c0-\u017f\u01cd-\u01f5\u0218-\u021b\u1e00-\u1ef9\u0386-\u03ce\u0401\u0451\u0622-\u0627\u0629\u0649]/g;

const NOT_ASCII = /[^\0-\u007f]/;

/** Those that do not come apart. */
const others: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ı: 'i', ة: 'ه', ى: 'ي' };

const known = new Map<string, string>();

/**
 * A text in lower case and without marks on its letters, so that who types `deploiement` finds `déploiement`. As long as the text in lower
 * case: offsets stay what they are.
 */
export function foldedText(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.replace(MARKED, foldedLetter) : lower;
}

function foldedLetter(letter: string): string {
  let folded = known.get(letter);
  if (folded === undefined) {
    folded = ownValue(others, letter) ?? letter.normalize('NFD').charAt(0);
    known.set(letter, folded);
  }
  return folded;
}
