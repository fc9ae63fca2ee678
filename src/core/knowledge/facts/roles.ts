/** What a rule says of where, when and by what means. */
export type Role = 'where' | 'when' | 'means';

const ROLE_OF = new Map<string, Role>([
  ...'in into to at on under inside в на auf dans en'.split(' ').map((word) => [word, 'where'] as const),
  ...'by with via through mit per avec con'.split(' ').map((word) => [word, 'means'] as const),
  ...'within every before after until jeden vor nach avant après'.split(' ').map((word) => [word, 'when'] as const),
]);
/** After a preposition these say that no single place or time is meant. */
const GENERAL = new Set('all any each every order general case future'.split(' '));
/** What follows is no part of the phrase. */
const ENDS = new Set(['from', 'instead', 'rather', 'for', 'when', 'if', 'and', 'or', 'as', 'now', ...ROLE_OF.keys()]);
const ARTICLES = new Set('the your our a an der die das dem den le la les el los las'.split(' '));
const MOST_WORDS = 4;

/** The phrases of a text by their role. Linear. */
export function rolesIn(text: string): (readonly [Role, string])[] {
  const found: (readonly [Role, string])[] = [];
  const tokens = text.split(/\s+/);
  for (const [at, token] of tokens.entries()) {
    const role = ROLE_OF.get(token.toLowerCase());
    const phrase = role === undefined ? '' : phraseAt(tokens, at + 1);
    if (role !== undefined && phrase !== '') found.push([role, phrase]);
  }
  return found;
}

function phraseAt(tokens: readonly string[], start: number): string {
  if (GENERAL.has(tokens[start]?.toLowerCase() ?? '')) return '';
  const words: string[] = [];
  for (const token of tokens.slice(start, start + MOST_WORDS + 1)) {
    if (words.length === MOST_WORDS || ENDS.has(token.toLowerCase())) break;
    if (!ARTICLES.has(token.toLowerCase())) words.push(token);
    if (/[,.;:!?]$/.test(token)) break;
  }
  return words.join(' ');
}
