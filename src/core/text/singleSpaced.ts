/** A text in one line: all white space becomes single spaces, with none at the ends. */
export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
