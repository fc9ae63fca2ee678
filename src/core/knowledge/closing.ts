import { bareText } from '../material/saidText';
import { onlyLooks } from '../material/commands';
import type { SourceMessage, SourceTool } from '../material/types';
import { singleSpaced } from '../text/cleanText';
import { hasPhrase, phrasesIn, placedWords } from '../text/phrases';
import { withoutSecrets } from '../text/secrets/cleanText';
import { cutAtWord, linesOutsideCode, sentencesOf } from '../text/sentences';
import { wordsOf } from '../text/words';

/** A request with what followed on it, as far as it is read here. */
export interface SourceTurn {
  readonly human?: { readonly source: SourceMessage };
  readonly messages: readonly { readonly source: SourceMessage }[];
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
const QUESTION = /[?？:：]$/u;
/** Tools that change files. */
export const WRITES = /^(?:Edit|MultiEdit|Write|NotebookEdit|Update|Create)/;

/** What Claude said of its work in a turn; undefined where it did none, was cut off, or ends with what is to be done next. */
export function closingOf({ messages }: SourceTurn): Closing | undefined {
  const last = messages.findLast(({ source }) => source.role === 'assistant')?.source;
  if (last === undefined || last.texts.length === 0 || !messages.some(({ source }) => source.tools.some(isWork)))
    return undefined;
  // The last text block, which no call follows.
  const said = last.texts.at(-1)?.text ?? '';
  const isFollowed = last.tools.some(({ afterText }) => afterText >= last.texts.length);
  const text = isFollowed ? '' : outcomeText(withoutSecrets(bareText(said)));
  return text === '' ? undefined : { uuid: last.uuid, text };
}

/** Whether a call changed something, as against looking at it. */
function isWork({ name, input, isError }: SourceTool): boolean {
  if (isError) return false;
  return WRITES.test(name) || (typeof input['command'] === 'string' && !onlyLooks(input['command']));
}

const POINT = /^\s{0,3}(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)$/u;
export const HEADING = /^\s*#{1,6}\s|^\s*\*\*[^*]{1,80}\*\*:?\s*$/u;
const TABLE = /^\s*\|/u;

/** The points of a closing message, which say what came of the work where its first sentence praises it; else its sentences that say something. */
export function outcomeText(text: string): string {
  const lines = linesOutsideCode(text);
  const points = pointsIn(lines)
    .map(plainLine)
    .filter((point) => !isStatus(point));
  if (points.length >= LEAST_POINTS) return cutAtWord(points.join('; '), MAX_CLOSING);
  const prose = lines.filter((line) => !POINT.test(line) && !HEADING.test(line) && !TABLE.test(line)).join('\n');
  return cutAtWord(statementsIn(prose).join(' '), MAX_CLOSING);
}

/** The sentences of a text that say something: neither a pleasantry, nor a question, nor what comes next, nor that tests pass. */
export function statementsIn(text: string): string[] {
  return sentencesOf(text)
    .map(plainLine)
    .filter((sentence) => !QUESTION.test(sentence) && contentOf(sentence) >= LEAST_WORDS && !isStatus(sentence))
    .filter((sentence) => !hasPhrase('pending', sentence));
}

/** The points of the lists that tell what was done, as against those of what is to be done. */
function pointsIn(lines: readonly string[]): string[] {
  const points: string[] = [];
  let lead = '';
  for (const line of lines) {
    const point = POINT.exec(line)?.[1];
    if (point !== undefined && !hasPhrase('ahead', lead)) points.push(point);
    else if (point === undefined && line.trim() !== '' && !/^\s/.test(line)) lead = line;
  }
  return points;
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
