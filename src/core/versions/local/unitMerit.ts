import { hasPhrase } from '../../text/phrases';
import { CLASS_WEIGHTS, findTerms } from '../../text/terms';
import { QUESTION } from '../../text/sentences';
import { isAnnouncement, isCourtesy, withoutCourtesy } from '../../material/statements';
import type { Role } from '../../transcript/types';
import type { Piece } from './pieces';
import type { StepKind } from '../../material/toolKinds';

/** Where a piece stands. */
export interface PiecePlace {
  readonly role: Role;
  /** The first words of a request. */
  readonly isFirst: boolean;
  /** In the last message before the other one speaks again: what is reported. */
  readonly isReport: boolean;
  /** How many pieces the message has, and which of them this is: what is pasted is long. */
  readonly siblings: number;
  readonly position: number;
}

/** Whether a sentence tells how things are to be. */
export function isRule({ kind, text }: Piece, place: PiecePlace): boolean {
  if ((kind !== 'sentence' && kind !== 'item') || isPasted(place) || QUESTION.test(text)) return false;
  const beginning = withoutCourtesy(text);
  return hasPhrase('rules', beginning) || hasPhrase('asks', beginning);
}

/** A message with more pieces than this is mostly pasted: what stands in the middle of it nobody said. */
const PASTED_PIECES = 25;
const OWN_FIRST = 6;
const OWN_LAST = 2;

/** Whether a piece stands in the middle of a long message of the human's, where people paste documents and logs. */
function isPasted({ role, siblings, position }: PiecePlace): boolean {
  return role === 'user' && siblings > PASTED_PIECES && position >= OWN_FIRST && position < siblings - OWN_LAST;
}

/** A sentence as short as this that names nothing says little by itself. */
const SHORT = 40;
/** `Note`, `Fair enough.`, `[Image #1]`: nobody knows later what it was about. */
const WORD_OR_TWO = 13;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const TELLING = /(?<!\p{L})'|[`"/_\d\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\p{Ll}\p{Lu}|\.\p{Ll}/u;
/** A value that is meant to the letter. */
const LITERAL = /(?<![\p{L}\d])[`'"“«「][^`'"”»」]{1,40}[`'"”»」]|[\p{L}\d]_|_[\p{L}\d]|@\p{L}|\p{Ll}\p{Lu}|\d/u;
const EXCLAIMED = /[!！]["')\]*_”»」]*$/;

const MERITS = {
  heading: 0.8,
  code: 0.45,
  /** The assistant's words while it works, beside its report. */
  underway: 0.75,
  /** What the human asks for, and how it is to be. */
  request: 1.2,
  rule: 2,
  literalRule: 3.5,
  courtesy: 0.1,
  question: 0.6,
  exclamation: 0.6,
  short: 0.5,
  wordOrTwo: 0.3,
  leadIn: 0.5,
  announcement: 0.3,
  pasted: 0.4,
} as const;

/** What a piece of what was said is worth before it is known how specific its words are. 1 is a plain sentence, whoever said it. */
export function pieceMerit(piece: Piece, place: PiecePlace): number {
  const { kind, text } = piece;
  if (kind === 'heading' || kind === 'code') return MERITS[kind];
  if (isCourtesy(text) && !LITERAL.test(text) && !isRule(piece, place)) return MERITS.courtesy;
  let merit = place.role === 'user' ? humanMerit(piece, place) : assistantMerit(text, place);
  if (EXCLAIMED.test(text)) merit *= MERITS.exclamation;
  if (text.length < SHORT && !TELLING.test(text)) merit *= MERITS.short;
  return merit;
}

function assistantMerit(text: string, { isReport }: PiecePlace): number {
  const merit = (isReport ? 1 : MERITS.underway) * (QUESTION.test(text) ? MERITS.question : 1);
  if (text.endsWith(':')) return merit * MERITS.leadIn;
  return isAnnouncement(text) ? merit * MERITS.announcement : merit;
}

function humanMerit(piece: Piece, place: PiecePlace): number {
  const { text } = piece;
  if (isPasted(place)) return MERITS.pasted;
  if (isRule(piece, place)) return ruleMerit(text);
  if (place.isFirst) return MERITS.request;
  if (text.length < WORD_OR_TWO && !UNSPACED.test(text)) return MERITS.wordOrTwo;
  return QUESTION.test(text) ? MERITS.question : 1;
}

/** Small talk sounds like rules too (`taking a break is important`): what is to be done later speaks of something by its name. */
function ruleMerit(text: string): number {
  if (LITERAL.test(text)) return MERITS.literalRule;
  for (const { class: of } of findTerms(text)) if (CLASS_WEIGHTS[of] > CLASS_WEIGHTS.word) return MERITS.rule;
  return MERITS.request;
}

const STEP_MERITS: Readonly<Record<StepKind, number>> = {
  edit: 2.3,
  write: 2.4,
  command: 0.8,
  read: 0.3,
  search: 0.15,
  web: 0.5,
  agent: 0.6,
  plan: 0.5,
  todo: 0,
  other: 0.4,
};

/** What a condensed tool step is worth; one that failed tells more. */
export function stepMerit(kind: StepKind, isError: boolean): number {
  return isError ? Math.max(1, STEP_MERITS[kind]) : STEP_MERITS[kind];
}

const DETAIL_MERITS: Readonly<Record<StepKind, number>> = {
  edit: 0.16,
  write: 0.1,
  command: 0.07,
  read: 0.04,
  search: 0.03,
  web: 0.06,
  agent: 0.2,
  plan: 0.3,
  todo: 0,
  other: 0.05,
};

/** What a few lines out of a step's input or result are worth. */
export function detailMerit(kind: StepKind, isError: boolean): number {
  return DETAIL_MERITS[kind] * (isError ? 1.5 : 1);
}
