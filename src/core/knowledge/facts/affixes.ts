import { wordsOf } from '../../text/words';
import { craftStems } from '../../text/terms';
import { groupsIn } from './phrasing';
import { Cue } from './lightPattern';

/** The beginning or the end of the names of something; there is one of each. */
export interface Affix {
  readonly slot: 'head' | 'tail';
  readonly noun: string;
  /** '' where only the end is spoken of: `no more prefixes`. */
  readonly value: string;
  /** It is not to be there. */
  readonly isDenied: boolean;
}

/** Stems of what work is about. */
export const CRAFT = craftStems((word) => wordsOf(word)[0]?.stem ?? word);

/** A value in quotation marks, which is a piece of a name. */
const AFFIX =
  /['"`‘“«「„]([^\s'"`“”‘’«»「」„]+)['"`”’»」]|(?<=\b(?:with|by|in|prefix|suffix|as)\s)([A-Za-z0-9]+[_/-]|[_-][A-Za-z0-9]+)(?=[\s.,;!]|$)/gu;
/** Words beside a value that do not say whose name it is. */
const NO_NOUN = new Set(
  wordsOf(
    'name names string prefix prefixes suffix suffixes code project standard convention import module python style index type value key change update rule',
  ).map(({ stem }) => stem),
);

/** How a rule has names begin and end. `before` is what was told of how it was. */
export function affixesOf(content: string, before = ''): Affix[] {
  const affixes: Affix[] = [];
  let nouns: readonly string[] = [];
  let end = 0;
  for (const match of content.matchAll(AFFIX)) {
    const [whole, quoted, bare] = match;
    const value = quoted ?? bare ?? '';
    const lead = content.slice(end, match.index);
    const rest = content.slice(match.index + whole.length);
    const after = rest.split(/[.;]\s|\band\b|\bund\b|\bet\b/)[0] ?? '';
    const slot = slotOf(value, lead, after);
    if (slot === undefined) continue;
    nouns = nounsIn(lead) ?? (nouns.length > 0 ? nouns : (nounsIn(after) ?? nounsIn(rest) ?? nounsIn(before) ?? []));
    end = match.index + whole.length;
    const isDenied = DENIED_BEFORE.test(lead.replace(AFFIRMED, ' ')) || DENIED_AFTER.test(after);
    for (const noun of nouns) addAffix(affixes, { slot, noun, value, isDenied });
  }
  return affixes;
}

/** What is to be counts more than what is not to be any more. */
function addAffix(affixes: Affix[], affix: Affix): void {
  const at = affixes.findIndex(({ slot, noun }) => slot === affix.slot && noun === affix.noun);
  const known = affixes[at];
  if (known === undefined) affixes.push(affix);
  else if (known.isDenied && !affix.isDenied) affixes[at] = affix;
}

const HEADS = new Cue(
  /(?<!\p{L})(?:(?:start|begin)\w{0,40}\s{1,20}(?:\w{1,40}\s{1,20}){0,3}?(?:with|by|in)|prefix\w{0,40}|präfix\w{0,40}|(?:beginn|fang)\p{L}{0,40}|начина\p{L}{0,40}|префикс\p{L}{0,40}|commenc\p{L}{0,40}|préfixe\p{L}{0,40}|(?:em|com)(?:piez|iez|ez|ienz)\p{L}{0,40}|prefijo\p{L}{0,40}|تبدأ|يبدأ|بادئة)(?!\p{L})[^'"`]{0,25}$|(?:前缀|接頭辞|プレフィックス)[^'"`]{0,8}$/u
    .source,
);
const TAILS = new Cue(
  /(?<!\p{L})(?:(?:end|finish)\w{0,40}\s{1,20}(?:\w{1,40}\s{1,20}){0,3}?(?:with|in|on)|suffix\w{0,40}|(?:enden?|endet)|(?:за|о)канчива\p{L}{0,40}|суффикс\p{L}{0,40}|termin\p{L}{0,40}|suffixe\p{L}{0,40}|sufijo\p{L}{0,40}|acab\p{L}{0,40}|تنتهي|ينتهي|لاحقة)(?!\p{L})[^'"`]{0,25}$|(?:后缀|接尾辞|サフィックス)[^'"`]{0,8}$/u
    .source,
);
const HEAD_AFTER =
  /^\s*(?:(?:as|is|for)\s+(?:(?:a|the|our|your|new|now)\s+){0,3})?(?:prefix|at the (?:start|beginning|front)|in front|up front|before (?:all|every|each|the|our)|开头|作为前缀|で始)/i;
const TAIL_AFTER =
  /^\s*(?:(?:as|is|for)\s+(?:(?:a|the|our|your|new|now)\s+){0,3})?(?:suffix|at the end|after (?:all|every|each|the|our)|结尾|作为后缀|で終)/i;

/** A value tells by its underscore where it stands, or the words around it do. */
function slotOf(value: string, before: string, after: string): Affix['slot'] | undefined {
  if (/^[^_]+[_/-]$/.test(value)) return 'head';
  if (/^[_-][^_]+$/.test(value)) return 'tail';
  if (HEADS.test(before) || HEAD_AFTER.test(after)) return 'head';
  return TAILS.test(before) || TAIL_AFTER.test(after) ? 'tail' : undefined;
}

const AFFIRMED =
  /\b(?:never|do not|don['’]t|not)\s+(?:forget|miss|skip|omit|fail|hesitate)\w{0,40}|\bnot only\b|\bno matter\b/gi;
const DENIED_BEFORE = new Cue(
  /(?<!\p{L})(?:instead of|rather than|in place of|no longer|no more|any ?more|not|never|don['’]t|do not|stop\w{0,40}|avoid\w{0,40}|drop\w{0,40}|scrap\w{0,40}|forget(?: about)?|replac\w+|ditch\w{0,40}|remov\w+|abandon\w{0,40}|retir\w+|without|вместо|больше не|не|statt|anstatt|nicht mehr|keine?|au lieu de|plus|en lugar de|en vez de|no|ya no|بدلا من)(?!\p{L})[^'"`.;:,]{0,40}$|(?<!\p{L})(?:from|over)\s+$|(?:不再|不要|不用|而不是)[^'"`，。]{0,12}$/u
    .source,
);
const DENIED_AFTER =
  /^\s*(?:(?:prefix|suffix)(?:es)?\s+)?(?:(?:is|are|was|were)\s+)?(?:no longer|not (?:used|allowed|wanted)|gone|out\b|deprecated|retired|history|dropped|obsolete|ではなく|больше не|nicht mehr)/i;

/** `When naming arguments, start the variable name with …` is about arguments. */
const LEAD =
  /\b(?:when(?:ever)? (?:(?:you|we)(?:['’]re| are)? )?(?:nam|writ|declar|defin|creat)\w{0,40}|as for|for|naming|regarding|concerning|about)\s+([^,.:]{3,40})[,:]/i;

/** What is named in a text; undefined where nothing is. The last word of the craft stands for kinds that have no list. */
export function nounsIn(text: string): readonly string[] | undefined {
  const lead = LEAD.exec(text)?.[1] ?? '';
  const group = groupsIn(lead).at(-1) ?? groupsIn(text).at(-1);
  if (group !== undefined) return group;
  const isNoun = ({ stem }: { stem: string }): boolean => CRAFT.has(stem) && !NO_NOUN.has(stem);
  const noun = wordsOf(lead).findLast(isNoun) ?? wordsOf(text).findLast(isNoun);
  return noun && [noun.stem];
}

const HEAD_WORD = /\b(?:prefix(?:es|ed|ing)?|präfixe?|préfixes?|prefijos?)\b|префикс|前缀|接頭辞|プレフィックス/i;
const TAIL_WORD = /\b(?:suffix(?:es|ed|ing)?|suffixe[sn]?|sufijos?)\b|суффикс|后缀|接尾辞|サフィックス/i;

/** What a rule without any value takes away: `stop prefixing methods`. */
export function droppedAffixes(content: string): Affix[] {
  const slots = [HEAD_WORD.test(content) && 'head', TAIL_WORD.test(content) && 'tail'] as const;
  const nouns = nounsIn(content) ?? [];
  return slots.flatMap((slot) =>
    slot === false ? [] : nouns.map((noun): Affix => ({ slot, noun, value: '', isDenied: true })),
  );
}

/** Whether one leaves nothing of the other. */
export function replacesAffix(later: Affix, earlier: Affix): boolean {
  if (later.slot !== earlier.slot || later.noun !== earlier.noun) return false;
  if (later.isDenied === earlier.isDenied && !later.isDenied) return true;
  return later.value === '' || earlier.value === '' || later.value === earlier.value;
}

/** Whether both say the same, so that the one is no news beside the other. */
export function isSameAffix(one: Affix, other: Affix): boolean {
  return one.slot === other.slot && one.noun === other.noun && one.value === other.value && !one.isDenied;
}
