const LINE_NUMBERS = /^[ \t]*\d{1,7}(?:→|\t)/gm;
const INVISIBLE = /\p{Cf}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/** Less than this may stand anywhere by chance. */
const LEAST_COPY = 12;

/**
 * The words of a text and nothing else, with a space before, between and after them: equal for the same words with other emphasis, in a
 * list, in other lines, and behind the numbers that tools put before lines.
 */
export function wordsAlone(text: string): string {
  const words = text.replace(LINE_NUMBERS, ' ').replace(INVISIBLE, '').toLowerCase().replace(BETWEEN_WORDS, ' ').trim();
  return words === '' ? '' : ` ${words} `;
}

/** Whether so few words, as {@link wordsAlone} gives them, tell that they were copied. */
export function isTelling(words: string): boolean {
  return words.length >= LEAST_COPY + 2;
}
