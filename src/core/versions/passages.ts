import * as z from 'zod/mini';
import { findCodeBlocks } from '../keepits/codeRanges';
import { openTasks } from '../material/deeds';
import { bareText } from '../text/words';
import { isAnnouncement, isCourtesy, isProse, withoutCourtesy } from '../material/statements';
import type { SourceMessage } from '../material/types';
import { hasPhrase } from '../text/phrases';
import { singleSpaced } from '../text/cleanText';
import { withoutSecrets } from '../text/secrets/cleanText';
import { splitSentences } from '../text/sentences';
import { CLASS_WEIGHTS, findTerms } from '../text/terms';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import type { Role } from '../transcript/types';
import { deedsText, stepPieces, stepText } from './stepTexts';

/** A sentence or a line of a passage. */
export interface PassagePiece {
  /** Where it is in the text. */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  /** It is in when the longest that is asked or answered may have so many tokens: the most telling of a passage comes first. */
  readonly enters: number;
}

/** Something that a session says, in its own words: a request, what came of it, or what was said and done on the way. */
export interface Passage {
  readonly kind: 'asked' | 'outcome' | 'said' | 'done' | 'deed' | 'step';
  readonly role: Role;
  /** The message that it is of. */
  readonly uuid: string;
  /** The record of the transcript that holds the words. */
  readonly recordUuid: string;
  /** Without secrets and without what is private. */
  readonly text: string;
  /** In order; between them there is nothing but white space. */
  readonly pieces: readonly PassagePiece[];
}

type Told = Omit<Passage, 'pieces'> & { readonly isPlan?: boolean; readonly isOffer?: boolean };

/** What stands around a passage: who says it, and the blank line after it. */
export const AROUND_PASSAGE = 4;

interface PieceTerm {
  readonly key: string;
  readonly weight: number;
}

/** A passage whose pieces are not compared with others yet. */
export interface BarePassage extends Told {
  readonly bare: readonly (Omit<PassagePiece, 'enters'> & {
    readonly terms: readonly PieceTerm[];
    /** How much it tells for what it is, whatever its terms. */
    readonly worth: number;
    /** Of the length of others: little where nobody will ask for it, because it is no prose, or announces what is done next. */
    readonly share: number;
    /** Its number or letter in a list; '' for what is none of a list that is counted. */
    readonly point: string;
  })[];
}

/** The passages of a session, in its order; with each step of its tools where there is room for that. */
export function passagesOf(
  messages: readonly SourceMessage[],
  counter: TokenCounter,
  { hasSteps = false }: { hasSteps?: boolean } = {},
): BarePassage[] {
  const told = [...withoutEarlierPlans(toldIn(messages, hasSteps)), ...leftToDo(messages)];
  return told.flatMap((one, index) => {
    const text = withoutSecrets(bareText(one.text)).trim();
    if (text === '') return [];
    const isStep = one.kind === 'step' || one.kind === 'deed';
    const bounds = isStep ? stepPieces(text, one.kind === 'deed') : piecesIn(text);
    const bare = bounds.map(([start, end], at) => {
      const piece = text.slice(start, end);
      const terms = new Map(
        [...(isStep ? [] : findTerms(piece))].map(({ key, class: of }) => [key, CLASS_WEIGHTS[of]]),
      );
      const tokens = counter.count(piece) + 1;
      const isOver = !isStep && isOverIn(piece, { one, isLast: at === bounds.length - 1, next: told[index + 1] });
      const isPassing = isStep
        ? at > 0 || one.kind === 'step'
        : isLong(piece, one, tokens) || isVague(piece, one, terms.values());
      return {
        start,
        end,
        tokens,
        terms: [...terms].slice(0, MOST_TERMS).map(([key, weight]) => ({ key, weight })),
        worth: isOver || isPassing ? PASSING : placeWorth(one, at, bounds.length) * cueWorth(piece, one),
        share: isOver ? OVER : isPassing ? PASSING : 1,
        point: isStep ? '' : (POINT.exec(piece)?.[1] ?? ''),
      };
    });
    return [{ ...one, text, bare }];
  });
}

/** Whether it was done, or answered, by the time that anybody reads it. */
function isOverIn(
  piece: string,
  { one, isLast, next }: { one: Told; isLast: boolean; next: Told | undefined },
): boolean {
  if (one.role !== 'assistant') return piece !== one.text.trim() && !/[\p{L}\p{N}]/u.test(withoutCourtesy(piece));
  if (isAnnouncement(piece) || isCourtesy(piece) || (one.kind === 'said' && isLast && LEADS_ON.test(piece)))
    return true;
  // A short answer says nothing without its question.
  return isLast && ASKS.test(piece) && !(next?.kind === 'asked' && next.text.length <= SHORT_ANSWER);
}

const ASKS = /[?？]\**$/u;
const SHORT_ANSWER = 60;

/** A log or code can be had again, but for the few lines that are the answer. */
function isLong(piece: string, { kind }: Told, tokens: number): boolean {
  if (isProse(piece)) return false;
  const isShort = tokens <= (COMMANDS_START.test(piece) ? SHORT_COMMANDS : SHORT_CODE);
  return !(kind === 'outcome' && isShort && FENCE_START.test(piece));
}

/** What is said on the way and names nothing tells how it went: `The tests pass.` */
function isVague(piece: string, { kind, role }: Told, weights: Iterable<number>): boolean {
  if (kind !== 'said' || cueWorth(piece, { role }) > 1) return false;
  return [...weights].every((weight) => weight === CLASS_WEIGHTS.word || weight === CLASS_WEIGHTS.craft);
}

/** The number or letter of a point in a list. */
const POINT = /^\s*(?:#{1,6} )?[*_]{0,2}(\d{1,2}|[A-Z])[.)]\s/;

const FENCE_START = /^(?:`{3}|~{3})/;
const SHORT_CODE = 100;
/** Commands that a person is told to run are the answer more often. */
const COMMANDS_START = /^(?:`{3}|~{3})(?:bash|sh|shell|zsh|console|powershell|cmd)\b/;
const SHORT_COMMANDS = 200;
/** The last words before a tool is called say what it is called for: a heading, or a line with a colon at its end. */
const LEADS_ON = /^#{1,6} .*$|^\*\*[^*]+\*\*:?$|[:：]\**$/u;
const MOST_TERMS = 80;

/** What somebody begins with says what it is about; before what was pasted, above all. */
const FIRST = 1.5;
const BEFORE_PASTED = 3;
/** Longer requests are mostly a document or a log: what was typed stands around it. */
export const TYPED_PIECES = 12;
const PASTED = 0.3;

function placeWorth({ kind }: Told, at: number, count: number): number {
  const isPaste = kind === 'asked' && count > TYPED_PIECES;
  if (at === 0) return isPaste ? BEFORE_PASTED : FIRST;
  return isPaste && at > 2 && at < count - 2 ? PASTED : 1;
}

/** A rule, a wish, a reason or a choice is what is asked for later; what is exclaimed says how it went. */
const TELLING = 2;
const EXCLAIMED = 0.6;

function cueWorth(piece: string, { role }: Pick<Told, 'role'>): number {
  const cues =
    role === 'user' ? (['rules', 'decides', 'asks'] as const) : (['reasons', 'decides', 'contrasts'] as const);
  return (cues.some((cue) => hasPhrase(cue, piece)) ? TELLING : 1) * (piece.endsWith('!') ? EXCLAIMED : 1);
}

/** Sentences and lines; a block of code is one piece. */
function piecesIn(text: string): [number, number][] {
  const pieces: [number, number][] = [];
  let from = 0;
  for (const { start, end } of findCodeBlocks(text)) {
    pieces.push(...sentencesIn(text, from, start), [start, start + text.slice(start, end).trimEnd().length]);
    from = end;
  }
  return [...pieces, ...sentencesIn(text, from, text.length)];
}

function sentencesIn(text: string, from: number, to: number): [number, number][] {
  const pieces: [number, number][] = [];
  let position = from;
  for (const line of text.slice(from, to).split('\n')) {
    let at = position;
    for (const sentence of splitSentences(line)) {
      const start = text.indexOf(sentence, at);
      if (start === -1 || start + sentence.length > position + line.length) continue;
      pieces.push([start, start + sentence.length]);
      at = start + sentence.length;
    }
    position += line.length + 1;
  }
  return pieces;
}

/** How a session is told. */
interface Telling {
  readonly hasSteps: boolean;
  /** What the human said next. */
  readonly reply: string;
}

/** What the assistant said after a request up to the next one: the last of it says what came of the request. */
function toldInTurn(messages: readonly SourceMessage[], telling: Telling): Told[] {
  const told = messages.flatMap((message) => [
    ...plansOf(message),
    ...wordsAndSteps(message, telling),
    ...offersOf(message),
  ]);
  const deeds = telling.hasSteps ? [] : deedsOf(messages, telling);
  const last = told.findLastIndex(({ kind }) => kind === 'said');
  const outcome = told[last];
  if (outcome === undefined) return [...told, ...deeds];
  return [...told.slice(0, last), ...deeds, { ...outcome, kind: 'outcome' }, ...told.slice(last + 1)];
}

function wordsAndSteps({ role, uuid, texts, tools }: SourceMessage, { hasSteps, reply }: Telling): Told[] {
  const steps = (before: (afterText: number) => boolean): Told[] =>
    (hasSteps ? tools : []).flatMap((tool): Told[] => {
      const step = before(tool.afterText) ? stepText(tool, reply) : undefined;
      return step === undefined
        ? []
        : [{ kind: step.isDeed ? 'deed' : 'step', role, uuid, recordUuid: uuid, text: step.text }];
    });
  return [
    ...texts.flatMap(({ text, recordUuid }, at): Told[] => [
      ...steps((afterText) => afterText === at),
      { kind: 'said', role, uuid, recordUuid, text },
    ]),
    ...steps((afterText) => afterText >= texts.length),
  ].filter(({ text }) => text.trim() !== '');
}

/** What was done in a turn. */
function deedsOf(messages: readonly SourceMessage[], { reply }: Telling): Told[] {
  const last = messages.at(-1);
  const text = deedsText(
    messages.flatMap(({ tools }) => tools),
    reply,
  );
  if (last === undefined || text === '') return [];
  return [{ kind: 'done', role: last.role, uuid: last.uuid, recordUuid: last.uuid, text }];
}

function toldIn(messages: readonly SourceMessage[], hasSteps: boolean): Told[] {
  const told: Told[] = [];
  let turn: SourceMessage[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      turn.push(message);
      continue;
    }
    const { role, uuid, texts } = message;
    const text = texts.map((one) => one.text).join('\n\n');
    told.push(...toldInTurn(turn, { hasSteps, reply: text }), {
      kind: 'asked',
      role,
      uuid,
      recordUuid: texts[0]?.recordUuid ?? uuid,
      text,
    });
    turn = [];
  }
  return [...told, ...toldInTurn(turn, { hasSteps, reply: '' })];
}

/** A plan that was put before a person says what is to be done better than what is said about it. */
function plansOf({ role, uuid, tools }: SourceMessage): Told[] {
  return tools.flatMap((tool) => {
    const { plan } = tool.input;
    // One that was refused is over: what is wrong with it stands in the words of the refusal, and the next one has it right.
    const isPlan = tool.name === 'ExitPlanMode' && typeof plan === 'string';
    return isPlan && !tool.isError
      ? [{ kind: 'outcome' as const, role, uuid, recordUuid: uuid, text: `Plan: ${plan}`, isPlan: true }]
      : [];
  });
}

const askingSchema = z.looseObject({
  questions: z.array(
    z.looseObject({
      header: z.optional(z.string()),
      options: z.array(z.looseObject({ label: z.string(), description: z.optional(z.string()) })),
    }),
  ),
});

/** What a person could choose from: their answer names the question, and one of the options alone. */
function offersOf({ role, uuid, tools }: SourceMessage): Told[] {
  const questions = tools.flatMap(({ input }) => askingSchema.safeParse(input).data?.questions ?? []);
  return questions.map(({ header = '', options }) => {
    const lines = options.map(({ label, description = '' }) => {
      return `- ${singleSpaced(description === '' ? label : `${label}: ${description}`)}`;
    });
    const text = [`${singleSpaced(`Options ${header}`)}:`, ...lines].join('\n');
    return { kind: 'outcome', role, uuid, recordUuid: uuid, text, isOffer: true };
  });
}

/** A plan that says so much of an earlier one again stands in its place. */
const REPLACES = 0.5;

/** Of plans that were put again the last one alone: it says what holds. */
function withoutEarlierPlans(told: readonly Told[]): Told[] {
  const later = new Set<string>();
  return told
    .toReversed()
    .flatMap((one) => {
      if (one.isPlan !== true) return [one];
      const lines = one.text.split('\n').filter((line) => line.trim() !== '');
      const again = lines.filter((line) => later.has(line)).length;
      for (const line of lines) later.add(line);
      return again >= REPLACES * lines.length ? [] : [one];
    })
    .reverse();
}

/** What was left to do when the session ended, as far as it was written down. */
function leftToDo(messages: readonly SourceMessage[]): Told[] {
  const { tasks, uuid } = openTasks(messages);
  if (tasks.length === 0) return [];
  return [{ kind: 'outcome', role: 'assistant', uuid, recordUuid: uuid, text: `Left to do: ${tasks.join('; ')}.` }];
}

/** A log or code can be had again. */
const PASSING = 0.05;

/** What announces what is done next is over by the time that anybody reads it: all else comes in before. */
const OVER = 0.00005;
