import { onlyLooks } from '../material/commands';
import { isWriting, textOf } from '../material/toolKinds';
import type { SourceMessage, SourceTool } from '../material/types';
import { singleSpaced } from '../text/cleanText';
import { hasPhrase, phrasesIn, placedWords } from '../text/phrases';
import { withoutSecrets } from '../text/secrets/cleanText';
import { cutAtWord, linesOutsideCode, sentencesOf } from '../text/sentences';
import { wordsOf, bareText } from '../text/words';

/** A message, and where it was said, when that is not the live conversation. */
interface Said extends SourceMessage {
  readonly via?: string | undefined;
}

/** A request with everything that followed on it. */
export interface SourceTurn<One extends Said = Said> {
  /** Absent where a session begins in the middle of one. */
  readonly human?: One;
  readonly first: One;
  /** The first one included. */
  readonly messages: readonly One[];
}

/** The turns of messages that follow each other. */
export function turnsOf<One extends Said>(said: readonly One[]): SourceTurn<One>[] {
  const turns: { human?: One; first: One; messages: One[] }[] = [];
  for (const one of said) {
    const last = turns.at(-1);
    if (one.role === 'user') turns.push({ human: one, first: one, messages: [one] });
    else if (last === undefined || last.first.via !== one.via) turns.push({ first: one, messages: [one] });
    else last.messages.push(one);
  }
  return turns;
}

/** What Claude said when it was done with a request. */
export interface Closing {
  readonly uuid: string;
  /** Its own summary, in its own words. */
  readonly text: string;
}

const MAX_CLOSING = 500;
/** A list says in its points what came of something; one point alone is an aside. */
const LEAST_POINTS = 2;
/** `Perfect!`, `All done.` */
const LEAST_WORDS = 3;
const LONGEST_TITLE = 4;
/** A question, or what leads to a list. */
const UNFINISHED = /[?？:：]$/u;

/** What Claude said of its work in a turn; undefined where it did none, was cut off, or ends with what is to be done next. */
export function closingOf(turn: SourceTurn): Closing | undefined {
  const last = turn.messages.findLast(({ role }) => role === 'assistant');
  if (last === undefined || last.texts.length === 0 || !hasWork(turn)) return undefined;
  // The last text block, which no call follows.
  const said = last.texts.at(-1)?.text ?? '';
  const isFollowed = last.tools.some(({ afterText }) => afterText >= last.texts.length);
  const text = isFollowed ? '' : outcomeText(withoutSecrets(bareText(said)));
  return text === '' ? undefined : { uuid: last.uuid, text };
}

/** The message of a turn that lists what came of it, after all that was changed; where Claude went on to look at things, not its last one. */
export function summaryIn<One extends Said>({ messages }: SourceTurn<One>): One | undefined {
  const worked = messages.findLastIndex(({ tools }) => tools.some(isWork));
  if (worked === -1) return undefined;
  return messages
    .slice(worked)
    .findLast(({ texts }) => texts.some(({ text }) => pointsIn(linesOutsideCode(text)).length >= LEAST_POINTS));
}

/** Whether Claude did something in a turn, as against looking at things and talking of them. */
export function hasWork({ messages }: SourceTurn): boolean {
  return messages.some(({ tools }) => tools.some(isWork));
}

/** Whether a call changed something, as against looking at it. */
export function isWork(tool: SourceTool): boolean {
  return !tool.isError && (isWriting(tool) || !onlyLooks(textOf(tool, 'command')));
}

/** Of a list; many models put a tick in the place of its sign. */
const POINT = /^(\s*)(?:(?:[-*+•]|\d{1,3}[.)])\s+|[✅✔✓☑]\uFE0F?\s*)+(\S.*)$/u;
const OPENS = /(?<!\s)\s*[:：]$/u;
const TICKED_TITLE = /^[✅✔✓☑].*[:：]\s*$/u;
export const HEADING = /^\s*#{1,6}\s|^\s*\*\*[^*]{1,80}\*\*:?\s*$/u;
const TICK = /[✅✔✓☑]/u;
const TABLE = /^\s*\|/u;
const LINKED = /\[([^\]\n]{1,200})\]\([^)\s]{1,400}\)/g;
const LINK = /^<?https?:\/\/\S+$/;

/** The points of a closing message, which say what came of the work where its first sentence praises it; else its sentences that say something. */
export function outcomeText(text: string): string {
  const lines = linesOutsideCode(text.replace(LINKED, '$1'));
  const points = pointsIn(lines);
  if (points.length >= LEAST_POINTS) return cutAtWord(points.join('; '), MAX_CLOSING);
  const isProse = (line: string): boolean => !POINT.test(line) && !HEADING.test(line) && !TABLE.test(line);
  const prose = lines.filter((line) => isProse(line) && !(TICK.test(line) && isPraise(line)));
  return cutAtWord(statementsIn(prose.join('\n').replace(EMPHASIS, '$2')).join(' ') || points.join('; '), MAX_CLOSING);
}

/** The sentences of a text that say something: neither a pleasantry, nor a question, nor what comes next, nor that tests pass. */
export function statementsIn(text: string): string[] {
  const sentences = sentencesOf(text).map(plainLine);
  return sentences
    .map((sentence, at) => (LINK.test(sentence) ? `${sentences[at - 1] ?? ''} ${sentence}` : sentence))
    .filter((sentence) => !UNFINISHED.test(sentence) && contentOf(sentence) >= LEAST_WORDS && !isStatus(sentence))
    .filter((sentence) => !hasPhrase('pending', sentence));
}

/**
 * The points of the lists that tell what was done, as against those of what is to be done, and of how good that is. What stands below a point
 * is told where the point itself says too little, or ends with a colon.
 */
function pointsIn(lines: readonly string[]): string[] {
  const points: string[] = [];
  let [above, isOpen] = ['', false];
  for (const { lead, point, isNested, isTicked } of listed(lines)) {
    const told = plainLine(point).replace(/(?<!\s)\s*\.$/u, '');
    if (isNested && isOpen) {
      const last = points.pop() ?? '';
      points.push(`${last}${OPENS.test(last) ? '' : ','} ${told}`);
      continue;
    }
    if (!isNested) above = point;
    const isBrief = contentOf(above) < LEAST_WORDS;
    const isTold = (!isNested || isBrief) && !(isTicked && isPraise(point)) && !isAside(lead);
    if (isTold) points.push(told);
    isOpen = isTold && !isBrief && OPENS.test(told);
  }
  return points.map((point) => point.replace(OPENS, '')).filter((point) => !isStatus(point));
}

interface Point {
  readonly lead: string;
  readonly point: string;
  readonly isNested: boolean;
  readonly isTicked: boolean;
}

/** The points of lists, each with the line that leads to its list, and whether it stands below another one. */
function listed(lines: readonly string[]): Point[] {
  let [lead, level] = ['', Infinity];
  return lines.flatMap((line) => {
    const bare = line.replace(EMPHASIS, '$2');
    const [, indent = '', point = ''] = POINT.exec(bare) ?? [];
    const isLead = point === '' ? line.trim() !== '' && !/^\s/.test(line) : TICKED_TITLE.test(bare);
    if (isLead) [lead, level] = [line, Infinity];
    if (isLead || point === '') return [];
    level = Math.min(level, indent.length);
    return [{ lead, point, isNested: indent.length > level + 1, isTicked: TICK.test(line) }];
  });
}

/** `Next steps`, `Key Benefits:` */
function isAside(lead: string): boolean {
  const isTitle = HEADING.test(lead) || placedWords(lead).length <= LONGEST_TITLE;
  return hasPhrase('ahead', lead) || (isTitle && hasPhrase('boasts', lead));
}

/** `**Zero warnings** ✅`: a tick beside few words that name nothing says that something is fine. */
function isPraise(point: string): boolean {
  return contentOf(point) <= LEAST_WORDS && !wordsOf(point).some(({ weight }) => weight === 2);
}

/** Says only that something passes, is done, or is fine: true for an hour. */
function isStatus(sentence: string): boolean {
  const known = phrasesIn('passes', sentence);
  const words = placedWords(sentence).filter(({ word }) => !/^\d+$/.test(word));
  const isKnown = ({ start, end }: { start: number; end: number }): boolean =>
    known.some((one) => one.start <= start && end <= one.end);
  return words.length > 0 && words.every(isKnown);
}

function contentOf(sentence: string): number {
  return wordsOf(sentence).filter(({ weight }) => weight > 0).length;
}

/** Emphasis stands around words; what is inside of `snake_case` or `*.ts`, or of `__init__`, belongs to a name. */
const EMPHASIS = /(?<![\p{L}\p{N}_*])(\*{1,3}|_)(?=[^\s*_])(.{1,400}?)(?<=[^\s*_])\1(?![\p{L}\p{N}_*])/gu;

/** A line of Markdown without its marks. */
export function plainLine(line: string): string {
  return singleSpaced(
    line
      .replace(/^#+\s+/u, '')
      .replace(/`+/g, '')
      .replace(EMPHASIS, '$2'),
  );
}
