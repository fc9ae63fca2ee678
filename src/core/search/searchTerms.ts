import { ownValue } from '../text/ownValue';
import { NEGATION, wordsOf } from '../text/words';
import { stemOf } from './stem';

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
const known = new Map<string, string>();

/** A text in lower case and without marks on its letters. As long as the text in lower case: offsets stay what they are. */
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
