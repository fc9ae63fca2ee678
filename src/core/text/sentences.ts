/** A sentence is cut here: what goes on longer is a list or a log. */
const MAX_SENTENCE = 400;

const FENCE = /^\s*(`{3,}|~{3,})/;
/** Lines that open a paragraph of their own, and what of them is not words. */
const OPENER = /^\s*(?:#{1,6}\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)、]\s*|>\s?|\|)/;
const ENDS =
  /(?<=[.!?…]["')\]*_`»”]{0,6})\s+(?=["'(«“¿¡*_`[]{0,6}[\p{Lu}\p{Lo}\p{N}])|(?<=[。！？؟।]["'」』）]{0,6})\s*/u;

/** The sentences of a Markdown text, each in one line: without code blocks, headings' and lists' signs. Linear. */
export function sentencesOf(text: string): string[] {
  return paragraphsOf(text).flatMap((paragraph) =>
    paragraph
      .split(ENDS)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== '')
      .map((sentence) => cutAtWord(sentence, MAX_SENTENCE)),
  );
}

/** Paragraphs with their lines joined: a list's entries and headings are paragraphs of their own. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (): void => {
    if (lines.length > 0) paragraphs.push(lines.join(' '));
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const run = FENCE.exec(line)?.[1];
    if (run !== undefined && (fence === undefined || run.startsWith(fence))) {
      close();
      fence = fence === undefined ? run.charAt(0).repeat(3) : undefined;
    } else if (fence === undefined) {
      const isOpener = OPENER.test(line);
      if (isOpener || line.trim() === '') close();
      const words = line.replace(OPENER, '').replace(/\s+/g, ' ').trim();
      if (words !== '') lines.push(words);
    }
  }
  close();
  return paragraphs;
}

/** Not in the middle of a word, where there is a space to cut at. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(' ');
  const end = space > length / 2 ? space : length;
  // Half a pair would be a broken character.
  return cut.slice(0, end).replace(/[\ud800-\udbff]$/, '');
}
