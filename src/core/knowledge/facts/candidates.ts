import type { SourceMessage } from '../../material/types';
import { isCourtesy, isProse } from '../../material/statements';
import { withoutPrivate } from '../../text/secrets/privateText';
import { wordsOf } from '../../text/words';
import { evidenceOf, type FactEvidence, isSaidOfElse, ownSentences, wordsKey } from './stated';
import { LIKELY, statementScore } from './statementModel';
import type { CoreLogicFact, FactsDocument } from '../../model/layers';
import { type Reading, readStatement, valueKey } from '../../material/replacing';
import { ANSWERED } from './decisions';
import { allFacts, tombstone } from './factLists';
import { pushTo } from '../../text/ownValue';

/** A sentence of a person's that may be meant to hold. It is offered for review, and counts for nothing before. */
export interface Candidate {
  readonly content: string;
  readonly key: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly evidence: FactEvidence;
}

const MOST_PER_MESSAGE = 2;
const MAX_CONTENT = 320;
const LEAST_WORDS = 3;
/** A longer message is mostly pasted; what people type to it stands first. */
const PASTED = 1_200;
const TYPED = 300;
/** Of a log, a listing or a piece of code. */
const NO_WORDS = /^[^\p{L}\p{N}"'`@(“«「]|[\u2500-\u257f]|\p{L}\(.{0,80}\)\s*[{:=]|=>|[;{}]\s*$/u;

const LEADS_ON = /[:：]$/u;
const ENDS = /[\n.!?。！？]/gu;

/** The sentences of a message that may be rules, decisions, preferences or facts, the likeliest first. */
export function candidatesIn(message: SourceMessage): Candidate[] {
  if (message.role !== 'user' || message.origin === 'answer') return [];
  const sentences = message.texts.flatMap(({ text }) => ownSentences(typed(withoutPrivate(text))));
  return sentences
    .filter((sentence) => sentence.length <= MAX_CONTENT && isTelling(sentence) && !isSaidOfElse(sentence))
    .map((content) => ({
      content,
      key: wordsKey(content),
      score: statementScore(content),
      evidence: evidenceOf(message, content),
    }))
    .filter(({ score }) => score >= LIKELY)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_PER_MESSAGE);
}

function typed(text: string): string {
  if (text.length <= PASTED) return text;
  const end = [...text.slice(0, TYPED).matchAll(ENDS)].at(-1);
  return text.slice(0, end === undefined ? 0 : end.index + 1);
}

/** What only leads to what comes next, or was torn apart in a bracket. */
function isOpen(sentence: string): boolean {
  const bracket = sentence.lastIndexOf('(');
  return LEADS_ON.test(sentence) || (bracket > sentence.lastIndexOf(')') && /\p{L}/u.test(sentence.slice(bracket)));
}

function isTelling(sentence: string): boolean {
  if (!isProse(sentence) || isCourtesy(sentence) || NO_WORDS.test(sentence) || isOpen(sentence)) return false;
  return wordsOf(sentence).filter(({ weight }) => weight > 0).length >= LEAST_WORDS;
}

/** So much of the same words, in the same message, is the same statement. */
const SAME_WORDS = 0.5;

/** What is found of a fact: what it says, and where. */
export interface Found {
  readonly key: string;
  readonly reading: Reading;
  readonly evidence: FactEvidence;
}

/** What people did not want to be told again: by its words, by what it says, and by the message that says it. */
export class RefusedFacts {
  private readonly keys: ReadonlySet<string>;
  private readonly values: ReadonlySet<string>;
  private readonly byMessage = new Map<string, string[]>();
  private readonly forgotten: ReadonlySet<string>;

  constructor({ permanent, proposed, forgotten }: FactsDocument) {
    const refused = [...allFacts(permanent), ...proposed].filter(({ isRejected }) => isRejected === true);
    this.keys = new Set(refused.flatMap(({ key }) => key ?? []));
    this.values = new Set(refused.flatMap((fact) => ('problem' in fact ? [] : valueKey(factReading(fact)))));
    this.forgotten = new Set(forgotten);
    for (const { evidence, key } of refused)
      if (evidence !== undefined && key !== undefined) pushTo(this.byMessage, evidence.messageUuid, key);
  }

  has({ key, reading, evidence }: Found): boolean {
    const value = valueKey(reading);
    if (this.forgotten.has(tombstone(key)) || this.keys.has(key)) return true;
    if (value !== '' && (this.values.has(value) || this.forgotten.has(tombstone(value)))) return true;
    return (this.byMessage.get(evidence.messageUuid) ?? []).some(
      (other) => isMostly(other, key) || isMostly(key, other),
    );
  }
}

/** What a fact says, as it is compared. */
function factReading(fact: { content: string } | { feature: string; description: string }): Reading {
  return 'content' in fact ? readStatement(fact.content) : decisionReading(fact);
}

/** Of an answer its own words count; a plan names much that it does not choose. */
export function decisionReading({ feature, description }: Pick<CoreLogicFact, 'feature' | 'description'>): Reading {
  const words = answerIn(description);
  return readStatement(
    words !== description && words.includes(';') ? '' : words,
    feature === description ? '' : feature,
  );
}

/** What a person said, without what they said it to. */
export function answerIn(description: string): string {
  const asked = description.indexOf(ANSWERED);
  return asked === -1 ? description : description.slice(asked + ANSWERED.length);
}

export function isMostly(one: string, other: string): boolean {
  const [few, many] = [one.split(' '), new Set(other.split(' '))];
  return few.filter((word) => many.has(word)).length >= SAME_WORDS * few.length;
}
