import { singleSpaced } from './cleanText';
import { abbreviations } from './wordLists';

/** In one language for everybody: how a text is split must not depend on whose machine it is. */
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** The segmenter's time grows with the square of what it is given at once. */
const WINDOW = 500;

const MAY_END = /[\p{STerm}…]/u;
/** Stands for what is no end of a sentence and may begin one. */
const LETTER = 'X';
const ABBREVIATIONS = new Set(abbreviations());
/** What the segmenter would take for something else than it is in Markdown and in chats, as it would be written in a book. */
const AS_IN_BOOKS: readonly (readonly [RegExp, string | ((found: string, word: string) => string)])[] = [
  // A full stop belongs to the number of a list, to an abbreviation, or to a word that it is inside of.
  [/\.(?<=(?:^|[.!?]["')\]*_]{0,3}\s)\s*\d{1,3}\.)/giu, LETTER],
  [/(?<![\p{L}\p{N}.'’])(\p{L}(?:\.?\p{L}){0,5})\.(?!\p{L})/gu, withoutAbbreviation],
  [/\.(?<=(?<!\p{L})(?:no|fig|sec)\.)(?=\s*\d)/giu, LETTER],
  // German writes days with a full stop before months with a capital.
  [
    /\.(?<=(?<![\p{L}\p{N}.,:])\d{1,2}\.)(?=\s(?:Januar|Februar|März|April|Mai|Ju[nl]i|August|(?:Sept|Nov|Dez)ember|Oktober)\b)/gu,
    LETTER,
  ],
  [/[.?!](?=\.{0,5}[^\s.?!…"'’”»)\]*_）」』])/g, LETTER],
  // A question that is quoted in the middle of a sentence, and the edge of a cell.
  [/[?!](?=["'’”»)\]*_]+\s+\p{Ll})|\|/gu, ','],
  [/[\d#]/g, LETTER],
  [/…/g, '.'],
  [/[*_]/g, '"'],
  [/[「『（【《]/g, 'あ'],
];
/** Longer than any code that somebody puts into a sentence. */
const CODE = /`[^`]{1,600}`/g;

/** A sentence longer than this is cut where a clause ends, or a word: nothing that size can be chosen as a whole. */
const LONGEST_PART = 600;
const CLAUSE_END = /[;,，、；:：)\]}]\s?|\s[–—-]\s/g;

/** In a text without code, a sentence is cut here: what goes on longer is a list or a log. */
const LONGEST_SENTENCE = 400;
const FENCE = /^\s*(`{3,}|~{3,})/;
/** Lines that open a paragraph of their own, and what of them is not words. */
const OPENER = /^\s*(?:#{1,6}\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)、]\s*|>\s?|\|)/;

/**
 * The sentences of one paragraph, trimmed, in order, with nothing lost between them but white space; those that are too long in several
 * parts. For any script: code spans are never split, nor are file names, versions, numbers and common abbreviations. Takes linear time.
 */
export function splitSentences(paragraph: string): string[] {
  return wholeSentences(paragraph).flatMap(shortParts);
}

/** The sentences of a Markdown text, each in one line: without code blocks, headings' and lists' signs. Linear. */
export function sentencesOf(text: string): string[] {
  return paragraphsOf(text).flatMap((paragraph) =>
    wholeSentences(paragraph).map((sentence) => cutAtWord(sentence, LONGEST_SENTENCE)),
  );
}

function wholeSentences(paragraph: string): string[] {
  const plain = MAY_END.test(paragraph) ? asInBooks(paragraph) : '';
  const sentences: string[] = [];
  let start = 0;
  const close = (end: number): void => {
    const sentence = paragraph.slice(start, end).trim();
    if (sentence !== '') sentences.push(sentence);
    start = end;
  };
  for (let at = 0; at < plain.length;) {
    const segments = [...segmenter.segment(plain.slice(at, at + WINDOW))];
    // The window may have cut the last one: it is looked at again, from its beginning, unless it fills the window.
    const isLast = at + WINDOW >= plain.length;
    const ends = segments.slice(1).map(({ index }) => at + index);
    for (const end of ends) close(end);
    at = isLast ? plain.length : (ends.at(-1) ?? at + WINDOW);
  }
  close(paragraph.length);
  return sentences;
}

function withoutAbbreviation(found: string, word: string): string {
  const isOne = word.length === 1 || ABBREVIATIONS.has(word.toLowerCase());
  return isOne ? `${word}${LETTER}` : found;
}

/** A text of the same length, whose sentences end where those of the paragraph do. */
function asInBooks(paragraph: string): string {
  const words = paragraph.replace(CODE, (code) => LETTER.repeat(code.length));
  const plain = AS_IN_BOOKS.reduce((text, [sign, other]) => text.replace(sign, other as string), words);
  return isWithoutCapitals(words) ? plain.replace(/\.(?=\s+\p{Ll})/gu, '!') : plain;
}

/** Many people type so in chats: their full stops end sentences too. */
function isWithoutCapitals(paragraph: string): boolean {
  return /^\P{L}*(?:\p{Ll}|I\b)/u.test(paragraph) && !/\.\s+(?!I\b)\p{Lu}/u.test(paragraph);
}

function shortParts(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > LONGEST_PART) {
    const cut = clauseEnd(rest);
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}

function clauseEnd(text: string): number {
  let best = -1;
  for (const match of text.slice(0, LONGEST_PART).matchAll(CLAUSE_END)) best = match.index + match[0].length;
  if (best > LONGEST_PART / 3) return best;
  const space = text.lastIndexOf(' ', LONGEST_PART);
  if (space > LONGEST_PART / 3) return space + 1;
  return wholeCharacterEnd(text, LONGEST_PART);
}

/** Paragraphs with their lines joined: a list's entries and headings are paragraphs of their own. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  const close = (): void => {
    if (lines.length > 0) paragraphs.push(lines.join(' '));
    lines = [];
  };
  for (const line of linesOutsideCode(text)) {
    const isOpener = OPENER.test(line);
    if (isOpener || line.trim() === '') close();
    const words = singleSpaced(line.replace(OPENER, ''));
    if (words !== '') lines.push(words);
  }
  close();
  return paragraphs;
}

/** The lines of a Markdown text, with an empty one for each edge of a code block in place of the block. Linear. */
export function linesOutsideCode(text: string): string[] {
  let fence: string | undefined;
  return text.split(/\r?\n/).flatMap((line) => {
    const run = FENCE.exec(line)?.[1];
    if (run === undefined || (fence !== undefined && !run.startsWith(fence))) return fence === undefined ? [line] : [];
    fence = fence === undefined ? run.charAt(0).repeat(3) : undefined;
    return [''];
  });
}

/** How questions end, whatever they stand in. */
export const QUESTION = /[?？؟][\s"'”»」)\]*_]*$/u;

/** Not in the middle of a word, where there is a space to cut at. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const space = text.lastIndexOf(' ', length - 1);
  return text.slice(0, wholeCharacterEnd(text, space > length / 2 ? space : length));
}

/** At most so long, and not in the middle of a word; with an ellipsis where something is left out. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${cutAtWord(text, length - 1).replace(/[\s,;:–—-]{1,20}$/, '')}…`;
}

/** `end`, or one less where that would cut a surrogate pair. */
export function wholeCharacterEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff && end > 1 ? end - 1 : end;
}
