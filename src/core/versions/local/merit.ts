import type { MessageOrigin, Role } from '../../transcript/types';
import { cueNames, type Cues } from './cues';
import type { Piece } from './pieces';
import type { StepKind } from './stepLines';

/** Where a piece stands. */
export interface PiecePlace {
  readonly role: Role;
  readonly origin: MessageOrigin;
  /** The first words of the message. */
  readonly isFirst: boolean;
  /** In the last message before the human speaks again: what the assistant reports. */
  readonly isReport: boolean;
  /** How many pieces the message has, and which of them this is: what is pasted is long. */
  readonly siblings: number;
  readonly position: number;
}

/** A message with more pieces than this is mostly pasted: what stands in the middle of it nobody said. */
const PASTED_PIECES = 25;
const OWN_FIRST = 6;
const OWN_LAST = 2;
const PASTED = 0.4;

/** Courtesies that are longer than this say something as well. */
const COURTEOUS = 60;
/** `Note`, `Fair enough.`, `[Image #1]`: nobody knows later what it was about. */
const WORD_OR_TWO = 13;
/** A sentence as short as this that names nothing says little by itself. */
const SHORT = 40;
const TELLING = /[`'"/_\d\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\p{Ll}\p{Lu}|\.\p{Ll}/u;

/** A value that is meant to the letter. */
const LITERAL = /[`'"“«「][^`'"”»」]{1,40}[`'"”»」]|[\p{L}\d]_|_[\p{L}\d]|@\p{L}|\p{Ll}\p{Lu}|\d/u;

/** What a piece of what was said is worth before anything is known of the others. 1 is a plain sentence of the assistant's report. */
export function pieceMerit(piece: Piece, cues: Cues, place: PiecePlace): number {
  if (piece.kind === 'heading') return 0.8;
  if (piece.kind === 'code') return place.role === 'user' ? 0.5 : 0.45;
  if (place.role === 'assistant') return assistantMerit(piece, cues, place);
  return isPasted(place) ? PASTED * assistantMerit(piece, cues, place) : humanMerit(piece, cues, place);
}

/** Whether a piece stands in the middle of a long message, where people paste documents and logs. */
export function isPasted({ siblings, position }: PiecePlace): boolean {
  return siblings > PASTED_PIECES && position >= OWN_FIRST && position < siblings - OWN_LAST;
}

function humanMerit(piece: Piece, cues: Cues, { isFirst }: PiecePlace): number {
  if (cues.isCourtesy && !cues.isRule && piece.text.length < COURTEOUS) return 0.15;
  let merit = 1.3 * cueFactor(cues, HUMAN_CUES);
  if (isFirst) merit *= 1.2;
  if (cues.isRule && !cues.isQuestion) merit *= LITERAL.test(piece.text) ? 2.6 : 1.8;
  if (cues.isQuestion && !isFirst) merit *= 0.8;
  if (!isFirst && piece.text.length < WORD_OR_TWO && !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(piece.text))
    merit *= 0.3;
  return merit;
}

function assistantMerit({ text }: Piece, cues: Cues, { isReport }: PiecePlace): number {
  if (cues.isCourtesy && text.length < COURTEOUS && !LITERAL.test(text)) return 0.1;
  let merit = (isReport ? 1 : 0.75) * cueFactor(cues, ASSISTANT_CUES);
  if (text.endsWith(':')) merit *= 0.5;
  if (text.length < SHORT && !TELLING.test(text)) merit *= 0.5;
  if (cues.isQuestion) merit *= isReport ? 0.7 : 0.4;
  return merit;
}

type CueFactors = Readonly<Partial<Record<keyof Cues, number>>>;

const HUMAN_CUES: CueFactors = { isDecision: 1.4, isChange: 1.15, isError: 1.15, isReason: 1.1 };
const ASSISTANT_CUES: CueFactors = {
  isAnnouncement: 0.4,
  isDecision: 1.35,
  isReason: 1.3,
  isError: 1.2,
  isFix: 1.2,
  isRule: 1.1,
};

function cueFactor(cues: Cues, factors: CueFactors): number {
  let product = 1;
  for (const cue of cueNames) if (cues[cue]) product *= factors[cue] ?? 1;
  return product;
}

const STEP_MERITS: Readonly<Record<StepKind, number>> = {
  edit: 1.1,
  write: 1.2,
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
