/** The words of a list in `wordLists.json`, of all languages: a program takes in the lists that it names. */
export function wordsIn(ofLanguages: Readonly<Record<string, string>>): string[] {
  return Object.values(ofLanguages).flatMap((list) => (list === '' ? [] : list.split(' ')));
}
