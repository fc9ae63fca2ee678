import { mainCommand } from '../../material/commands';
import { isProse, saidIn } from '../../material/statements';
import { textOf } from '../../material/toolKinds';
import type { SourceMessage, SourceTool } from '../../material/types';
import { hasPhrase, isMadeOf, type PhraseKind } from '../../text/phrases';
import { cutAtWord, linesOutsideCode, QUESTION, sentencesOf } from '../../text/sentences';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { singleSpaced } from '../../text/cleanText';
import { wordsOf, bareText } from '../../text/words';
import { HEADING, plainLine, type SourceTurn } from '../closing';
import { evidenceOf, wordsKey, type FactEvidence } from './stated';

/** What a person decided: their answer, with what they were asked. */
export interface FoundDecision {
  readonly feature: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly key: string;
  /** The words of the person first, then what they answer. */
  readonly evidence: readonly [FactEvidence, ...FactEvidence[]];
}

/** Stands between what was asked and what was answered. */
export const ANSWERED = ' → ';

const MAX_DESCRIPTION = 320;
const MAX_EXCERPT = 240;
const MAX_FEATURE = 80;
const MAX_OFFER = 240;
/** Where a message ends, and what it asks for stands. */
const TAIL = 1200;
const POINT_SIGN = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/u;
const PLAN_OF = /^(?:the )?(?:implementation )?plan(?: (?:to|for))?:?\s*/i;
/** Stands behind the title of a plan. */
export const APPROVED = ' (plan approved)';
/** Stands behind what a person would not have, before what they said instead. */
export const REFUSED = ' (refused)';
const MOST_PICK_WORDS = 12;

/** What the transcript itself proves to be a decision; `before` is the turn that a person's words answer. */
export function decisionsIn(turn: SourceTurn, before: SourceTurn | undefined): FoundDecision[] {
  return [...answeredIn(turn, before), ...chosenIn(turn, before), ...plansIn(turn)];
}

/** Questions that Claude Code put to the person, each quoted before its answer, and why a call was refused. */
function answeredIn({ human }: SourceTurn, before: SourceTurn | undefined): FoundDecision[] {
  if (human?.origin !== 'answer') return [];
  const asked = before?.messages.at(-1);
  const pairs = saidIn(human).split(/^(?=> )/m);
  return pairs.flatMap((pair) => {
    const lines = pair.split('\n');
    const question = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
    const answer = lines
      .filter((line) => !line.startsWith('> '))
      .join('\n')
      .trim();
    if (answer === '') return [];
    if (question.length > 0) return [decision(question.join(' '), answer, [human, asked])];
    return QUESTION.test(answer) ? [] : [decision(refused(asked), answer, [human, asked])];
  });
}

/** The call that a person refused, in the words of its record: of a plan its title. */
function refused(asked: SourceMessage | undefined): string {
  const call = asked?.tools.at(-1);
  if (call === undefined) return '';
  const plan = textOf(call, 'plan');
  const named = plan === '' ? mainCommand(textOf(call, 'command')) : planText(plan).title;
  const [told = ''] = withoutSecrets(named || call.target || call.name).split(/\n|["'$]/, 1);
  return `${cutAtWord(singleSpaced(told), MAX_FEATURE)}${REFUSED}`;
}

/** `the second one`, `ok, let's do Vite`: the answer to a choice, or to a proposal, that Claude ended its words with. */
function chosenIn({ human }: SourceTurn, before: SourceTurn | undefined): FoundDecision[] {
  const asked = before?.messages.findLast(({ role }) => role === 'assistant');
  if (human === undefined || human.origin === 'answer' || asked === undefined) return [];
  const answer = saidIn(human).trim();
  const said = saidIn(asked);
  const questions = questionsIn(asked);
  const length = wordsOf(answer).length;
  if (questions === '' || QUESTION.test(answer) || length === 0 || length > MOST_PICK_WORDS) return [];
  const pair = [human, asked] as const;
  if (picks(answer)) return [decision(questions, withOption(answer, questions, said), pair)];
  if (hasPhrase('offers', questions) && names(answer, said)) return [decision(questions, answer, pair)];
  if (!isMadeOf(answer, ['agrees', 'opener']) || !hasPhrase('approach', questions)) return [];
  return [decision(proposalIn(said), answer, pair)];
}

/** Whether an answer only picks, by a place or a label. */
function picks(answer: string): boolean {
  return isMadeOf(answer, PICKING) && (LABEL.test(answer) || ORDINALS.some((kind) => hasPhrase(kind, answer)));
}

/** The questions that a message ends with. */
export function questionsIn(message: SourceMessage): string {
  const last = sentencesOf(bareText(saidIn(message)).slice(-TAIL)).slice(-3);
  return last.filter((sentence) => QUESTION.test(sentence)).join(' ');
}

/** The end of a text, as much of it as tells what is proposed. */
function proposalIn(text: string): string {
  const sentences = sentencesOf(bareText(text).slice(-TAIL));
  const told: string[] = [];
  for (const sentence of sentences.toReversed()) {
    if (told.join(' ').length + sentence.length > MAX_OFFER) break;
    told.unshift(sentence);
  }
  return told.join(' ');
}

/** Words of which an answer consists that only picks. */
const PLACES = ['firsts', 'seconds', 'thirds', 'lasts'] as const;
const ORDINALS: readonly PhraseKind[] = [...PLACES, 'ordinals'];
const PICKING: readonly PhraseKind[] = ['agrees', 'opener', 'picks', ...ORDINALS];
/** A line that offers something, behind a letter or a number. */
const OPTION = /^\s{0,3}(?:[-*+•]\s+|#{1,6}\s+)?(?:\p{L}{3,12}\s+)?\(?([a-h]|\d{1,2})[).:–—-]\s+(\S.*)$/iu;
const POINT = /^\s{0,3}[-*+•]\s+(\S.*)$/u;
const LABEL = /\d{1,2}|(?<!\p{L})[a-h](?!\p{L})/iu;

/** An answer with what it picks of the list that was offered last: by its label, or by its place where the question asks to pick. */
function withOption(answer: string, questions: string, said: string): string {
  const options = optionsIn(said);
  const named = PLACES.findIndex((kind) => hasPhrase(kind, answer));
  const label = LABEL.exec(answer)?.[0].toLowerCase() ?? '';
  const place = named === -1 ? placeOf(label) : named === PLACES.length - 1 ? options.length - 1 : named;
  const option =
    options.find((one) => one.label === label) ?? (hasPhrase('offers', questions) ? options[place] : undefined);
  return option === undefined ? answer : `${answer}: ${cutAtWord(option.text, MAX_FEATURE * 2)}`;
}

/** `b` and `2` are both the second. */
function placeOf(label: string): number {
  return /^[a-h]$/.test(label) ? Number.parseInt(label, 18) - 10 : Number.parseInt(label, 10) - 1;
}

/** What the last list of a text offers that has labels; of one that has none its points. */
function optionsIn(said: string): readonly { readonly label?: string; readonly text: string }[] {
  let options: { readonly label: string; readonly text: string }[] = [];
  let points: { readonly text: string }[] = [];
  let isOpen = false;
  for (const line of linesOutsideCode(bareText(said)).map((one) => one.replace(/[*_]{2}/g, ''))) {
    const [, sign = '', text = ''] = OPTION.exec(line) ?? [];
    const [, point] = POINT.exec(line) ?? [];
    const label = sign.toLowerCase();
    if (placeOf(label) === 0) options = [];
    if (placeOf(label) === options.length) options.push({ label, text: plainLine(text) });
    if (point !== undefined) points = [...(isOpen ? points : []), { text: plainLine(point) }];
    isOpen = point !== undefined || (isOpen && line.trim() === '');
  }
  return options.length > 1 ? options : points;
}

/** Whether a short answer names something that was offered. */
function names(answer: string, said: string): boolean {
  const offered = new Set(wordsOf(said.slice(-TAIL)).map(({ stem }) => stem));
  return wordsOf(answer).some(({ stem, weight }) => weight > 0 && stem.length > 2 && offered.has(stem));
}

/** Plans that were approved, by their title and what they begin with. */
function plansIn({ messages }: SourceTurn): FoundDecision[] {
  return messages.flatMap((source) =>
    source.tools.filter(isApprovedPlan).map((tool) => {
      const { title, points } = planText(textOf(tool, 'plan'));
      return decision(`${title}${APPROVED}`, points, [source]);
    }),
  );
}

/** Whether a call proposed a plan, and the person approved it. */
export function isApprovedPlan({ name, isError, result }: SourceTool): boolean {
  return name === 'ExitPlanMode' && !isError && /^User has approved/.test(result);
}

/** What a plan is called, and what it says in sentences and points: without headings, tables and code. */
export function planText(plan: string): { readonly title: string; readonly points: string } {
  const lines = linesOutsideCode(withoutSecrets(plan)).filter((line) => line.trim() !== '');
  const [title = '', ...others] = lines;
  const points = others
    .filter((line) => !HEADING.test(line))
    .map((line) => plainLine(line.replace(POINT_SIGN, '')).replace(/\.$/, ''))
    .filter((line) => isProse(line) && !/[:：]$|[\u2500-\u257f]/u.test(line));
  return { title: plainLine(title).replace(PLAN_OF, ''), points: points.join('; ') };
}

function decision(
  question: string,
  answer: string,
  [own, asked]: readonly [SourceMessage, (SourceMessage | undefined)?],
): FoundDecision {
  const [plain, said] = [singleSpaced(question), singleSpaced(answer)];
  // The answer is what counts: a long question gives way to it.
  const asking = cutAtWord(plain, Math.max(MAX_FEATURE, MAX_DESCRIPTION - said.length));
  const description = cutAtWord(plain === '' ? said : `${asking}${ANSWERED}${said}`, MAX_DESCRIPTION);
  const first = evidenceOf(own, cutAtWord(said, MAX_EXCERPT));
  return {
    feature: cutAtWord(plain === '' ? said : plain, MAX_FEATURE),
    description,
    files: [],
    key: wordsKey(description),
    evidence: asked === undefined ? [first] : [first, evidenceOf(asked, cutAtWord(plain, MAX_EXCERPT))],
  };
}
