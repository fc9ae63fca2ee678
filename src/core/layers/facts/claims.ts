import { NEGATION, wordsOf } from '../../compression/facts/words';
import { craftStems } from '../../compression/local/craftWords';
import { NEGATIVE } from './triggers';

/** The beginning or the end of the names of something; there is one of each. */
interface Affix {
  readonly slot: 'head' | 'tail';
  readonly noun: string;
}

/** What a rule says, in the form in which it can be compared with others. */
export interface Claim {
  /** How names begin and end, of what: `start function names with 'a_'`. */
  readonly affixes: readonly Affix[];
  /** What it is about: words with their weights. */
  readonly subject: ReadonlyMap<string, number>;
  /** The kinds of names and pieces of code that it speaks of. */
  readonly nouns: readonly string[];
  readonly isNegative: boolean;
  /** How names are to be written. */
  readonly style: string;
  /** What is to be used: `Slack`, in `use Slack for communication`. */
  readonly choice: string;
  readonly figures: string;
}

const STYLE =
  /\b(?:(?:all[- ])?upper ?-?case|lower ?-?case|camel ?-?case|pascal ?-?case|snake[_ ]case|kebab[- ]case|screaming[_ ]snake(?:[_ ]case)?|title ?-?case)\b/i;
/** Speaks of what is to be used. */
const USES =
  /\b(?:us(?:e|ing|ed)|utiliz\w+|switch\w*|transition\w*|mov(?:e|ing) (?:over )?to|adopt\w*|standardiz\w+|prefer\w*|go-to|go with|primary|main|rely|stick(?:ing)? (?:to|with))\b/i;
/** Each has names and forms of its own. */
const KINDS = new Set(
  wordsOf(
    'function functions method methods class classes variable variables attribute attributes argument arguments parameter parameters constant constants',
  ).map(({ stem }) => stem),
);
/** `Mira, from now on …`. */
const ADDRESSED = /^\p{Lu}\p{Ll}+(?:[-\s]\p{Lu}\p{Ll}+)*,\s/u;
/** Names of products and the like: capitals where no sentence begins. */
const PRODUCT = /(?<=[\p{Ll},;:–—-]\s)\p{Lu}[\p{L}\p{N}.+#-]*(?:\s\p{Lu}[\p{L}\p{N}.+#-]*)?(?!['’])/gu;
const FIGURES = /(?<![\p{L}\p{N}_])\d+(?:[.,]\d+)?|\b(?:two|three|four|five|once|twice)\b/giu;

const MANNER = new Set(
  wordsOf(
    'always never must should use using used start starting begin end add write please make sure ensure from now on going moving forward remember want like need you your ' +
      'instead switch change update new only every all when whenever convention standard rule practice policy important also so it them this that team work working code coding ' +
      'believe think know good best great start first firstly second secondly lastly adopt require expect follow keep try let rely relies preferred primary primarily main mainly tool team default stick default ' +
      'standardize standardizing moving transition transitioning used utilize utilizing focus focusing plan habit now encourage encouraging everyone please recommend advise',
  ).map(({ stem }) => stem),
);
const CRAFT = craftStems((word) => wordsOf(word)[0]?.stem ?? word);
/** As much of both has to be the same, for one to be the other's opposite, or to name another value. */
const SAME_SUBJECT = 0.55;
const SAME_CHOICE = 0.5;

/** Reads a rule. */
export function claimOf(content: string): Claim {
  const style = STYLE.exec(content)?.[0].toLowerCase().replace(/[-_ ]/g, '') ?? '';
  const choice = USES.test(content) ? productIn(content) : '';
  const apart = new Set([...wordsOf(style), ...wordsOf(choice)].map(({ stem }) => stem));
  return {
    affixes: affixesOf(content),
    subject: subjectOf(content, apart),
    nouns: wordsOf(content).flatMap(({ stem }) => (KINDS.has(stem) ? [stem] : [])),
    isNegative: NEGATIVE.test(content),
    style,
    choice,
    figures: (content.match(FIGURES) ?? []).join(' ').toLowerCase(),
  };
}

/** The last one that is named: what comes instead of another thing is named after it. An acronym says of what kind it is. */
function productIn(content: string): string {
  const products = (content.match(PRODUCT) ?? [])
    .map((name) => name.replace(/[.+#-]+$/, ''))
    .filter((name) => !/^(?:\p{Lu}{2,5}|I)$/u.test(name));
  return products.at(-1)?.toLowerCase() ?? '';
}

/** The words that say what a rule is about, without the values that it lays down. */
function subjectOf(content: string, apart: ReadonlySet<string>): Map<string, number> {
  const subject = new Map<string, number>();
  for (const { stem, weight } of wordsOf(content.replace(STYLE, ' ').replace(ADDRESSED, ''))) {
    if (weight === 0 || stem === NEGATION || MANNER.has(stem) || apart.has(stem) || /^\d/.test(stem)) continue;
    subject.set(stem, CRAFT.has(stem) || weight === 2 ? 2 : 1);
  }
  return subject;
}

/** Whether what was said later leaves nothing of what was said earlier. */
export function outdates(later: Claim, earlier: Claim): boolean {
  if (earlier.affixes.length > 0)
    return earlier.affixes.every((affix) => later.affixes.some((newer) => isSame(newer, affix)));
  if (later.affixes.length > 0) return false;
  if (areOfTwoKinds(later, earlier)) return false;
  const share = likeness(later.subject, earlier.subject);
  if (later.isNegative !== earlier.isNegative) return share >= SAME_SUBJECT;
  if (earlier.style !== '' && later.style !== '') return later.style !== earlier.style && share >= SAME_SUBJECT;
  if (earlier.choice !== '' && later.choice !== '') {
    return later.choice !== earlier.choice && likeness(later.subject, earlier.subject, 1) >= SAME_CHOICE;
  }
  return earlier.figures !== later.figures && earlier.figures !== '' && later.figures !== '' && share >= SAME_SUBJECT;
}

/** Two kinds of names, two rules, however much alike they are put. */
function areOfTwoKinds({ nouns }: Claim, other: Claim): boolean {
  return nouns.length > 0 && other.nouns.length > 0 && !nouns.some((noun) => other.nouns.includes(noun));
}

const AFFIX = /['"`‘“]([^\s'"`“”‘’]+)['"`”’]/gu;
/** Words beside a value that do not say whose name it is. */
const NO_NOUN = new Set(
  wordsOf('name names string prefix suffix code convention import module python style index type value').map(
    ({ stem }) => stem,
  ),
);

function affixesOf(content: string): Affix[] {
  const affixes: Affix[] = [];
  let noun = '';
  let end = 0;
  for (const match of content.matchAll(AFFIX)) {
    const [, value = ''] = match;
    const slot = /^[^_]+[_-]$/.test(value) ? 'head' : /^[_-][^_]+$/.test(value) ? 'tail' : undefined;
    if (slot === undefined) continue;
    const before = content.slice(end, match.index);
    const after = content.slice(match.index + match[0].length).split(/[.;]\s|\band\b/)[0] ?? '';
    noun = nounIn(before) ?? (noun === '' ? nounIn(after) : noun) ?? '';
    end = match.index + match[0].length;
    if (noun !== '' && !affixes.some((one) => one.slot === slot && one.noun === noun)) affixes.push({ slot, noun });
  }
  return affixes;
}

/** `When naming arguments, start the variable name with …` is about arguments. */
const LEAD = /\b(?:when (?:you['’]re )?naming|as for|for|naming)\s+([^,.]{3,40}),/i;

/** The last word of the craft: `argument`, of `function argument names`. */
function nounIn(text: string): string | undefined {
  const isNoun = ({ stem }: { stem: string }): boolean => CRAFT.has(stem) && !NO_NOUN.has(stem);
  const lead = LEAD.exec(text)?.[1];
  return (wordsOf(lead ?? '').findLast(isNoun) ?? wordsOf(text).findLast(isNoun))?.stem;
}

function isSame(one: Affix, other: Affix): boolean {
  return one.slot === other.slot && one.noun === other.noun;
}

/** How much of the smaller subject both have; 0 when they share less than `least`, which is more than a single plain word. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>, least = 2): number {
  const sum = (words: ReadonlyMap<string, number>): number =>
    [...words.values()].reduce((all, weight) => all + weight, 0);
  let shared = 0;
  for (const [word, weight] of one) if (other.has(word)) shared += weight;
  const smaller = Math.min(sum(one), sum(other));
  return smaller === 0 || shared < least ? 0 : shared / smaller;
}
