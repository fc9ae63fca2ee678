/** Long texts are found by their parts: as long is one of them about. */
const LENGTH = 800;
const SHORTEST = LENGTH / 2;

/** Where a text may be cut, the best first. */
const SEAMS = ['\n\n', '\n', '. ', '。', ' '];

/** The parts of a text, in order; one for a short text. Cut where a paragraph, a line or a sentence ends. */
export function passagesOf(text: string): { start: number; end: number }[] {
  const passages: { start: number; end: number }[] = [];
  let start = 0;
  while (text.length - start > LENGTH + SHORTEST) {
    const end = seamIn(text, start + SHORTEST, start + LENGTH);
    passages.push({ start, end });
    start = end;
  }
  passages.push({ start, end: text.length });
  return passages;
}

function seamIn(text: string, from: number, to: number): number {
  for (const seam of SEAMS) {
    const at = text.lastIndexOf(seam, to - seam.length);
    if (at >= from) return at + seam.length;
  }
  const isInside = /[\udc00-\udfff]/.test(text.charAt(to));
  return isInside ? to + 1 : to;
}
