import { bareText } from '../../material/saidText';
import type { SourceMessage, SourceTool } from '../../material/types';
import { cutAtWord, sentencesOf } from '../../text/sentences';
import { writable } from '../../text/secrets/cleanText';
import { wordsOf } from '../../text/words';
import type { Turn } from '../layerReader';
import { wordsKey, type FactEvidence } from './ruleFinder';

/** What a person decided: their answer, with what they were asked. */
export interface FoundDecision {
  readonly feature: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly key: string;
  /** The words of the person first, then what they answer. */
  readonly evidence: readonly [FactEvidence, ...FactEvidence[]];
}

const MAX_DESCRIPTION = 320;
const MAX_EXCERPT = 240;
const MAX_FEATURE = 80;

/** What the transcript itself proves to be a decision; `before` is the turn that a person's words answer. */
export function decisionsIn(turn: Turn, before: Turn | undefined): FoundDecision[] {
  return [...answeredIn(turn, before), ...chosenIn(turn, before), ...plansIn(turn)];
}

/** Questions that Claude Code put to the person, each quoted before its answer. */
function answeredIn({ human }: Turn, before: Turn | undefined): FoundDecision[] {
  if (human?.message.origin !== 'answer') return [];
  const asked = before?.messages.at(-1)?.source;
  const pairs = textOf(human.source).split(/^(?=> )/m);
  return pairs.flatMap((pair) => {
    const lines = pair.split('\n');
    const question = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
    const answer = lines
      .filter((line) => !line.startsWith('> '))
      .join('\n')
      .trim();
    if (question.length === 0 || answer === '') return [];
    return [decision(question.join(' '), answer, [human.source, asked])];
  });
}

/** How people take up an offer without saying what it was. */
const PICKS =
  /^\W{0,9}(?:(?:ok(?:ay)?|yes|yep|sure|fine|alright|great|good|oui|ja|sí|да|好)[,.! ]{1,5}){0,2}(?:(?:let['’]?s (?:go with|do|use|take)|go with|I(?:['’]d)? (?:prefer|choose|pick|like|want)|use|take|do)\s{1,3})?(?:the\s{1,3})?(?:option|plan|approach|variant|number|#)?\s{0,3}(?:[a-h1-9]|first|second|third|last|latter|former|both)(?:\s{1,3}(?:one|option|approach|idea))?\W{0,9}$/iu;
const MOST_PICK_WORDS = 12;
/** An offer to choose from, as against one to go on. */
const OFFERS = /\b(?:or|which|either|prefer|option|alternatively)\b|还是|oder|ou bien|или/iu;

/** `the second one`, `ok, let's do Vite`: the answer to a choice that Claude offered at the end of its words. */
function chosenIn({ human }: Turn, before: Turn | undefined): FoundDecision[] {
  const asked = before?.messages.findLast(({ source }) => source.role === 'assistant')?.source;
  if (human === undefined || human.message.origin === 'answer' || asked === undefined) return [];
  const answer = textOf(human.source).trim();
  const offer = offerIn(textOf(asked));
  if (offer === '' || wordsOf(answer).length > MOST_PICK_WORDS || !(PICKS.test(answer) || names(answer, asked)))
    return [];
  return [decision(offer, answer, [human.source, asked])];
}

/** The question that a text ends with, when it is a choice. */
function offerIn(text: string): string {
  const questions = sentencesOf(bareText(text).slice(-1200))
    .slice(-3)
    .filter((sentence) => /[?？]\s*$/u.test(sentence));
  return questions.some((question) => OFFERS.test(question)) ? questions.join(' ') : '';
}

/** Whether a short answer names something that was offered. */
function names(answer: string, { texts }: SourceMessage): boolean {
  if (/[?？]/u.test(answer)) return false;
  const offered = new Set(texts.flatMap(({ text }) => wordsOf(text.slice(-1200)).map(({ stem }) => stem)));
  return wordsOf(answer).some(({ stem, weight }) => weight > 0 && stem.length > 2 && offered.has(stem));
}

/** Plans that were approved, by their title and what they begin with. */
function plansIn({ messages }: Turn): FoundDecision[] {
  return messages.flatMap(({ source }) =>
    source.tools.filter(isApprovedPlan).map(({ input }) => {
      const { title, points } = planText(typeof input['plan'] === 'string' ? input['plan'] : '');
      return decision(title, points, [source]);
    }),
  );
}

function isApprovedPlan({ name, isError, result }: SourceTool): boolean {
  return name === 'ExitPlanMode' && !isError && /^User has approved/.test(result);
}

function planText(plan: string): { title: string; points: string } {
  const lines = writable(plan)
    .split('\n')
    .map((line) => line.replace(/^#+\s*|^\s*(?:[-*]|\d{1,3}[.)])\s+|\*\*|`/g, '').trim())
    .filter((line) => line !== '');
  const [title = '', ...points] = lines;
  return { title: title.replace(/^(?:the )?plan(?: (?:to|for))?:?\s*/i, ''), points: points.join('; ') };
}

function decision(
  question: string,
  answer: string,
  [own, asked]: readonly [SourceMessage, (SourceMessage | undefined)?],
): FoundDecision {
  const [plain, said] = [question, answer].map((text) => text.replace(/\s+/g, ' ').trim()) as [string, string];
  const description = cutAtWord(plain === '' ? said : `${plain} → ${said}`, MAX_DESCRIPTION);
  const first = evidenceOf(own, said);
  return {
    feature: cutAtWord(plain === '' ? said : plain, MAX_FEATURE),
    description,
    files: [],
    key: wordsKey(description),
    evidence: asked === undefined ? [first] : [first, evidenceOf(asked, plain)],
  };
}

function evidenceOf({ uuid, timestamp }: SourceMessage, excerpt: string): FactEvidence {
  return { messageUuid: uuid, excerpt: cutAtWord(excerpt, MAX_EXCERPT), ...(timestamp && { ts: timestamp }) };
}

function textOf({ texts }: SourceMessage): string {
  return writable(texts.map(({ text }) => text).join('\n\n'));
}
