import { wordsOf } from '../../compression/facts/words';
import { craftStems } from '../../compression/local/craftWords';

/** The beginning or the end of the names of something; there is one of each. */
export interface Affix {
  readonly slot: 'head' | 'tail';
  readonly noun: string;
}

/** Kinds of names: each has forms of its own. */
export const KINDS = new Set(
  wordsOf(
    'function functions method methods class classes variable variables attribute attributes argument arguments parameter parameters constant constants',
  ).map(({ stem }) => stem),
);
/** Stems of what work is about. */
export const CRAFT = craftStems((word) => wordsOf(word)[0]?.stem ?? word);

const AFFIX = /['"`‘“]([^\s'"`“”‘’]+)['"`”’]/gu;
/** Words beside a value that do not say whose name it is. */
const NO_NOUN = new Set(
  wordsOf(
    'name names string prefix suffix code project standard convention import module python style index type value',
  ).map(({ stem }) => stem),
);

/** How a rule has names begin and end. */
export function affixesOf(content: string): Affix[] {
  const affixes: Affix[] = [];
  let noun = '';
  let end = 0;
  for (const match of content.matchAll(AFFIX)) {
    const [, value = ''] = match;
    const before = content.slice(end, match.index);
    const slot = slotOf(value, before);
    if (slot === undefined) continue;
    const after = content.slice(match.index + match[0].length).split(/[.;]\s|\band\b/)[0] ?? '';
    noun = nounIn(before) ?? (noun === '' ? nounIn(after) : noun) ?? '';
    end = match.index + match[0].length;
    if (noun !== '' && !affixes.some((one) => one.slot === slot && one.noun === noun)) affixes.push({ slot, noun });
  }
  return affixes;
}

const HEADS = /\b(?:(?:start|begin)\w*\s+(?:\w+\s+){0,3}?with|prefix\w*)\b[^'"`]{0,25}$/i;
const TAILS = /\b(?:(?:end|finish)\w*\s+(?:\w+\s+){0,3}?(?:with|in)|suffix\w*)\b[^'"`]{0,25}$/i;

/** A value tells by its underscore where it stands, or the words before it do. */
function slotOf(value: string, before: string): Affix['slot'] | undefined {
  if (/^[^_]+[_-]$/.test(value)) return 'head';
  if (/^[_-][^_]+$/.test(value)) return 'tail';
  return HEADS.test(before) ? 'head' : TAILS.test(before) ? 'tail' : undefined;
}

/** `When naming arguments, start the variable name with …` is about arguments. */
const LEAD =
  /\b(?:when(?:ever)? (?:(?:you|we)(?:['’]re| are)? )?(?:nam|writ|declar|defin|creat)\w*|as for|for|naming|regarding)\s+([^,.]{3,40}),/i;
/** `Arguments of functions` are arguments. */
const PART_OF =
  /\b((?:argument|parameter|attribute|variable|method)s?)(?: names?)?\s+(?:of|in|for|to|within)\s+(?:(?:your|our|the|all|any|each|every|a|an)\s+){0,2}(?:function|method|class)(?:e?s)?\b/gi;

/** The last word of the craft: `argument`, of `function argument names`. */
function nounIn(text: string): string | undefined {
  const isNoun = ({ stem }: { stem: string }): boolean => CRAFT.has(stem) && !NO_NOUN.has(stem);
  const isKind = ({ stem }: { stem: string }): boolean => KINDS.has(stem);
  const plain = text.replace(PART_OF, '$1');
  const [before, all] = [wordsOf(LEAD.exec(plain)?.[1] ?? ''), wordsOf(plain)];
  return (before.findLast(isKind) ?? all.findLast(isKind) ?? before.findLast(isNoun) ?? all.findLast(isNoun))?.stem;
}

/** Whether both are about the same end of the same names. */
export function areSameAffix(one: Affix, other: Affix): boolean {
  return one.slot === other.slot && one.noun === other.noun;
}
