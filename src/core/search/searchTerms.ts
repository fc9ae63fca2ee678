import { ownValue } from '../text/ownValue';
import { NEGATION, wordsOf } from '../text/words';

const RAW_WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:['’][\p{L}\p{M}]+)*/gu;
const PLAIN_WORD = /[A-Za-z0-9_]+(?:'[A-Za-z]+)*/g;
const PLAIN = /^[\t-\r -~]*$/;
/** Written without spaces between words, or with what follows a word joined to it: found by pairs of characters. */
const PAIRED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}ー々]+\p{M}*/u;
const PAIRED_RUN =
  /((?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}ー々]\p{M}*)+)/u;
/** Joined to the words after them; what is left of a word has three letters at least. */
const ARABIC_ARTICLE = /^(?:[وفبكل]?ال|لل)(?=\p{Script=Arabic}{3})/u;
/** Where a name goes on: `parseFile`, `HTTPServer`, `parse_file`. */
const SEAM = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const ASCII = /^[a-z]+$/;
/** Words of other alphabets than the Latin one are cut there: they inflect at the end, too. */
const OTHER_CUT = 5;
const LATIN = /^[\p{Script=Latin}\p{N}]/u;
/** Longer words are data. */
const LONGEST = 60;
const MOST_REMEMBERED = 50_000;

/** A word by itself: what it is found by, of which the first stands for the whole of it. */
export interface WordTerms {
  readonly terms: readonly string[];
  /** `name`: an identifier; `empty`: says nothing by itself. */
  readonly form: 'word' | 'name' | 'pairs' | 'empty';
}

const remembered = new Map<string, WordTerms>();

/** What one word is found by. Equal for most forms of a word. */
export function termsOfWord(raw: string): WordTerms {
  let known = remembered.get(raw);
  if (known === undefined) {
    known = readWord(raw.normalize('NFC'));
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(raw, known);
  }
  return known;
}

function readWord(raw: string): WordTerms {
  if (raw.length > LONGEST) return { terms: [], form: 'empty' };
  if (PAIRED.test(raw)) return { terms: raw.split(PAIRED_RUN).flatMap(pairsOf), form: 'pairs' };
  const [word] = wordsOf(raw);
  const weight = word === undefined || word.stem === NEGATION ? 0 : word.weight;
  const parts = raw.split(SEAM).filter((part) => part !== '');
  const isMarked = /^_|[^_]_$/.test(raw);
  if (weight === 0 && !isMarked) return { terms: [], form: 'empty' };
  if (parts.length > 1 || isMarked) {
    const whole = isMarked ? foldedText(raw) : foldedText(parts.join(''));
    const others = parts.length > 1 ? parts.map((part) => stemOfPlain(foldedText(part))) : [];
    return { terms: [...new Set([whole, ...others])], form: 'name' };
  }
  return { terms: [stemOfPlain(foldedText(raw.replace(/['’].*/su, '')))], form: weight === 2 ? 'name' : 'word' };
}

function stemOfPlain(folded: string): string {
  if (ASCII.test(folded)) return stemOf(folded);
  const bare = folded.replace(ARABIC_ARTICLE, '');
  return LATIN.test(bare) ? bare : bare.slice(0, OTHER_CUT);
}

function pairsOf(piece: string): string[] {
  if (!PAIRED.test(piece)) return piece === '' ? [] : [...termsOfWord(piece).terms];
  const characters = Array.from(foldedText(piece));
  if (characters.length === 1) return characters;
  return characters.slice(1).map((second, at) => `${characters[at] ?? ''}${second}`);
}

/** All words of a text, as they stand there, and where; of a plain one those alone that are asked for. */
export function rawWords(text: string, plainWord = PLAIN_WORD): IterableIterator<RegExpExecArray> {
  return text.matchAll(PLAIN.test(text) ? plainWord : RAW_WORD);
}

/** The same without their places, which is faster. */
export function wordTexts(text: string): readonly string[] {
  return text.match(PLAIN.test(text) ? PLAIN_WORD : RAW_WORD) ?? [];
}

/** Letters that people write with or without their marks: é and e, ё and е, أ and ا. Others, such as й, are letters of their own. */
const MARKED =
  /[\u00c0-\u017f\u01cd-\u01f5\u0218-\u021b\u1e00-\u1ef9\u0386-\u03ce\u0401\u0451\u0622-\u0627\u0629\u0649]/g;
const NOT_ASCII = /[^\0-\u007f]/;
/** Those that do not come apart. */
const others: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ı: 'i', ة: 'ه', ى: 'ي' };

/** A text in lower case and without marks on its letters. As long as the text in lower case: offsets stay what they are. */
export function foldedText(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.replace(MARKED, foldedLetter) : lower;
}

function foldedLetter(letter: string): string {
  return ownValue(others, letter) ?? letter.normalize('NFD').charAt(0);
}

/** Stems of English words after Porter (1980): `retri` of retry, retries and retried. Words of other languages lose little by it. */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  let stem = word;
  for (const step of STEPS) stem = step(stem);
  return stem;
}

type Rule = readonly [ending: string, instead: string];

const VOWEL = /[aeiou]|(?<=[^aeiou])y/;
/** Each place where vowels end and consonants follow. */
const MEASURED = /(?:[aeiou]|(?<=[^aeiou])y)(?=[^aeiou])/g;
const SHORT = /[^aeiou](?:[aeiou]|y)[^aeiouwxy]$/;
const DOUBLED = /([^aeioulsz])\1$/;

/** How often vowels are followed by consonants: what is left of a word by cutting has to be more than nothing. */
function measure(stem: string): number {
  return stem.match(MEASURED)?.length ?? 0;
}

const plural: readonly Rule[] = [
  ['sses', 'ss'],
  ['ies', 'i'],
  ['ss', 'ss'],
  ['s', ''],
];

const nouns: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const LONG_ENDINGS = 'ement,ance,ence,able,ible,ment,ant,ent,ism,ate,iti,ous,ive,ize,ion,al,er,ic,ou'.split(',');

const STEPS: readonly ((word: string) => string)[] = [
  (word) => {
    const [ending = '', instead = ''] = plural.find(([end]) => word.endsWith(end)) ?? [];
    return word.slice(0, word.length - ending.length) + instead;
  },
  (word) => {
    if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
    const ending = ['ed', 'ing'].find((end) => word.endsWith(end) && VOWEL.test(word.slice(0, -end.length)));
    if (ending === undefined) return word;
    const verb = word.slice(0, -ending.length);
    if (/(?:at|bl|iz)$/.test(verb)) return `${verb}e`;
    if (DOUBLED.test(verb)) return verb.slice(0, -1);
    return measure(verb) === 1 && SHORT.test(verb) ? `${verb}e` : verb;
  },
  (word) => (word.endsWith('y') && VOWEL.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word),
  (word) => replaced(replaced(word)),
  (word) => {
    const ending = LONG_ENDINGS.find((end) => word.endsWith(end));
    if (ending === undefined) return word;
    const stem = word.slice(0, -ending.length);
    if (measure(stem) < 2 || (ending === 'ion' && !/[st]$/.test(stem))) return word;
    return stem;
  },
  (word) => {
    if (!word.endsWith('e')) return word;
    const stem = word.slice(0, -1);
    const long = measure(stem);
    return long > 1 || (long === 1 && !SHORT.test(stem)) ? stem : word;
  },
  (word) => (word.endsWith('ll') && measure(word) > 1 ? word.slice(0, -1) : word),
];

function replaced(word: string): string {
  const [ending, instead = ''] = nouns.find(([end]) => word.endsWith(end)) ?? [];
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return measure(stem) > 0 ? stem + instead : word;
}
