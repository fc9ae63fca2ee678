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
import { pushTo } from './ownValue';

/** What a phrase does in a sentence; the phrases of each language stand in its file. */
export type PhraseKind = { [Key in Field]: (typeof en)[Key] extends readonly string[] ? Key : never }[Field];
type Field = keyof typeof en;

/** Where a phrase stands in a text. */
export interface FoundPhrase {
  readonly start: number;
  readonly end: number;
}

interface PlacedWord extends FoundPhrase {
  readonly word: string;
}

const LANGUAGES = [en, de, fr, es, pt, it, ru, ar, zh, ja, ko];
const KINDS = Object.entries(en).flatMap(([key, phrases]) => (Array.isArray(phrases) ? [key as PhraseKind] : []));
const WORD = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{M}]+)*/gu;
const NOT_ASCII = /[^\s!-~]/;

/** In phrases `*` ends the beginning of a word, and stands alone for any word. */
const PART = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{M}]*)*\*?|\*/gu;
const STEM = 2;

interface Phrase {
  readonly kind: PhraseKind;
  readonly parts: readonly string[];
}

/** Those of spaced languages by their first word, or how it begins, the longest of a kind first; the others as they stand. */
interface Book {
  readonly byFirst: ReadonlyMap<string, readonly Phrase[]>;
  readonly unspaced: readonly (readonly [kind: PhraseKind, phrase: string])[];
}

type FoundPhrases = ReadonlyMap<PhraseKind, readonly FoundPhrase[]>;

let book: Book | undefined;
/** One text is looked at for many kinds. */
const lastRead = new Map<string, readonly PlacedWord[]>();
const lastFound = new Map<string, FoundPhrases>();

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
export function phrasesIn(kind: PhraseKind, text: string): readonly FoundPhrase[] {
  let found = lastFound.get(text);
  if (found === undefined) {
    found = allPhrasesIn(text);
    lastFound.clear();
    lastFound.set(text, found);
  }
  return found.get(kind) ?? [];
}

function allPhrasesIn(text: string): FoundPhrases {
  book ??= readBook();
  const all = new Map<PhraseKind, FoundPhrase[]>();
  const words = placedWords(text);
  for (const at of words.keys()) addSpaced(all, words, at);
  if (NOT_ASCII.test(text)) addUnspaced(all, text);
  return all;
}

/** The phrases that begin with a word, of each kind the longest. */
function addSpaced(all: Map<PhraseKind, FoundPhrase[]>, words: readonly PlacedWord[], at: number): void {
  const { word = '', start = 0 } = words[at] ?? {};
  for (const key of [word, stemKey(word)]) {
    for (const { kind, parts } of book?.byFirst.get(key) ?? []) {
      const own = all.get(kind);
      if (own?.at(-1)?.start === start) continue;
      if (!parts.every((part, offset) => isPart(part, words[at + offset]?.word))) continue;
      const phrase = { start, end: words[at + parts.length - 1]?.end ?? start };
      if (own === undefined) all.set(kind, [phrase]);
      else own.push(phrase);
    }
  }
}

function addUnspaced(all: Map<PhraseKind, FoundPhrase[]>, text: string): void {
  const changed = new Set<FoundPhrase[]>();
  for (const [kind, phrase] of book?.unspaced ?? []) {
    for (let start = text.indexOf(phrase); start !== -1; start = text.indexOf(phrase, start + phrase.length)) {
      const own = all.get(kind) ?? [];
      own.push({ start, end: start + phrase.length });
      all.set(kind, own);
      changed.add(own);
    }
  }
  for (const own of changed) own.sort((a, b) => a.start - b.start);
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

function readBook(): Book {
  const byFirst = new Map<string, Phrase[]>();
  const unspaced: [PhraseKind, string][] = [];
  for (const language of LANGUAGES) {
    for (const kind of KINDS) {
      const phrases = language[kind];
      if (!language.isSpaced) unspaced.push(...phrases.map((phrase): [PhraseKind, string] => [kind, phrase]));
      else for (const phrase of phrases) addPhrase(byFirst, kind, phrase);
    }
  }
  for (const own of byFirst.values()) own.sort((a, b) => b.parts.length - a.parts.length);
  return { byFirst, unspaced };
}

function addPhrase(byFirst: Map<string, Phrase[]>, kind: PhraseKind, phrase: string): void {
  const parts = phrase.toLowerCase().match(PART) ?? [];
  const [first = ''] = parts;
  const key = first.endsWith('*') ? stemKey(first) : first;
  pushTo(byFirst, key, { kind, parts });
}
