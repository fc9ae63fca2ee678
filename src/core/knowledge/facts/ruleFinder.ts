import { QUESTION, isProse } from '../../material/statements';
import { bareText } from '../../material/saidText';
import { sentencesOf } from '../../text/sentences';
import { wordsOf } from '../../text/words';
import { parseKeepits } from '../../keepits/markerParser';
import { quotedValues } from '../../text/terms';
import type { SourceMessage, SourceTool } from '../../material/types';
import { withoutPrivate } from '../../text/secrets/privateText';
import { writable } from '../../text/secrets/cleanText';
import type { Evidence } from '../../model/layers';
import { affixesOf } from './affixes';
import { kindsIn, ownWords, standingOf, told, untied } from './phrasing';
import {
  ADDRESSES,
  ASKS,
  FOR_A_WHILE,
  isConvention,
  isLaidDown,
  isShift,
  NEGATIVE,
  NO_RULE,
  ORDERS,
  PREFERENCE,
  PROHIBITION,
  RELEASE,
  STANDING,
} from './triggers';
import { lightPattern } from './lightPattern';

/** Something that a person, or a page, laid down. */
export interface FoundRule {
  readonly content: string;
  readonly key: string;
  readonly isNegative: boolean;
  readonly confidence: number;
  /** `kept`: marked by the human. `release`: lifts or changes a rule, and lays none down where there was none. */
  readonly trigger: 'kept' | 'standing' | 'prohibition' | 'preference' | 'convention' | 'release' | 'order';
  readonly evidence: FactEvidence;
}

const confidences = {
  kept: 0.95,
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
/** Nobody types so many characters: most of it is a document or a log, and perhaps a word to it. */
const PASTED = 2_500;
/** What is marked below this is not worth remembering for long. */
const LEAST_WEIGHT = 0.5;
const MAX_CONTENT = 320;
const MAX_EXCERPT = 240;
/** The rules that a human's message lays down. Nobody else's words make any. */
export function rulesIn(message: SourceMessage): FoundRule[] {
  if (message.role !== 'user') return [];
  return message.texts.flatMap(({ text }) => {
    const { kept, rest } = keptIn(withoutPrivate(text));
    const sentences = sentencesOf(writable(ownWords(bareText(rest))));
    const isPasted = rest.length > PASTED;
    const factor = sentences.length > DOCUMENT ? IN_DOCUMENT : 1;
    const triggers = sentences.map((sentence) => triggerOf(sentence, isPasted));
    return [
      ...kept.flatMap((content) => found(content, { trigger: 'kept', confidence: confidences.kept }, message)),
      ...sentences.flatMap((sentence, at) => {
        const trigger = triggers[at];
        if (trigger === undefined) return [];
        const confidence = confidences[trigger] * factor;
        return wholeOf(at, sentences, triggers)
          .flatMap(parts)
          .flatMap((content) => found(content, { trigger, confidence, excerpt: sentence }, message));
      }),
    ];
  });
}

/** What somebody has marked to be kept is to be remembered, whatever its words; the rest is what stands around it. */
function keptIn(text: string): { kept: string[]; rest: string } {
  const spans = parseKeepits(text).spans.filter(
    ({ weight, content }) =>
      weight >= LEAST_WEIGHT && content.length <= MAX_CONTENT && isProse(content) && !QUESTION.test(content),
  );
  let rest = text;
  // From the end, so that what comes before keeps its place. What goes on after a passage is no sentence by itself.
  for (const { start, end } of spans.toReversed()) rest = `${rest.slice(0, start)}\n\n${rest.slice(end)}`;
  return { kept: spans.map(({ content }) => writable(content.replace(/\s+/g, ' '))), rest };
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

type Trigger = Exclude<FoundRule['trigger'], 'order' | 'kept'>;

function triggerOf(sentence: string, isPasted: boolean): Trigger | undefined {
  if ((QUESTION.test(sentence) && !ASKS.test(sentence)) || !isProse(sentence) || NO_RULE.test(sentence))
    return undefined;
  // In a document somebody else speaks; what the human says to it is addressed to somebody.
  if (isPasted && !ADDRESSES.test(sentence)) return undefined;
  const trigger = layingDown(sentence) ?? layingDown(untied(sentence));
  if (trigger !== undefined && !FOR_A_WHILE.test(sentence)) return trigger;
  return trigger !== undefined || RELEASE.test(sentence) || isShift(sentence) ? 'release' : undefined;
}

function layingDown(sentence: string): Trigger | undefined {
  if (STANDING.test(sentence)) return 'standing';
  if (PROHIBITION.test(sentence)) return 'prohibition';
  if (isConvention(sentence)) return 'convention';
  return PREFERENCE.test(sentence) ? 'preference' : undefined;
}

function found(
  content: string,
  { trigger, confidence, excerpt = content }: Pick<FoundRule, 'trigger' | 'confidence'> & { excerpt?: string },
  { uuid, timestamp }: SourceMessage,
): FoundRule[] {
  const key = wordsKey(content);
  if (key === '' || content.length > MAX_CONTENT) return [];
  const evidence = { messageUuid: uuid, excerpt: excerpt.slice(0, MAX_EXCERPT), ...(timestamp && { ts: timestamp }) };
  return [{ content: told(content), key, isNegative: NEGATIVE.test(content), confidence, trigger, evidence }];
}

/** Equal for the same words in other forms; '' when there is nothing in them. */
export function wordsKey(content: string): string {
  return wordsOf(content)
    .filter(({ weight }) => weight > 0)
    .map(({ stem }) => stem)
    .join(' ');
}

/** How far back people look for what a sentence is about. */
const LOOKS_BACK = 3;

/** What a sentence says, with as much of those around it as is needed; nothing where another one says it. */
function wholeOf(at: number, sentences: readonly string[], triggers: readonly (Trigger | undefined)[]): string[] {
  const sentence = sentences[at] ?? '';
  const standing = standingOf(sentence);
  const isNameless = hasAffix(sentence) && affixesOf(sentence).length === 0;
  if (standing === 'alone' && !isNameless) return [sentence];
  const [before, after] = [sentences[at - 1], sentences[at + 1]];
  if (standing === 'announces') {
    const isSaidThen = after === undefined || triggers[at + 1] !== undefined || QUESTION.test(after) || !isProse(after);
    return isSaidThen ? [] : joined(sentence, after);
  }
  if (standing === 'endorses') {
    const isSaid =
      before === undefined || triggers[at - 1] !== undefined || QUESTION.test(before) || !isLaidDown(before);
    return isSaid ? [] : [before];
  }
  return [withSubject(at, sentences)];
}

function joined(one: string, other: string): string[] {
  const both = `${one} ${other}`;
  return both.length <= MAX_CONTENT ? [both] : [other];
}

/** `Always start them with 'x_'` says nothing by itself: what it is about stands before it. */
function withSubject(at: number, sentences: readonly string[]): string {
  const sentence = sentences[at] ?? '';
  const earlier = sentences.slice(Math.max(0, at - LOOKS_BACK), at).reverse();
  const [nearest] = earlier;
  const before = hasAffix(sentence) ? (earlier.find((one) => kindsIn(one).length > 0) ?? nearest) : nearest;
  if (before === undefined || before.length + sentence.length > MAX_CONTENT) return sentence;
  // What stands before may be a rule of its own, with a value that changes by itself.
  const named = hasAffix(sentence) && hasAffix(before) ? ABOUT.exec(before)?.[0] : undefined;
  return named === undefined ? `${before} ${sentence}` : `For ${named.toLowerCase()}: ${sentence}`;
}

const AFFIX = /(['"`“‘])(?:[^\s'"`“”‘’_]+_|_[^\s'"`“”‘’_]+)['"`”’]/g;
const SPLIT = lightPattern(
  /,?\s{1,20}(?:and|while|but)\s{1,20}(?=(?:also\s{1,20}|always\s{1,20}|to\s{1,20}|then\s{1,20}|for\s{1,20})?(?:always\s{1,20})?(?:start|begin|end|prefix|suffix|finish|includ|contain|for|your|all|(?:\p{L}{1,80} ){1,3}names?))/iu,
);

/** Where one of two values ends and what is said of the next one begins. */
const BETWEEN = /(?:[,;]\s*(?:and|while|but|with|plus)?|\s(?:and|while|but|plus|und|et|y|и))\s+/i;
/** Between two values that are one and the same: what it was, and what it is. */
const REPLACED =
  /\b(?:instead of|rather than|in place of|no (?:longer|more)|never|any ?more|to|from|not|or|replac\w+|over)\s*$/i;
const ABOUT =
  /(?:(?:(?:function|method|class|instance) )?(?:argument|attribute|parameter|variable)|function|method|class|constant)s?(?: names?)?/i;

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

/** Where in a session something was found. */
export type FactEvidence = Pick<Evidence, 'messageUuid' | 'excerpt' | 'ts'>;
