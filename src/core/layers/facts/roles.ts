import { lightPattern } from './lightPattern';

/** What a rule says of where, when and by what means; '' names the rest, which is what it is about. */
export type Role = 'where' | 'when' | 'means';

const ROLE_OF: Readonly<Record<string, Role>> = {
  ...Object.fromEntries(
    ['in', 'into', 'to', 'at', 'on', 'under', 'inside', 'в', 'на', 'auf', 'dans', 'en'].map((word) => [word, 'where']),
  ),
  ...Object.fromEntries(['by', 'with', 'via', 'through', 'mit', 'per', 'avec', 'con'].map((word) => [word, 'means'])),
  ...Object.fromEntries(
    ['within', 'every', 'before', 'after', 'until', 'jeden', 'vor', 'nach', 'avant', 'après'].map((word) => [
      word,
      'when',
    ]),
  ),
};
const PHRASE = lightPattern(
  new RegExp(
    `(?<!\\p{L})(${Object.keys(ROLE_OF).join('|')})(?!\\p{L})\\s+(?!all\\b|any\\b|each\\b|every\\b|order\\b|general\\b|case\\b|future\\b)(?:(?:the|your|our|a|an|der|die|das|dem|den|le|la|les|el|los|las)\\s+)?((?:(?!(?:from now|as well|instead|rather)\\b)\\.?[^\\s,.;!]+\\.?[^\\s,.;!]*\\s?){1,4}?)(?=\\s*(?:[,;!]|\\.(?:\\s|$)|$)|\\s(?:from|instead|rather|for|in|on|to|at|by|with|when|if|and|or|as|every|within|before|after|now)(?!\\p{L}))`,
    'giu',
  ),
);

/** The phrases of a text by their role. */
export function rolesIn(text: string): (readonly [Role, string])[] {
  return [...text.matchAll(PHRASE)].flatMap(([, word = '', phrase = '']): (readonly [Role, string])[] => {
    const role = ROLE_OF[word.toLowerCase()];
    return role === undefined ? [] : [[role, phrase]];
  });
}
