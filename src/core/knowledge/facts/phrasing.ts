import { wordsOf } from '../../text/words';
import { quotedValues } from '../../text/terms';
import { kindsIn } from './kinds';
import { Cue, lightPattern } from './lightPattern';

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
export type Standing = 'alone' | 'unclear' | 'endorses' | 'announces';

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
