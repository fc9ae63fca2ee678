/** Ends a sentence wherever it stands: scripts that put no space after a full stop. */
const WIDE_END = /[。！？｡]/;
/** Ends a sentence when white space or nothing follows. */
const NARROW_END = /[.!?…؟۔।:;]/;
const CLOSING = /["'’”»)\]）」』*_`]/;

/** After these a full stop is part of the word. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|e\.g|i\.e|etc|vs|cf|approx|resp|incl|mr|mrs|ms|dr|no|fig|sec|st|jr|inc|ltd|т\.е|т\.д|т\.п|др|напр|стр|z\.b|d\.h|bzw|usw|ca|p\.ex|ej)$/iu;
const LONGEST_ABBREVIATION = 8;
/** So many signs close a sentence at most; of a longer run the last ones do. */
const LONGEST_CLOSING = 32;
const LIST_NUMBER = /^\s*\d{1,3}$/;

/** A sentence longer than this is cut where a clause ends, or a word: nothing that size can be chosen as a whole. */
const LONGEST_SENTENCE = 600;
const CLAUSE_END = /[;,，、；:：)\]}]\s?|\s[–—-]\s/g;

/**
 * The sentences of one paragraph, trimmed, in order, with nothing lost between them but white space. For any script:
 * code spans are never split, nor are file names, versions, numbers and common abbreviations. Takes linear time.
 */
export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (let at = 0; at < paragraph.length; at++) {
    if (paragraph[at] === '`') {
      at = codeSpanEnd(paragraph, at);
      continue;
    }
    const end = sentenceEnd(paragraph, start, at);
    if (end < 0) continue;
    addSentence(sentences, paragraph.slice(start, end));
    start = end;
    at = end - 1;
  }
  addSentence(sentences, paragraph.slice(start));
  return sentences;
}

/** Where the code span that begins here ends; where it begins, when nothing near closes it. */
function codeSpanEnd(text: string, start: number): number {
  const end = text.indexOf('`', start + 1);
  return end === -1 || end - start > LONGEST_SENTENCE ? start : end;
}

/** The offset after the sentence that ends at `at`; -1 when none does. */
function sentenceEnd(text: string, start: number, at: number): number {
  const character = text.charAt(at);
  const isWide = WIDE_END.test(character);
  if (!isWide && !NARROW_END.test(character)) return -1;
  let end = at + 1;
  const last = Math.min(text.length, at + LONGEST_CLOSING);
  while (end < last && (CLOSING.test(text.charAt(end)) || /[.!?…！？]/.test(text.charAt(end)))) end++;
  if (isWide) return end;
  if (end < text.length && !/\s/.test(text.charAt(end))) return -1;
  if (character === ':' || character === ';') return -1;
  return character === '.' && isWordEnd(text, start, at) ? -1 : end;
}

function isWordEnd(text: string, start: number, at: number): boolean {
  if (LIST_NUMBER.test(text.slice(start, at))) return true;
  return ABBREVIATION.test(text.slice(Math.max(start, at - LONGEST_ABBREVIATION), at));
}

function addSentence(sentences: string[], text: string): void {
  let rest = text.trim();
  while (rest.length > LONGEST_SENTENCE) {
    const cut = clauseEnd(rest);
    sentences.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  if (rest !== '') sentences.push(rest);
}

function clauseEnd(text: string): number {
  let best = -1;
  for (const match of text.slice(0, LONGEST_SENTENCE).matchAll(CLAUSE_END)) best = match.index + match[0].length;
  if (best > LONGEST_SENTENCE / 3) return best;
  const space = text.lastIndexOf(' ', LONGEST_SENTENCE);
  if (space > LONGEST_SENTENCE / 3) return space + 1;
  return wholeCharacterEnd(text, LONGEST_SENTENCE);
}

/** `end`, or one less where that would cut a surrogate pair. */
export function wholeCharacterEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff && end > 1 ? end - 1 : end;
}
