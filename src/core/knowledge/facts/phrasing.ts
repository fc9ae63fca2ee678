import { ownValue } from '../../text/ownValue';
import { wordsOf } from '../../text/words';
import { quotedValues } from '../../text/terms';
import { withoutShown } from '../../transcript/shownText';
import { lightPattern, Cue } from './lightPattern';

/** What has names in code, as people call it in the languages in which they work; each kind has forms of its own. */
const WORDS: readonly (readonly [kind: string, words: string])[] = [
  [
    'argument',
    'arguments?|args?|parameters?|params?|аргумент\\p{L}*|параметр\\p{L}*|argumenten?|argumente|parametern?|paramètres?|argumentos?|parámetros?|参数|參數|引数|パラメータ|معاملات',
  ],
  [
    'attribute',
    'attributes?|attrs?|propert(?:y|ies)|fields?|instance variables?|атрибут\\p{L}*|свойств\\p{L}*|attributen?|eigenschaft\\p{L}*|attributs?|propriétés?|atributos?|propiedad(?:es)?|属性|屬性|プロパティ|خصائص',
  ],
  [
    'function',
    'functions?|funcs?|функци\\p{L}*|funktion(?:en|s\\p{L}*)?|fonctions?|funci(?:ón|ones)|函数|函數|関数|(?:ال|لل)?(?:دالة|دوال)',
  ],
  ['method', 'methods?|метод\\p{L}*|methode\\p{L}*|méthodes?|métodos?|方法|メソッド'],
  ['variable', 'variables?|vars?|переменн\\p{L}*|variablen\\p{L}*|变量|變量|変数|(?:ال|لل)?متغيرات'],
  ['class', 'class(?:es)?|класс\\p{L}*|klassen?\\p{L}*|clases?|类(?!型)|クラス|(?:ال|لل)?(?:أصناف|فئات)'],
  ['constant', 'constants?|consts?|констант\\p{L}*|konstanten?\\p{L}*|constantes?|常量|定数|(?:ال|لل)?ثوابت'],
];
const KIND = lightPattern(
  new RegExp(
    WORDS.map(([kind, words]) => `(?<${kind}>(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_]))`).join('|'),
    'gu',
  ),
);
/** `Arguments of functions` are arguments, and so are `function arguments`. */
const PART_OF =
  /\b((?:argument|parameter|attribute|variable|method|propert(?:y|ie)|field)s?)(?: names?)?\s+(?:of|in|for|to|within)\s+(?:(?:your|our|the|all|any|each|every|a|an)\s+){0,2}(?:function|method|class)(?:e?s)?\b/gi;
const OWNED =
  /\b(?:function|method|class|instance)(?:['’]s|s['’])?\s+(?=(?:argument|parameter|param|arg|attribute|method|variable|propert|field)\w*)/gi;
/** What may stand between two kinds for which the same is said. */
const TOGETHER =
  /^(?:['’]?s?\s{0,20}(?:names?|名)?\s{0,20}(?:,|&|\/|and|or|as well as|и|und|et|y|o|和|と|و){1,40}\s{0,20}(?:(?:and|the|all|our|your|also)\s{1,20}){0,40})$/i;

/** The kinds of names that a text speaks of, in order. */
export function kindsIn(text: string): string[] {
  return groupsIn(text).flat();
}

/** The same, with kinds that are named together in one list. */
export function groupsIn(text: string): string[][] {
  const plain = text.toLowerCase().replace(PART_OF, '$1').replace(OWNED, '');
  const groups: string[][] = [];
  let end = -1;
  for (const match of plain.matchAll(KIND)) {
    const kind = WORDS.find(([name]) => ownValue(match.groups, name) !== undefined)?.[0] ?? '';
    const last = groups.at(-1);
    if (last !== undefined && TOGETHER.test(plain.slice(end, match.index))) last.push(kind);
    else groups.push([kind]);
    end = match.index + match[0].length;
  }
  return groups;
}

/** By which people go on from what they have said; a rule that stands by itself has none of it. */
const JOINTS = lightPattern(
  /^(?:(?:and|also|but|then|plus|just|so(?! that)|now(?! that)|и|а|но|ещё|еще|и ещё|also|und|außerdem|et|y|además|另外|还有|そして|また|و)(?:[,，、:]\s*|\s+)|(?:ok(?:ay)?|al ?right|right|well|good|great|perfect|nice|thanks|thank you|yes|yep|yeah|sure|fine|agreed|exactly|correct|absolutely|of course|additionally|furthermore|moreover|besides|finally|lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|oh|ah|hm+|by the way|btw|again|one (?:more|last) thing|another thing|to be clear|in (?:short|addition)|similarly|likewise|however|therefore|from your side|да|хорошо|ок|ja|gut|oui|d['’]accord|sí|vale|好的|はい)(?:,? (?:please|then|and))?[,.:;!–—-]+\s*)/iu,
);
/** `Mira, from now on …`; a name alone, no other word that may stand there. */
const ADDRESSED =
  /^(?:(?:hey|hi|hello)\s+)?(?!(?:Please|Never|Always|Yes|No|However|Instead|Then|Locally|Internally|Today|Otherwise|Again|Remember|Note)\b)[A-ZÀ-ÞА-Я][a-zß-ÿа-яё]{2,14}(?:\s[A-ZÀ-ÞА-Я][a-zß-ÿа-яё]+)?,\s+(?=(?:from|please|I|we|you|always|never|don|do|let|use|as|when|for|going|moving|now|remember|make|keep|start|stop|avoid)\b)/u;
/** What somebody wants of others is told without them. */
const WISHED =
  /(^|,\s+|:\s+)(?:so |now |then |also )?(?:I|we)(?:['’]d| would| really)?(?: also| really| now| just| kindly)?(?: (?:want|like|need|ask|expect|urge))(?: for)? (?:you|us|everyone|everybody)(?: all)? to(?: please)? (?=(?!be\b|know\b|see\b|understand\b|have\b)[a-z])/u;
const UNWISHED = /(^|,\s+|:\s+)(?:I|we) (?:do not|don['’]t) (?:want|like) (?:you|us) to (?=[a-z])/u;

/** A sentence without what ties it to the one before: `And use …` orders as `use …` does. */
export function untied(sentence: string): string {
  let text = sentence.trim();
  for (let rounds = 0; rounds < 4; rounds++) {
    const shorter = text.replace(JOINTS, '').replace(ADDRESSED, '');
    if (shorter === text || shorter.length < 8) break;
    text = shorter;
  }
  return text;
}

/** A rule as somebody would write it down who was not there: without what only ties it to the talk around it. */
export function told(sentence: string): string {
  const text = untied(sentence).replace(WISHED, '$1').replace(UNWISHED, "$1don't ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const stems = (words: string): string[] => wordsOf(words).map(({ stem }) => stem);
/** Words by which a rule is put, and not what it is about. */
const PHRASING_MANNER = new Set(
  stems(
    'always never must should use using used start starting begin beginning end ending include including add adding write writing please make sure ensure from now on going moving ' +
      'forward remember it them they this that these those one name names do everything things want like need you your them also just so well first firstly next another only ' +
      'важно всегда никогда это их immer nie das siempre nunca toujours jamais',
  ),
);
/** Speaks of a rule, and does not say which. */
const REFERS = new Set(
  stems(
    'convention conventions standard standards rule rules practice practices approach change changes changed update updates updated guideline guidelines instruction instructions style habit habits key ' +
      'consistent consistency consistently consistent follow following followed implement implementing implemented adopt adopting apply applying applied adhere stick keep mind code coding work working project projects ' +
      'new small slight slightly minor particular specific certain important naming named get into future onward onwards immediately across throughout all our team everyone expect ' +
      'introduce introducing introduced establish set update',
  ),
);
const CONVENTION =
  /\b(?:convention|practice|guideline|instruction|standard|change|rule|update|style|approach|habit)s?\b/i;

/** What a sentence says by itself, apart from how it is put. */
function subjectOf(sentence: string): string[] {
  const values = new Set(quotedValues(sentence).flatMap(stems));
  return wordsOf(sentence).flatMap(({ stem, weight }) =>
    weight > 0 && !PHRASING_MANNER.has(stem) && !values.has(stem) && stem !== '¬' ? [stem] : [],
  );
}

/** How much a sentence says of itself. `endorses`: what was said before is to hold. `announces`: what comes next says it. */
type Standing = 'alone' | 'unclear' | 'endorses' | 'announces';

/** Says whose names are meant. */
const NAMES = lightPattern(/\p{L}{4,40} names?\b/iu);
/** What stands for something that was named before. */
const ANAPHOR = /\b(?:them|it|they|the (?:name|same))\b/i;
/** What is done to something that was named before: `never log them`. */
const REFERS_BACK = new Cue(
  /^\W{0,200}(?:(?:[^\w\s]{1,80}\s{0,20})?(?:please|from (?:now|then|here) on|always|never|also|and|but|just|(?:do not|don['’]t)|make sure (?:to|you)|remember to|going forward|(?:I|we)(?:['’]d| would)? (?:want|like|need) (?:you|us) to|start|stop|avoid|keep|only),?\s{1,20}){0,40}(?:[a-z]{1,80}\s{1,20}){0,2}?(?:it|them|those|these|this|that)(?=\s{0,20}(?:[,.;!]|$)|\s{1,20}(?:in|for|to|from|with|at|on|when|before|after|as|by|too|as well|every|any ?more|again|daily|only|instead|and|or)\b)/u
    .source,
);

/** Whether a sentence can be understood without those around it. */
export function standingOf(sentence: string): Standing {
  if (/[:：]$/.test(sentence)) return 'announces';
  const subject = subjectOf(sentence);
  const hasValue = quotedValues(sentence).length > 0;
  const own = subject.filter((stem) => !REFERS.has(stem));
  if (!hasValue && (subject.length > 0 || ANAPHOR.test(sentence)) && own.length === 0) return 'endorses';
  const kinds = new Set(stems(kindsIn(sentence).join(' ')));
  const isKind = (stem: string): boolean => kinds.has(stem) || kindsIn(stem).length > 0 || stem === 'classe';
  if (!hasValue && CONVENTION.test(sentence) && own.every(isKind)) return 'announces';
  const isClear = own.length > 1 || (own.length === 1 && (NAMES.test(sentence) || !ANAPHOR.test(sentence)));
  return isClear && !REFERS_BACK.test(sentence) ? 'alone' : 'unclear';
}

/** Lines that a program has written: with the time before them, or the level. */
const LOGGED_LINE =
  /^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d{1,2}:\d\d(?::\d\d)?[\].,]|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b[\]:]?[ \t])/;
/** The head of a mail: what follows is somebody's letter, up to the line that parts the signature from it. */
const MAIL_FIELD = /^(?:From|To|Cc|Date|Sent|Subject|Reply-To|Von|An|Betreff|De|À|Objet|Asunto|От|Кому|Тема): \S/i;
const LEAST_FIELDS = 2;
const SIGNATURE = /^-- ?$/;
/** A tag at the beginning of a line opens what was put in as a whole; those by which people structure or mark their own words do not. */
const OPENING_TAG = /^[ \t]*<([a-z][\w-]{0,40})(?:[ \t][^<>]{0,200})?>/i;
const OWN_TAG =
  /^(?:rules?|instructions?|requirements?|conventions?|constraints?|guidelines?|preferences?|tasks?|goals?|important|notes?|request|prompt|private|b|i|u|em|strong|code|kbd|mark|br|p|li)$/i;
/** What somebody or something else is told to have said, as it said it. */
const REPORTED =
  /(?<=\b(?:says?|said|states?|reads|claims?|suggests?|recommends?|writes?|wrote|replied|answered|told (?:me|us)|sagt|schreibt|dit|écrit|dice|escribe|говорит|пишет|сказано|написано)\s{0,3}[:,]?\s{0,3})(?:"[^"\n]{12,2000}(?:"|$)|“[^”\n]{12,2000}(?:”|$)|«[^»\n]{12,2000}(?:»|$)|„[^“\n]{12,2000}(?:“|$))/gimu;

/**
 * A message without what it shows of others: quotations, reminders of the harness, reported speech, mails, logs, and documents between tags. Nobody lays down a rule
 * by showing what a page says; only what people say in words of their own is theirs. Linear.
 */
export function ownWords(text: string): string {
  const lines = withoutShown(text).split('\n');
  const own: string[] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < lines.length; at++) {
    const document = documentAt(lines, at, unclosed) ?? letterAt(lines, at);
    if (document !== undefined) {
      own.push(document.rest);
      at = document.end;
      continue;
    }
    const line = lines[at] ?? '';
    own.push(LOGGED_LINE.test(line) ? '' : line.replace(REPORTED, '…'));
  }
  return own.join('\n');
}

/** Something that is shown as a whole: its last line, and what is said after it in that line. */
interface Shown {
  readonly end: number;
  readonly rest: string;
}

/** `unclosed`: tags that nothing closes further down, which need not be looked for again. */
function documentAt(lines: readonly string[], at: number, unclosed: Set<string>): Shown | undefined {
  const tag = OPENING_TAG.exec(lines[at] ?? '')?.[1]?.toLowerCase();
  if (tag === undefined || OWN_TAG.test(tag) || unclosed.has(tag)) return undefined;
  const closing = `</${tag}>`;
  for (let end = at; end < lines.length; end++) {
    const line = lines[end] ?? '';
    const found = line.toLowerCase().lastIndexOf(closing);
    if (found !== -1) return { end, rest: line.slice(found + closing.length) };
  }
  unclosed.add(tag);
  return undefined;
}

function letterAt(lines: readonly string[], at: number): Shown | undefined {
  let end = at;
  while (MAIL_FIELD.test(lines[end] ?? '')) end++;
  if (end - at < LEAST_FIELDS) return undefined;
  while (end < lines.length && !SIGNATURE.test(lines[end] ?? '')) end++;
  return { end, rest: '' };
}
