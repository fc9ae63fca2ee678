const OPENING = /(?<!`)<private>/gi;
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
 * is left out than too little. A tag that is only talked about, as code, opens nothing.
 */
export function privateRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let position = 0;
  for (const { index } of text.matchAll(OPENING)) {
    if (index < position) continue;
    CLOSING.lastIndex = index;
    const closing = CLOSING.exec(text);
    position = closing === null ? text.length : closing.index + closing[0].length;
    ranges.push({ start: index, end: position });
  }
  return ranges;
}

/** The text without what is private. */
export function withoutPrivate(text: string): string {
  const ranges = privateRanges(text);
  if (ranges.length === 0) return text;
  const starts = [0, ...ranges.map(({ end }) => end)];
  return starts.map((start, index) => text.slice(start, ranges[index]?.start)).join('');
}
