/** Stems of English words after Porter (1980): `retri` of retry, retries and retried. Words of other languages lose little by it. */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  let stem = word;
  for (const step of STEPS) stem = step(stem);
  return stem;
}

type Rule = readonly [ending: string, instead: string];

const VOWEL = /[aeiou]|(?<=[^aeiou])y/;
/** Each place where vowels end and consonants follow. */
const MEASURED = /(?:[aeiou]|(?<=[^aeiou])y)(?=[^aeiou])/g;
const SHORT = /[^aeiou](?:[aeiou]|y)[^aeiouwxy]$/;
const DOUBLED = /([^aeioulsz])\1$/;

/** How often vowels are followed by consonants: what is left of a word by cutting has to be more than nothing. */
function measure(stem: string): number {
  return stem.match(MEASURED)?.length ?? 0;
}

const plural: readonly Rule[] = [
  ['sses', 'ss'],
  ['ies', 'i'],
  ['ss', 'ss'],
  ['s', ''],
];

const nouns: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const LONG_ENDINGS = 'ement,ance,ence,able,ible,ment,ant,ent,ism,ate,iti,ous,ive,ize,ion,al,er,ic,ou'.split(',');

const STEPS: readonly ((word: string) => string)[] = [
  (word) => {
    const [ending = '', instead = ''] = plural.find(([end]) => word.endsWith(end)) ?? [];
    return word.slice(0, word.length - ending.length) + instead;
  },
  (word) => {
    if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
    const ending = ['ed', 'ing'].find((end) => word.endsWith(end) && VOWEL.test(word.slice(0, -end.length)));
    if (ending === undefined) return word;
    const verb = word.slice(0, -ending.length);
    if (/(?:at|bl|iz)$/.test(verb)) return `${verb}e`;
    if (DOUBLED.test(verb)) return verb.slice(0, -1);
    return measure(verb) === 1 && SHORT.test(verb) ? `${verb}e` : verb;
  },
  (word) => (word.endsWith('y') && VOWEL.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word),
  (word) => replaced(replaced(word)),
  (word) => {
    const ending = LONG_ENDINGS.find((end) => word.endsWith(end));
    if (ending === undefined) return word;
    const stem = word.slice(0, -ending.length);
    if (measure(stem) < 2 || (ending === 'ion' && !/[st]$/.test(stem))) return word;
    return stem;
  },
  (word) => {
    if (!word.endsWith('e')) return word;
    const stem = word.slice(0, -1);
    const long = measure(stem);
    return long > 1 || (long === 1 && !SHORT.test(stem)) ? stem : word;
  },
  (word) => (word.endsWith('ll') && measure(word) > 1 ? word.slice(0, -1) : word),
];

function replaced(word: string): string {
  const [ending, instead = ''] = nouns.find(([end]) => word.endsWith(end)) ?? [];
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return measure(stem) > 0 ? stem + instead : word;
}
