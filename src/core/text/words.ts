import { negations, stopWords } from './wordLists';

const MARKER = /##keepit(?:\d\.\d\d|:end)##/gi;
/** Claude Code's own words for what was pasted. */
const PASTED = /\[(?:Image|Pasted text) #\d+(?: \+\d+ lines)?\]/g;

/** What terminals have people type before a new line; no path ends so. */
const NEW_LINE = /(?<!\\\S{0,200})\\(?=\r?\n|$)/g;
/** Stands for every word that denies or rules out: `not`, `never`, `instead`, and their like in other languages. */
export const NEGATION = '¬';

/** Words, with their marks and inner apostrophes; an underscore is part of a name. V8 gives up on millions of letters in a row. */
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]{0,9999}(?:['’][\p{L}\p{M}]+)*/gu;

/** The same for a text that is ASCII alone, as most are: the patterns for all scripts take longer to be made ready than such a text to be read. */
const PLAIN = /^[\s!-~]*$/;
const PLAIN_WORD = /[A-Za-z0-9_]+(?:'[A-Za-z]+)*/g;
const PLAIN_NAME = /[\d_]|[a-z][A-Z]|[A-Z]{2}/;

const NAME = /[\d_]|\p{Ll}\p{Lu}|\p{Lu}{2}/u;

/** Written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const UNSPACED_RUN =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々\p{M}]+)/u;

/** Inflection comes at the end: what remains stands for all forms of a word. Other alphabets inflect more than the Latin one does. */
const LATIN_STEM = 6;
const OTHER_STEM = 5;
const LATIN = /^[\p{Script=Latin}\p{N}_'’]/u;

const NEGATIONS = new Set(negations());
const UNSPACED_NEGATIONS = [...NEGATIONS].filter((word) => UNSPACED.test(word));

const STOP_WORDS = new Set(stopWords());

/** One word of a text as it is compared: its stem, and how much it tells. */
export interface Word {
  readonly stem: string;
  /** 0 for words without content of their own, 2 for names and figures, 1 for all others. */
  readonly weight: 0 | 1 | 2;
}

/** The stems of a list of words. */
export function stemsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(wordsOf(words.join(' ')).map(({ stem }) => stem));
}

/**
 * The words of a text in any language, as stems that are equal for most forms of a word. Punctuation and Markdown are no words.
 * What is written without spaces comes as pairs of characters. Linear.
 */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  const isPlain = PLAIN.test(text);
  for (const [raw] of text.matchAll(isPlain ? PLAIN_WORD : WORD)) {
    if (!isPlain && UNSPACED.test(raw)) addUnspaced(raw, words);
    else addSpaced(raw, words, isPlain);
  }
  return words;
}

function addSpaced(raw: string, words: Word[], isPlain = false): void {
  const bare = raw.replace(/^_+|(?<!_)_+$/g, '');
  if (bare === '') return;
  const lower = bare.toLowerCase();
  if (NEGATIONS.has(lower) || /n['’]t$/.test(lower)) {
    words.push({ stem: NEGATION, weight: 1 });
    return;
  }
  const weight = weightOf(bare, lower, isPlain);
  words.push({ stem: weight === 2 ? lower : stemOf(lower, isPlain), weight });
}

function stemOf(lower: string, isPlain: boolean): string {
  if (!isPlain && !LATIN.test(lower)) return lower.slice(0, OTHER_STEM);
  const plain = lower.replace(/['’].*/s, '');
  return (plain.length > 3 ? plain.replace(/s$/, '') : plain).slice(0, LATIN_STEM);
}

function weightOf(bare: string, lower: string, isPlain: boolean): Word['weight'] {
  if (STOP_WORDS.has(lower.replace(/['’].*/s, ''))) return 0;
  return (isPlain ? PLAIN_NAME : NAME).test(bare) ? 2 : 1;
}

function addUnspaced(raw: string, words: Word[]): void {
  for (const piece of raw.split(UNSPACED_RUN)) {
    if (!UNSPACED.test(piece)) {
      if (piece !== '') addSpaced(piece, words);
      continue;
    }
    const characters = Array.from(piece);
    if (UNSPACED_NEGATIONS.some((word) => piece.includes(word))) words.push({ stem: NEGATION, weight: 1 });
    if (characters.length === 1) words.push({ stem: piece, weight: 1 });
    for (let at = 1; at < characters.length; at++) {
      words.push({ stem: `${characters[at - 1] ?? ''}${characters[at] ?? ''}`, weight: 1 });
    }
  }
}

/** Words without the markers around them, which are no part of what they mark, and without what stands for pictures and new lines. */
export function bareText(text: string): string {
  const unmarked = text.includes('##') ? text.replace(MARKER, ' ') : text;
  const typed = unmarked.includes('\\') ? unmarked.replace(NEW_LINE, '') : unmarked;
  return typed.includes('[') ? typed.replace(PASTED, ' ') : typed;
}

/** Equal for all forms of a keyword. */
export function keywordKey(keyword: string): string {
  return wordsOf(keyword)
    .map(({ stem }) => stem)
    .join(' ');
}
