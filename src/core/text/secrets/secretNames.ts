import names from './secretNames.json';

/** How sure it is that what a name stands for is a secret: a password may be any word, a key among others has to look like one. */
export type NameStrength = 'password' | 'secret' | 'key';

const wordsAs = (kind: keyof typeof names): ReadonlySet<string> => new Set(names[kind].split(' '));
const [PASSWORDS, PASSWORD_OF, SECRETS] = [wordsAs('password'), wordsAs('passwordOf'), wordsAs('secret')];
const [PASSWORD_ENDS, SECRET_ENDS] = [names.passwordEnd.split(' '), names.secretEnd.split(' ')];
const PASSWORDS_UNSPACED = names.passwordUnspaced.split(' ');
const [KEY_OF, NO_KEY_OF] = [wordsAs('keyOf'), wordsAs('noKeyOf')];
/** What is about a secret, and none. */
const ABOUT = wordsAs('about');

export function namesPassword(word: string): boolean {
  const one = word.replace(/s$/, '');
  const of = /^(\w+?)(?:pass|pw|psw|pwd)$/.exec(word)?.[1];
  return (
    PASSWORDS.has(word) || (of !== undefined && PASSWORD_OF.has(of)) || PASSWORD_ENDS.some((end) => one.endsWith(end))
  );
}

/** In a language that puts no signs or capitals between words. */
export function isPasswordsName(name: string): boolean {
  const lower = name.toLowerCase();
  return PASSWORDS_UNSPACED.some((end) => lower.endsWith(end));
}

function namesSecret(word: string): boolean {
  return SECRETS.has(word) || SECRET_ENDS.some((end) => word.endsWith(end));
}

/** Words of a name, whatever way they were put together. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return spaced
    .toLowerCase()
    .split(/[-_ ]+/)
    .filter((word) => word !== '');
}

/** The names that a text says, it says again and again. */
const known = new Map<string, NameStrength | 'any key' | 'none'>();
const MOST_KNOWN = 20_000;

/** What a name is for; nothing for those that name no secret. `before` is what stands before it: "api" may be a word of its own. */
export function strengthOf(name: string, before: string): NameStrength | undefined {
  if (known.size > MOST_KNOWN) known.clear();
  const strength = known.get(name) ?? strengthAlone(name);
  known.set(name, strength);
  if (strength === 'any key') return keyStrength(/([A-Za-z]{1,60})[ ]$/.exec(before)?.[1]?.toLowerCase() ?? '');
  return strength === 'none' ? undefined : strength;
}

function strengthAlone(name: string): NameStrength | 'any key' | 'none' {
  if (isPasswordsName(name)) return 'password';
  const words = wordsOf(name);
  const at = words.findLastIndex((word) => namesPassword(word) || namesSecret(word) || /^\w*keys?$/.test(word));
  const word = words[at];
  if (
    word === undefined ||
    words.includes('existing') ||
    /public_?key/i.test(name) ||
    words.slice(at + 1).some((rest) => ABOUT.has(rest))
  )
    return 'none';
  if (namesPassword(word)) return 'password';
  if (namesSecret(word)) return 'secret';
  if (word !== 'key' && word !== 'keys') return 'none';
  const of = words[at - 1];
  return of === undefined ? 'any key' : (keyStrength(of) ?? 'none');
}

function keyStrength(of: string): NameStrength | undefined {
  if (KEY_OF.has(of)) return 'secret';
  return NO_KEY_OF.has(of) ? undefined : 'key';
}
