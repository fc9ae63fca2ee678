/** A test for texts: whether all words occur in one, in any letter case and any form of the same letters. Made once per filter. */
export function wordMatcher(words: string): (text: string) => boolean {
  const folded = fold(words)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (folded.length === 0) return () => true;
  return (text) => {
    const content = fold(text);
    return folded.every((word) => content.includes(word));
  };
}

/** `é` typed in two ways, and letters of full width, are found both. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
