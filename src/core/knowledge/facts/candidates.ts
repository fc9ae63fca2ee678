import type { SourceMessage } from '../../material/types';
import { isCourtesy, isProse } from '../../material/statements';
import { withoutPrivate } from '../../text/secrets/privateText';
import { wordsOf } from '../../text/words';
import { evidenceOf, isSaidOfElse, ownSentences, wordsKey, type FactEvidence } from './stated';
import { LIKELY, statementScore } from './statementModel';

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
