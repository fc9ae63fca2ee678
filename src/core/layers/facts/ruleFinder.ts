import { QUESTION } from '../../compression/facts/cues';
import { bareText } from '../../compression/facts/saidText';
import { sentencesOf } from '../../compression/facts/sentences';
import { isProse } from '../../compression/facts/statements';
import { wordsOf } from '../../compression/facts/words';
import { quotedValues } from '../../compression/local/terms';
import type { SourceMessage, SourceTool } from '../../compression/types';
import type { FactEvidence } from './foundFact';
import { writable } from '../writable';
import { isConvention, NEGATIVE, NO_RULE, ORDERS, PREFERENCE, PROHIBITION, RELEASE, STANDING } from './triggers';
import { lightPattern } from './lightPattern';

/** Something that a person, or a page, laid down. */
export interface FoundRule {
  readonly content: string;
  readonly key: string;
  readonly isNegative: boolean;
  readonly confidence: number;
  /** `release`: lifts a rule, and lays none down where there was none. */
  readonly trigger: 'standing' | 'prohibition' | 'preference' | 'convention' | 'release' | 'order';
  readonly evidence: FactEvidence;
}

const confidences = {
  standing: 0.95,
  prohibition: 0.85,
  preference: 0.75,
  convention: 0.7,
  release: 0.7,
  order: 0.3,
} as const;
/** A message of more sentences than this holds a document, whose rules are somebody's, and perhaps not the project's. */
const DOCUMENT = 60;
const IN_DOCUMENT = 0.7;
const MAX_CONTENT = 320;
const MAX_EXCERPT = 240;
/** Says whose names are meant. */
const NAMES = lightPattern(/\p{L}{4,} names?\b/iu);
/** What stands for something that was named before. */
const ANAPHOR = /\b(?:them|it|they|the (?:name|same))\b/i;

/** Words by which a rule is put. */
const MANNER = new Set(
  wordsOf(
    'always never must should use using used start starting begin beginning end ending include including add adding write writing please make sure ensure from now on going moving ' +
      'forward remember it them they this that these those one name names do everything things want like need you your them also just so well first firstly next another only ' +
      'convention standard rule practice approach change update важно всегда никогда это их immer nie das siempre nunca toujours jamais',
  ).map(({ stem }) => stem),
);

/** The rules that a human's message lays down. Nobody else's words make any. */
export function rulesIn(message: SourceMessage): FoundRule[] {
  if (message.role !== 'user') return [];
  return message.texts.flatMap(({ text }) => {
    const sentences = sentencesOf(writable(bareText(text)));
    const factor = sentences.length > DOCUMENT ? IN_DOCUMENT : 1;
    return sentences.flatMap((sentence, at) => {
      const trigger = triggerOf(sentence);
      if (trigger === undefined) return [];
      return parts(withSubject(sentence, sentences[at - 1])).flatMap((content) =>
        found(content, { trigger, confidence: confidences[trigger] * factor, excerpt: sentence }, message),
      );
    });
  });
}

/** What tools and pages tell their reader to do. It is kept apart, for people to see. */
export function ordersIn(message: SourceMessage): FoundRule[] {
  return message.tools.filter(isPage).flatMap((tool) =>
    sentencesOf(writable(tool.result))
      .filter((sentence) => ORDERS.test(sentence) && isProse(sentence))
      .slice(0, 2)
      .flatMap((sentence) =>
        found(sentence, { trigger: 'order', confidence: confidences.order, excerpt: sentence }, message),
      ),
  );
}

/** Results that somebody unknown has written. */
function isPage({ name, isError }: SourceTool): boolean {
  return !isError && /^(?:WebFetch|WebSearch|mcp__)/.test(name);
}

function triggerOf(sentence: string): Exclude<FoundRule['trigger'], 'order'> | undefined {
  if (QUESTION.test(sentence) || !isProse(sentence) || NO_RULE.test(sentence)) return undefined;
  if (STANDING.test(sentence)) return 'standing';
  if (PROHIBITION.test(sentence)) return 'prohibition';
  if (isConvention(sentence)) return 'convention';
  if (PREFERENCE.test(sentence)) return 'preference';
  return RELEASE.test(sentence) ? 'release' : undefined;
}

function found(
  content: string,
  { trigger, confidence, excerpt }: Pick<FoundRule, 'trigger' | 'confidence'> & { excerpt: string },
  { uuid, timestamp }: SourceMessage,
): FoundRule[] {
  const key = keyOf(content);
  if (key === '' || content.length > MAX_CONTENT) return [];
  const evidence = { messageUuid: uuid, excerpt: excerpt.slice(0, MAX_EXCERPT), ...(timestamp && { ts: timestamp }) };
  return [{ content, key, isNegative: NEGATIVE.test(content), confidence, trigger, evidence }];
}

/** Equal for the same words in other forms; '' when there is nothing in them. */
export function keyOf(content: string): string {
  return wordsOf(content)
    .filter(({ weight }) => weight > 0)
    .map(({ stem }) => stem)
    .join(' ');
}

/** `Always start them with 'x_'` says nothing by itself: what it is about stands before it. */
function withSubject(sentence: string, before: string | undefined): string {
  if (before === undefined || before.length + sentence.length > MAX_CONTENT) return sentence;
  const values = new Set(quotedValues(sentence).flatMap((value) => wordsOf(value).map(({ stem }) => stem)));
  const subject = wordsOf(sentence).filter(
    ({ stem, weight }) => weight > 0 && !MANNER.has(stem) && !values.has(stem) && stem !== '¬',
  );
  const isClear = subject.length > 1 || (subject.length === 1 && (NAMES.test(sentence) || !ANAPHOR.test(sentence)));
  if (isClear) return sentence;
  // What stands before may be a rule of its own, with a value that changes by itself.
  const named = hasAffix(sentence) && hasAffix(before) ? ABOUT.exec(before)?.[0] : undefined;
  return named === undefined ? `${before} ${sentence}` : `For ${named.toLowerCase()}: ${sentence}`;
}

const AFFIX = /(['"`“‘])(?:[^\s'"`“”‘’_]+_|_[^\s'"`“”‘’_]+)['"`”’]/g;
const SPLIT = lightPattern(
  /,?\s+(?:and|while|but)\s+(?=(?:also\s+|always\s+|to\s+|then\s+|for\s+)?(?:always\s+)?(?:start|begin|end|prefix|suffix|finish|includ|contain|for|your|all|(?:\p{L}+ ){1,3}names?))/iu,
);

/** Where one of two values ends and what is said of the next one begins. */
const BETWEEN = /(?:[,;]\s*(?:and|while|but|with|plus)?|\s(?:and|while|but|plus|und|et|y|и))\s+/i;
/** Between two values that are one and the same: what it was, and what it is. */
const REPLACED = /\b(?:instead of|rather than|to|from|not|or|replac\w+|over)\s*$/i;
const ABOUT =
  /(?:function argument|argument|function|method|attribute|variable|class|parameter|constant)s?(?: names?)?/i;

/** A sentence that lays down how names begin and something else about them is two rules, of which one may change without the other. */
function parts(sentence: string): string[] {
  if (quotedValues(sentence).length < 2) return [sentence];
  const [left, right] = splitOnce(sentence);
  if (right === undefined || left === undefined || (!hasAffix(left) && !hasAffix(right))) return [sentence];
  if (quotedValues(left).length === 0 || quotedValues(right).length === 0) return [sentence];
  const named = ABOUT.exec(left)?.[0];
  const whole = ABOUT.test(right) || named === undefined ? right : `For ${named.toLowerCase()} ${right}`;
  return [left, ...parts(whole)];
}

function splitOnce(sentence: string): (string | undefined)[] {
  const at = SPLIT.exec(sentence);
  if (at !== null) return [sentence.slice(0, at.index), sentence.slice(at.index + at[0].length)];
  const [first, second] = [...sentence.matchAll(AFFIX)];
  if (first === undefined || second === undefined) return [sentence];
  const end = first.index + first[0].length;
  const gap = sentence.slice(end, second.index);
  const cut = BETWEEN.exec(gap);
  if (cut === null || REPLACED.test(gap)) return [sentence];
  return [sentence.slice(0, end + cut.index), sentence.slice(end + cut.index + cut[0].length)];
}

function hasAffix(text: string): boolean {
  return text.match(AFFIX) !== null;
}
