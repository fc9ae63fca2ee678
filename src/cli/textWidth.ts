const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** East Asian wide and full-width characters, by block: two columns in every terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** An emoji that is drawn as a picture by itself, or is made one by U+FE0F. */
const PICTURE = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;

const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) || PICTURE.test(grapheme) ? 2 : 1;
}

/** Columns that a text without escape sequences takes in a terminal. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text itself when it fits, else its beginning with an ellipsis; never half a character. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns <= 0 ? '' : `${kept.trimEnd()}…`;
}

/** Filled with blanks to a number of columns. */
export function pad(text: string, columns: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** Words in lines of at most `columns`; a word that is longer stands alone. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}
