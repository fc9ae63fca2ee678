import { NEGATION, wordsOf } from '../../text/words';
import { quotedValues } from '../../text/terms';
import { ownValue } from '../../text/ownValue';
import { affixesOf, CRAFT, droppedAffixes, type Affix } from './affixes';
import { alternativesIn, meaningOf, type Alternative } from './alternatives';
import { directivesIn, withoutBackground, type Directive } from './directives';
import { kindsIn } from './phrasing';
import { lightPattern } from './lightPattern';

/** One thing that a rule says, in the form in which it can be compared. */
export interface Clause {
  /** What it is about: words with their weights. */
  readonly subject: ReadonlyMap<string, number>;
  /** Its first word, which mostly says what is done; '' where that was said before. */
  readonly begins: string;
  /** What is used, done or written: `password manager`, in `stop using a password manager`. */
  readonly object: ReadonlySet<string>;
  /** The kinds of names and pieces of code that it speaks of. */
  readonly nouns: readonly string[];
  readonly isNegative: boolean;
  /** Gives way to the rest of the rule. */
  readonly isRejected: boolean;
  /** How much is to be said: `detailed commit messages`. */
  readonly length: 'short' | 'long' | '';
  /** How names are to be written. */
  readonly style: string;
  /** What is to be used, where there is a choice: `Slack`, in `use Slack for communication`. */
  readonly choices: readonly Alternative[];
  /** For what it is to be used. */
  readonly purpose: ReadonlySet<string>;
  /** Is the one that is meant before all others: `as your primary machine`. */
  readonly isMain: boolean;
  /** Speaks of what is used; values in quotation marks stand side by side, and do not count. */
  readonly isUse: boolean;
  readonly amounts: readonly Amount[];
  /** Where, when, by what means; `frame` is what remains of the subject. */
  readonly roles: ReadonlyMap<Role, ReadonlySet<string>>;
  readonly frame: ReadonlyMap<string, number>;
  /** When or how often: `only when asked`. */
  readonly condition: string;
  readonly place: Place | undefined;
  /** With what something is to be done: `run` `tests` `with npm test`. */
  readonly means: Place | undefined;
}

/** So many of something. */
interface Amount {
  readonly value: string;
  readonly unit: ReadonlySet<string>;
}

/** Where something is to happen: `work` `from the common area`. */
export interface Place {
  readonly verb: string;
  readonly object: ReadonlySet<string>;
  readonly where: ReadonlySet<string>;
}

/** What a rule says. */
export interface Claim {
  /** How names begin and end, of what: `start function names with 'a_'`. */
  readonly affixes: readonly Affix[];
  readonly clauses: readonly Clause[];
  /** Says that something is no longer as it was. */
  readonly isChange: boolean;
  /** Comes beside what there is. */
  readonly isAddition: boolean;
}

const STYLE =
  /\b(?:(?:all[- ])?(?:upper ?-?case|caps)(?: letters?)?|lower ?-?case|camel ?-?case|pascal ?-?case|snake[_ ]case|kebab[- ]case|screaming[_ ]snake(?:[_ ]case)?|title ?-?case)\b/i;
const SHORT = /\b(?:short(?:er)?(?![-\s]+(?:lived|term))(?: and \w+)?|brief|concise|terse|succinct|compact)\b/i;
const LONG =
  /\b(?:(?<!as |so )long(?:er)?(?![-\s]+(?:as|term|running|time|lived))(?: and \w+)?|lengthy|detailed|descriptive|comprehensive|verbose|thorough|elaborate|extensive)\b/i;
/** Speaks of what is to be used. */
const USES = lightPattern(
  /(?<!\p{L})(?:us(?:e|es|ed|ing)|utiliz\w+|switch\w*|transition\w*|migrat\w+|mov(?:e|ed|ing) (?:over )?to|adopt\w*|incorporat\w+|standardiz\w+|prefer\w*|go-to|go with|primary|main|default|rely|stick(?:ing)? (?:to|with)|used? for|format|indent\w*|write|answer|respond|reply|speak|talk|отвечай\p{L}*|пиши\p{L}*|antworte\p{L}*|réponds|répondez|responde\p{L}*|install\w*|run|we(?:['’]re| are) (?:now )?on|(?:is|are) (?:now |from now on )?(?:our|the|your)|keep|written|log|with|via|over to|giv(?:e|ing) \p{L}+ a (?:go|try|chance)|nehm\p{L}*|nimm|pass(?:e|ons|ez)|prend\p{L}*|используй\p{L}*|используем|переходим|nutz\p{L}*|verwend\p{L}*|benutz\p{L}*|utilis\p{L}*|us[ae]\p{L}*|استخدم\p{L}*)(?!\p{L})|用|使|换|にします/iu,
);
const MAIN =
  /\b(?:main|primary|primarily|mainly|preferred|default|go-to|official|standard|exclusively|only)\b|основн|главн|haupt|principal|par défaut|por defecto|默认|主要|標準|メイン/iu;
const USE = lightPattern(
  /(?<!\p{L})(?:us(?:e|ed|ing)|utiliz\w+|switch\w*|transition\w*|go with|stick(?:ing)? (?:to|with))(?!\p{L})/iu,
);
const CHANGES = lightPattern(
  /(?<!\p{L})(?:from (?:now|here) on|going forward|moving forward|henceforth|instead|no longer|now|any ?more|switch\w*|transition\w*|mov(?:e|ed|ing) (?:over )?to|migrat\w+|chang\w+|updat\w+|replac\w+|go-to|primary|main|default|actually|it(?:['’]s| is) (?:now )?(?:fine|ok|okay|all ?right|allowed)|(?:is|are) (?:ok|okay|fine|allowed|permitted)|you (?:may|can)|on second thought|change of plans?|scratch that|scrap|forget|drop|these days|after all|again|as of|over to|we(?:['’]ve| have)? (?:agreed|decided)|from next (?:week|month|sprint)|from today|starting (?:today|now|next)|по-новому|finalement|maintenant|mejor|jetzt|теперь|отныне|впредь|вместо|ab (?:jetzt|sofort)|künftig|stattdessen|désormais|dorénavant|à partir de maintenant|ahora|en adelante|من الآن)(?!\p{L})|从现在|今后|以后|改用|改成|换成|今後|これから/iu,
);
const ADDS =
  /\b(?:as well|in addition to|additionally to|alongside|too[.!]?$|on top of|both\b.{0,200}\band)\b|также|тоже|ebenfalls|auch|aussi|también|也|も併/iu;
/** Takes away an end of names without naming it. */
const DROPS =
  /\b(?:no (?:more |longer (?:any )?)?(?:prefix|suffix)(?:es)?|without (?:a |any )?(?:prefix|suffix)(?:es)?)\b/i;
/** `Mira, from now on …`. */
const ADDRESSED = /^\p{Lu}\p{Ll}+(?:[-\s]\p{Lu}\p{Ll}+)*,\s/u;
const NUMBER =
  'single|one|once|two|twice|dual|double|both|three|thrice|triple|four|five|six|seven|eight|nine|ten|twelve|half|all|один|одного|два|двух|три|ein|zwei|drei|une?|deux|trois|uno?|dos|tres';
const AMOUNT = lightPattern(
  new RegExp(
    `(?<![\\p{L}\\p{N}_.])(\\d+(?:[.,]\\d+)?|(?:${NUMBER})(?![\\p{L}\\p{N}_]))(?:[\\s-]+(?:or (?:more|less|fewer)|of|the|your|our|their|a|an|different|separate|allotted|allocated))*[\\s-]*((?:\\p{L}+[\\s-]+){0,2}\\p{L}+)?`,
    'giu',
  ),
);
const AMOUNTS: Readonly<Record<string, string>> = {
  single: '1',
  one: '1',
  once: '1',
  two: '2',
  twice: '2',
  dual: '2',
  double: '2',
  both: '2',
  three: '3',
  thrice: '3',
  triple: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
};
/** `Node 20`: the number comes after what it is of. */
const VERSION =
  /(?<![\p{L}\p{N}])(\p{L}[\p{L}.+#-]{0,200})\s{1,20}(?:version\s{1,20})?v?(\d{1,20}(?:\.\d{1,20}){0,9})(?!\.?\d|\s{0,20}(?!(?:now|please|only|or|and|from|for|in|as|instead|everywhere)\b)[\p{L}%])/gu;
const UNIT_ENDS = /\s(?:in|for|at|to|on|from|with|by|when|and|or|but|в|на|für|mit|pour|avec|para|con)\s/i;
const CONDITION =
  /\b(?:only (?:when|if|after|once|as)\b[^,.;]*|as (?:needed|often as possible)|when(?:ever)? (?:necessary|needed|asked|required)|regularly|frequently|often|constantly|proactively|sparingly|rarely|daily|weekly|monthly|hourly|every (?:day|week|month|morning|sprint|hour)|once a (?:day|week|month|sprint))\b/i;
const PLACE =
  /\b(work|commit|push|merg|deploy|publish|releas|stor|sav|put|plac|upload)(?:e|ed|ing|ting|s)?\b([^,.;]{0,40}?)\b(?:directly |straight )?(?:to|into|in|from|at|on|onto|under)\s+(?:the |your |our |a |an )?([^,.;]{2,40})/i;
/** What something is done with. */
const MEANS =
  /\b(run|build|test|lint|format|deploy|install|manag|handl|pars|validat|log|generat|start|releas|mock|render|styl|measur|check)(?:e|ed|es|s|ing|ning|ging)?\b([^,.;]{0,40}?)\b(?:with|using|via|through)\s+(?:the |your |our |a |an )?([^,.;]{2,40})/i;
const GOES =
  /\b(?:go|going|come|coming)\s{1,20}(?:in)?to\s{1,20}(?:the |your |our )?([^,.;]{2,40}?)\s{1,20}(?:to|for)\s{1,20}(work)\b/i;
const PURPOSE = lightPattern(
  /(?<!\p{L})(?:as|for|when|while|during|in|für|als|beim|pour|comme|para|como|для|при|в качестве|لـ?)\s+((?:[^\s,.;]+\s?){1,6})/giu,
);

/** A verb with what it is about, up to where, when or for what. */
const OBJECT = lightPattern(
  /(?<!\p{L})(?:us(?:e|es|ing)|utiliz(?:e|es|ing)|adopt(?:ing)?|incorporat(?:e|ing)|implement(?:ing)?|rel(?:y|ying) on|depend(?:ing)? on|set(?:ting)? up|do(?:ing)?|writ(?:e|ing)|includ(?:e|ing)|add(?:ing)?|tak(?:e|ing)|enabl(?:e|ing)|apply(?:ing)?|follow(?:ing)?|run(?:ning)?|install(?:ing)?|skip(?:ping)?|drop(?:ping)?|import(?:ing)?|mock(?:ing)?|creat(?:e|ing)|avoid(?:ing)?|используй\p{L}*|пиши\p{L}*|добавляй\p{L}*|nutz\p{L}*|verwend\p{L}*|benutz\p{L}*|schreib\p{L}*|utilis\p{L}*|ajout\p{L}*|écri\p{L}*|us[ae]\p{L}*|escrib\p{L}*|añad\p{L}*)\s+(?=((?:[^\s,.;:]+\s?){1,8}))/giu,
);
const OBJECT_ENDS =
  /(?:^|\s)(?:in|into|for|at|to|on|from|with|by|when|while|during|as|if|unless|before|after|any ?more|в|на|для|при|für|bei|mit|pour|avec|dans|para|con|en)(?:\s|$)/iu;

const CLAIM_MANNER = new Set(
  wordsOf(
    'always never must should use using used start starting begin beginning end add adding write please make sure ensure from now on going moving forward remember want like need you your ' +
      'instead switch change update new only every all when whenever convention standard rule practice policy important also so it them this that team work working code coding ' +
      'believe think know good best great start first firstly second secondly lastly adopt require expect follow keep try let rely relies preferred primary primarily main mainly tool team default stick default ' +
      'standardize standardizing moving transition transitioning used utilize utilizing focus focusing plan habit now encourage encouraging everyone please recommend advise ' +
      'stop stopping refrain avoid avoiding skip beneficial better ask get give take put go time idea thing given thought consider incorporate incorporating implement implementing introduce ' +
      'emphasize importance imperative essential crucial necessary here reason immer nie niemals sofort jetzt mehr künftig toujours jamais plus partir maintenant désormais siempre nunca ahora adelante partir всегда никогда больше теперь отныне впредь way further longer anymore project projects forget scrap drop skip leave out mind changed gone deprecated allowed fine okay acceptable anymore need rule rules again today written bother enough rather just exactly one two three four five six seven eight nine ten single double effective immediately lift lifted solely strictly exclusively engineer developer employee colleague',
  ).map(({ stem }) => stem),
);
/** The same in languages without spaces, where words are not told apart. */
const UNSPACED_MANNER =
  /从现在(?:起|开始)?|以后|今后|始终|总是|永远|一律|不要|不用|不再|不得|禁止|请|必须|务必|记住|改用|使用|今後|常に|必ず|いつも|絶対に|これから(?:は)?|(?:し|を?使っ)?てください|ないでください|ないで|しないこと|ようにして/gu;
/** So few words have no verb that could say what is done with something: `spaces, please`. */
const FRAGMENT = 3;

/** What a rule is about stands in its first sentences. */
const LONGEST_RULE = 1000;

/** Reads a rule. */
export function claimOf(content: string): Claim {
  const plain = content.slice(0, LONGEST_RULE).replace(ADDRESSED, '');
  const { own, background } = withoutBackground(plain);
  const clauses = directivesIn(plain).map(clauseOf);
  const present = affixesOf(own, background);
  // `…, but it's important`: what turns off there is no rule, and what stands before is.
  const affixes = present.length > 0 || background === '' ? present : affixesOf(plain);
  const isDrop = affixes.length === 0 && (DROPS.test(own) || clauses.some(({ isNegative }) => isNegative));
  return {
    affixes: isDrop ? droppedAffixes(plain) : affixes,
    clauses,
    isChange: CHANGES.test(plain) || clauses.some(({ isRejected }) => isRejected),
    isAddition: ADDS.test(plain),
  };
}

function clauseOf({ text, isNegative, isRejected = false, isAnaphoric }: Directive): Clause {
  const style = STYLE.exec(text)?.[0].toLowerCase().replace(/[-_ ]/g, '') ?? '';
  const condition = CONDITION.exec(text)?.[0].toLowerCase() ?? '';
  const apart = [STYLE, CONDITION, SHORT, LONG].reduce((rest, pattern) => rest.replace(pattern, ' '), text);
  const isFragment = wordsOf(text).length <= FRAGMENT;
  const choices = isNegative || isFragment || USES.test(text) ? alternativesIn(text) : [];
  const subject = subjectOf(apart);
  const roles = new Map(rolesIn(apart).map(([role, phrase]) => [role, new Set(subjectOf(phrase).keys())]));
  const placed = new Set([...roles.values()].flatMap((words) => [...words]));
  return {
    subject,
    roles,
    frame: new Map([...subject].filter(([word]) => !placed.has(word))),
    begins: isAnaphoric ? '' : ([...subject.keys()][0] ?? ''),
    object: objectOf(apart),
    nouns: kindsIn(text),
    isNegative,
    isRejected,
    style,
    length: lengthIn(text),
    choices,
    purpose: purposeOf(apart, choices),
    isMain: MAIN.test(text),
    isUse: USE.test(text) && quotedValues(text).length === 0,
    amounts: amountsOf(text),
    condition,
    place: placeOf(GOES.test(apart) ? goesOf(apart) : (PLACE.exec(apart) ?? [])),
    means: placeOf(MEANS.exec(apart) ?? []),
  };
}

function lengthIn(text: string): Clause['length'] {
  if (SHORT.test(text)) return 'short';
  return LONG.test(text) ? 'long' : '';
}

/** The words that say what a rule is about, without those by which rules are put. */
function subjectOf(text: string): Map<string, number> {
  const subject = new Map<string, number>();
  for (const { stem, weight } of wordsOf(text.replace(UNSPACED_MANNER, ' '))) {
    if (weight === 0 || stem === NEGATION || CLAIM_MANNER.has(stem) || /^\d/.test(stem)) continue;
    const one = weight === 2 ? stem.replace(/(?<=\p{L}{2})s$/u, '') : stem; // PRs
    subject.set(formOf(meaningOf(one)), CRAFT.has(stem) || weight === 2 ? 2 : 1);
  }
  return subject;
}

/** One form for `merge` and `merging`, of which the stems are cut short. */
function formOf(stem: string): string {
  return stem.replace(/^([a-z]{3,})(?:ing?|ed|e)$/, '$1').replace(/([a-z])\1$/, '$1');
}

/** Of the first verb that has one. */
function objectOf(text: string): Set<string> {
  for (const { 1: phrase = '' } of text.matchAll(OBJECT)) {
    const words = subjectOf(phrase.split(OBJECT_ENDS)[0] ?? '');
    if (words.size > 0) return new Set(words.keys());
  }
  return new Set();
}

function purposeOf(text: string, choices: readonly Alternative[]): Set<string> {
  const names = new Set(choices.flatMap(({ name }) => wordsOf(name).map(({ stem }) => meaningOf(stem))));
  const phrases = [...text.matchAll(PURPOSE)].flatMap(([, phrase = '']) => [...subjectOf(phrase).keys()]);
  return new Set(phrases.filter((word) => !names.has(word)));
}

function amountsOf(text: string): Amount[] {
  const versions = [...text.matchAll(VERSION)].flatMap(([, name = '', value = '']) => {
    const unit = new Set(subjectOf(name).keys());
    return unit.size === 0 ? [] : [{ value, unit }];
  });
  const counted = [...text.matchAll(AMOUNT)].flatMap(([, number = '', unit = '']) => {
    const words = new Set(subjectOf(unit.split(UNIT_ENDS)[0] ?? '').keys());
    const value = ownValue(AMOUNTS, number.toLowerCase()) ?? number.toLowerCase();
    return words.size === 0 ? [] : [{ value, unit: words }];
  });
  return [...counted, ...versions];
}

function goesOf(text: string): string[] {
  const [, where = '', verb = ''] = GOES.exec(text) ?? [];
  return ['', verb, '', where];
}

function placeOf([, verb = '', object = '', where = '']: readonly string[]): Place | undefined {
  const words = subjectOf(where);
  if (words.size === 0) return undefined;
  return { verb: verb.toLowerCase(), object: new Set(subjectOf(object).keys()), where: new Set(words.keys()) };
}

/** What a rule says of where, when and by what means. */
type Role = 'where' | 'when' | 'means';

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
