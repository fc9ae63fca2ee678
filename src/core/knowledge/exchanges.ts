import { bareText } from '../material/saidText';
import { cutAtWord, sentencesOf } from '../text/sentences';
import { outcomeOf, resultLines } from '../material/toolOutcome';
import type { SourceTool } from '../material/types';
import type { Exchange, ExchangeOutcome, L1Entry } from '../model/layers';
import { keywordsOf, topicOf } from '../material/keywords';
import { writable } from '../text/secrets/cleanText';
import type { PlacedEntry } from './refine';
import type { SpokenMessage } from './spokenMessage';

const MAX_REQUEST = 140;
const MAX_RESULT = 160;
const MAX_DETAILS = 500;
const DETAIL_SENTENCES = 3;
const MOST_FILES = 20;

/** A request with everything that followed on it. */
export interface Turn {
  /** Absent where a session begins in the middle of one. */
  readonly human?: SpokenMessage;
  readonly first: SpokenMessage;
  /** The first one included. */
  readonly messages: readonly SpokenMessage[];
}

/** The turns of messages that follow each other. */
export function turnsOf(spoken: readonly SpokenMessage[]): Turn[] {
  const turns: { human?: SpokenMessage; first: SpokenMessage; messages: SpokenMessage[] }[] = [];
  for (const one of spoken) {
    const last = turns.at(-1);
    if (one.message.role === 'user') turns.push({ human: one, first: one, messages: [one] });
    else if (last === undefined || last.first.via !== one.via) turns.push({ first: one, messages: [one] });
    else last.messages.push(one);
  }
  return turns;
}

/** What of an exchange is known before it has its number. */
export type ExchangeDraft = Pick<
  Exchange,
  'ts' | 'summary' | 'details' | 'files' | 'keywords' | 'outcome' | 'topic'
> & {
  readonly uuid: string;
};

/** L2 of one turn. `next` is what the human said after it: a correction tells that it was not what was wanted. */
export function draftExchange(turn: Turn, next: Turn | undefined): ExchangeDraft {
  const { message: first } = turn.first;
  const request = oneText(turn.human === undefined ? [] : [turn.human]);
  const answers = turn.messages.filter(({ message }) => message.role === 'assistant');
  const answer = oneText(answers.slice(-1));
  const outcome = outcomeOfTurn(turn, next);
  const asked = firstSentence(request, MAX_REQUEST);
  const came = firstSentence(answer, MAX_RESULT);
  // `Fix that one too`: what it was about stands in the answer.
  const topic = topicOf(request) || topicOf(came);
  return {
    ts: first.timestamp ?? '',
    uuid: first.uuid,
    summary: asked === '' ? came : came === '' ? asked : `${asked} → ${came}`,
    details: cutAtWord(sentencesOf(answer).slice(0, DETAIL_SENTENCES).join(' '), MAX_DETAILS),
    files: filesOf(answers.flatMap(({ source }) => source.tools)),
    keywords: keywordsOf(request, answer),
    ...(topic !== '' && { topic }),
    outcome,
  };
}

/** Which lines of L1 belong to which turn: from its first entry to before the next one's. */
export function rangesOf(turns: readonly Turn[], entries: readonly PlacedEntry[], before: number): [number, number][] {
  let at = 0;
  // Both are in the order of the transcript.
  const starts = turns.map(({ first }) => {
    const { line } = first.message;
    while (at < entries.length && (entries[at]?.line ?? line) < line) at++;
    return at;
  });
  return starts.map((start, index) => {
    const end = Math.max(start + 1, starts[index + 1] ?? entries.length);
    return [before + start + 1, before + Math.min(end, Math.max(entries.length, 1))];
  });
}

function oneText(spoken: readonly SpokenMessage[]): string {
  return writable(spoken.flatMap(({ source }) => source.texts.map(({ text }) => bareText(text))).join('\n\n')).trim();
}

/** Emphasis stands around words; what is inside of `snake_case` or `*.ts`, or of `__init__`, belongs to a name. */
const EMPHASIS = /(?<![\p{L}\p{N}_*])(\*{1,3}|_)(?=[^\s*_])(.{1,400}?)(?<=[^\s*_])\1(?![\p{L}\p{N}_*])/gu;

function firstSentence(text: string, maxChars: number): string {
  const sentences = sentencesOf(text);
  const telling = sentences.find((sentence) => sentence.length > 12) ?? sentences[0] ?? '';
  const plain = telling
    .slice(0, 2 * maxChars)
    .replace(/^#+\s+/, '')
    .replace(/`+/g, '')
    .replace(EMPHASIS, '$2');
  return cutAtWord(plain, maxChars).replace(/(?<![\s:,;。.])[\s:,;。.]+$/, '');
}

const WRITES = /^(?:Edit|MultiEdit|Write|NotebookEdit|Update|Create)/;

/** Files that were written, then those that were looked at. */
function filesOf(tools: readonly SourceTool[]): string[] {
  const pathOf = ({ input }: SourceTool): string[] => {
    const path = input['file_path'] ?? input['notebook_path'];
    return typeof path === 'string' && path !== '' ? [path] : [];
  };
  const written = tools.filter(({ name }) => WRITES.test(name)).flatMap(pathOf);
  const read = tools.filter(({ name }) => name === 'Read').flatMap(pathOf);
  return [...new Set([...written, ...read])].slice(0, MOST_FILES);
}

/** How people say that something was not what they wanted; at the beginning of what they say next. */
const CORRECTION =
  /^\W*(?:no[,.! ]|nope|not? (?:like|what|quite|really)|that['’]?s (?:not|wrong)|this (?:is(?: not|n['’]t)|doesn)|wrong|wait[,. ]|actually[, ]|I (?:said|meant|asked)|(?:it )?still (?:not|does|fails|broken|get)|oh no|you (?:forgot|missed|broke|didn)|undo|revert|нет[,. ]|не то|не так|неправильно|всё ещё|nein|falsch|nicht so|non[, ]|ce n['’]est pas|no es|eso no|não|不对|不是|错了|違|ちがう|そうじゃ|لا[،, ]|ليس هذا|خطأ)/iu;
const FAILURE =
  /\b(?:unable to|could ?n[o']t|can ?not|can['’]t|failed to|still fail|did ?n[o']t work|not possible)\b|не удалось|konnte nicht|n['’]ai pas pu|no (?:pude|se pudo)|无法|できません|تعذر/iu;

function outcomeOfTurn(turn: Turn, next: Turn | undefined): ExchangeOutcome {
  const answers = turn.messages.filter(({ message }) => message.role === 'assistant');
  if (turn.first.via === 'abandoned' || answers.length === 0) return 'abandoned';
  const outcomes = answers.flatMap(({ source }) => source.tools.map((tool) => outcomeOf(tool, resultLines(tool))));
  const last = outcomes.at(-1);
  const said = oneText(answers.slice(-1));
  if (last?.isRefused === true && said === '') return 'abandoned';
  if (next?.human !== undefined && CORRECTION.test(oneText([next.human]).slice(0, 80))) return 'corrected';
  if (said === '') return last === undefined ? 'abandoned' : last.isError ? 'failed' : 'done';
  return FAILURE.test(sentencesOf(said)[0] ?? '') ? 'failed' : 'done';
}

/** Entries without their places. */
export function entriesOf(placed: readonly PlacedEntry[]): L1Entry[] {
  return placed.map(({ entry }) => entry);
}
