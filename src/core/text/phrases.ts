import ar from './languages/ar.json';
import de from './languages/de.json';
import en from './languages/en.json';
import es from './languages/es.json';
import fr from './languages/fr.json';
import it from './languages/it.json';
import ja from './languages/ja.json';
import ko from './languages/ko.json';
import pt from './languages/pt.json';
import ru from './languages/ru.json';
import zh from './languages/zh.json';

/** What a phrase does in a sentence; the phrases of each language stand in its file. */
export type PhraseKind = Exclude<keyof typeof en, 'code' | 'isSpaced'>;

/** Where a phrase stands in a text. */
export interface FoundPhrase {
  readonly start: number;
  readonly end: number;
}

interface PlacedWord extends FoundPhrase {
  readonly word: string;
}

const LANGUAGES = [en, de, fr, es, pt, it, ru, ar, zh, ja, ko];
const WORD = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{M}]+)*/gu;
const NOT_ASCII = /[^\s!-~]/;

/** In phrases `*` ends the beginning of a word, and stands alone for any word. */
const PART = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{M}]*)*\*?|\*/gu;
const STEM = 2;

/** Phrases of one kind: those of spaced languages by their first word, or how it begins, the others as they stand. */
interface Book {
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly unspaced: readonly string[];
}

const books = new Map<PhraseKind, Book>();
/** One text is looked at for many kinds. */
const lastRead = new Map<string, readonly PlacedWord[]>();

/** The words of a spaced text with their places, in small letters. */
export function placedWords(text: string): readonly PlacedWord[] {
  const known = lastRead.get(text);
  if (known !== undefined) return known;
  const words = [...text.matchAll(WORD)].map(({ 0: found, index }) => ({
    word: found.toLowerCase().replaceAll('’', "'"),
    start: index,
    end: index + found.length,
  }));
  lastRead.clear();
  lastRead.set(text, words);
  return words;
}

/** The phrases of a kind in a text, in order, whatever language it is in; linear. */
export function phrasesIn(kind: PhraseKind, text: string): FoundPhrase[] {
  const { byFirst, unspaced } = bookOf(kind);
  const words = placedWords(text);
  const found: FoundPhrase[] = [];
  for (const [at, { word, start }] of words.entries()) {
    const beginning = [...(byFirst.get(word) ?? []), ...(byFirst.get(stemKey(word)) ?? [])];
    const phrase = beginning.find((one) => one.every((part, offset) => isPart(part, words[at + offset]?.word)));
    if (phrase !== undefined) found.push({ start, end: words[at + phrase.length - 1]?.end ?? start });
  }
  if (!NOT_ASCII.test(text)) return found;
  for (const phrase of unspaced) {
    for (let start = text.indexOf(phrase); start !== -1; start = text.indexOf(phrase, start + phrase.length))
      found.push({ start, end: start + phrase.length });
  }
  return found.sort((a, b) => a.start - b.start);
}

function isPart(part: string, word = ''): boolean {
  return part === word || (part.endsWith('*') && word !== '' && word.startsWith(part.slice(0, -1)));
}

function stemKey(word: string): string {
  return `${word.slice(0, STEM)}*`;
}

/** Whether a text is made of phrases of these kinds, and of single figures, alone. */
export function isMadeOf(text: string, kinds: readonly PhraseKind[]): boolean {
  const known = kinds.flatMap((kind) => phrasesIn(kind, text));
  return placedWords(text).every(
    ({ word, start, end }) => /^\d$/.test(word) || known.some((one) => one.start <= start && end <= one.end),
  );
}

/** Whether a phrase of a kind stands in a text. */
export function hasPhrase(kind: PhraseKind, text: string): boolean {
  return phrasesIn(kind, text).length > 0;
}

function bookOf(kind: PhraseKind): Book {
  const known = books.get(kind);
  if (known !== undefined) return known;
  const byFirst = new Map<string, string[][]>();
  for (const phrase of LANGUAGES.filter(({ isSpaced }) => isSpaced).flatMap((language) => language[kind])) {
    const parts = phrase.toLowerCase().match(PART) ?? [];
    const [first = ''] = parts;
    const key = first.endsWith('*') ? stemKey(first) : first;
    byFirst.set(
      key,
      [...(byFirst.get(key) ?? []), parts].sort((a, b) => b.length - a.length),
    );
  }
  const unspaced = LANGUAGES.filter(({ isSpaced }) => !isSpaced).flatMap((language) => language[kind]);
  const book = { byFirst, unspaced };
  books.set(kind, book);
  return book;
}
