/** What the forms of an English word have in common, and how they end. */
export interface Inflection {
  readonly root: string;
  readonly endings: ReadonlySet<string>;
}

const PLAIN = ['', 's', 'es', 'ed', 'ing', 'er', 'ers', 'e'];
const WITH_E = ['e', 'es', 'ed', 'ing', 'er', 'ers'];
const WITH_Y = ['y', 'ies', 'ied', 'ying', 'ier'];
const SHORTEST_ROOT = 3;
/** Shorter words than that are no verbs that end so: `king`, `red`. */
const SHORTEST_VERB = 4;

/**
 * The forms of a word that has letters a to z alone, in lower case: `retry` of `retries`, `cache` of `caching`, `log` of `logging`. Undefined
 * where too little would be left of it. Takes words of other languages for English ones; their forms are found by their beginnings besides.
 */
export function inflectionOf(word: string): Inflection | undefined {
  const y = /^(.*[^aeiou])(?:y|ies|ied|ying)$/.exec(word)?.[1];
  if (y !== undefined) return made(y, WITH_Y);
  const verb = /^(.*)(?:ing|ed)$/.exec(word)?.[1];
  if (verb !== undefined && verb.length >= SHORTEST_VERB) return made(undoubled(verb), PLAIN);
  const plural = /^(.*(?:s|x|z|ch|sh))es$/.exec(word)?.[1] ?? /^(.*[^siu])s$/.exec(word)?.[1] ?? word;
  return plural.endsWith('e') ? made(plural.slice(0, -1), WITH_E) : made(plural, PLAIN);
}

function made(root: string, endings: readonly string[]): Inflection | undefined {
  if (root.length < SHORTEST_ROOT) return undefined;
  const last = root.charAt(root.length - 1);
  const doubled = /[aeiou][bdgklmnprt]$/.test(root) ? ['ing', 'ed', 'er'].map((ending) => last + ending) : [];
  return { root, endings: new Set([...endings, ...doubled]) };
}

function undoubled(verb: string): string {
  return /([bdgkmnprt])\1$/.test(verb) ? verb.slice(0, -1) : verb;
}
