/** What stands in the place of erased words begins so: blanks keep every other byte where it is. */
export const ERASED = '[erased';
const FILLING = /\[erased *\]/g;
/** A keepit goes with its marker where nothing of its words is left. */
const OPENING = /(?<!`)<private>|##keepit\d\.\d{2}##\s*\[erased *\](?=\s*(?:##keepit|$))|\[erased *\]/gi;
const CLOSING = /<\/private>/gi;

/** A piece of a text, by UTF-16 offsets. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The range without white space at its ends. */
export function trimmedRange(text: string, range: TextRange): TextRange {
  let { start, end } = range;
  while (start < end && text.charAt(start).trim() === '') start++;
  while (end > start && text.charAt(end - 1).trim() === '') end--;
  return { start, end };
}

/**
 * What a person has put between `<private>` and `</private>`, tags included. One that is never closed reaches to the end: rather too much
 * is left out than too little. A tag that is only talked about, as code, opens nothing. And what stands in the place of erased words.
 */
export function privateRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let position = 0;
  for (const { index, 0: opening } of text.matchAll(OPENING)) {
    if (index < position) continue;
    position = opening.endsWith(']') ? index + opening.length : endOfPrivate(text, index);
    ranges.push({ start: index, end: position });
  }
  return ranges;
}

function endOfPrivate(text: string, start: number): number {
  CLOSING.lastIndex = start;
  const closing = CLOSING.exec(text);
  return closing === null ? text.length : closing.index + closing[0].length;
}

/** Whether all that was said there has been erased: a few bytes are overwritten with stars. */
export function isErased(text: string): boolean {
  return text.trim() !== '' && /^[\s*]*$/.test(text.replace(FILLING, ''));
}

/** The text without what is private. */
export function withoutPrivate(text: string): string {
  const ranges = privateRanges(text);
  if (ranges.length === 0) return text;
  const starts = [0, ...ranges.map(({ end }) => end)];
  return starts.map((start, index) => text.slice(start, ranges[index]?.start)).join('');
}
