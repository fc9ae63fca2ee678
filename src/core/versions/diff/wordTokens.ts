/** A word, a figure or a sign, with the white space after it. */
export interface WordToken {
  /** What is compared. */
  readonly word: string;
  readonly start: number;
  /** Behind the white space. */
  readonly end: number;
  /** A sign is no word: it is compared, but not counted. */
  readonly isWord: boolean;
}

/** Scripts without spaces have a token for each character; of the others a word is one, and so is each sign. White space at the beginning belongs to the first. */
const TOKEN =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}_])(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])*)|\S/gu;

/** The tokens of a text: together they are the text. Linear. */
export function wordTokens(text: string): WordToken[] {
  const found = [...text.matchAll(TOKEN)];
  return found.map(({ index, 0: word, 1: letters }, at) => ({
    word,
    start: at === 0 ? 0 : index,
    end: found[at + 1]?.index ?? text.length,
    isWord: letters !== undefined,
  }));
}
