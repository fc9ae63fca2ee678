import { bareText } from '../material/saidText';
import { cutAtWord, sentencesOf } from '../text/sentences';
import { outcomeOf, resultLines, type Outcome } from '../material/toolOutcome';
import type { SourceTool, SourceMessage } from '../material/types';
import type { Exchange, ExchangeOutcome, L1Entry } from '../model/layers';
import { keywordsOf, topicOf } from '../material/keywords';
import { writable } from '../text/secrets/cleanText';
import type { ConversationEvent } from '../transcript/types';
import { onlyLooks } from '../material/commands';
import { singleSpaced } from '../text/cleanText';
import { wordsOf } from '../text/words';
import type { SpokenMessage, Turn } from './layerReader';

const MAX_REQUEST = 140;
const MAX_RESULT = 160;
const MOST_FILES = 20;

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
  'ts' | 'summary' | 'details' | 'files' | 'keywords' | 'outcome' | 'topic' | 'closing'
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
  const closing = next !== undefined && changesAgain(turn, next) ? undefined : closingOf(turn);
  const asked = firstSentence(request, MAX_REQUEST);
  const came = firstSentence(answer, MAX_RESULT);
  // `Fix that one too`: what it was about stands in the answer.
  const topic = topicOf(request) || topicOf(came);
  return {
    ts: first.timestamp ?? '',
    uuid: first.uuid,
    summary: asked === '' ? came : came === '' ? asked : `${asked} → ${came}`,
    details: closing?.text ?? outcomeText(answer),
    files: filesOf(answers.flatMap(({ source }) => source.tools)),
    keywords: keywordsOf(request, answer),
    ...(topic !== '' && { topic }),
    ...(closing !== undefined && { closing: closing.uuid }),
    outcome,
  };
}

/** Which lines of L1 belong to which turn: from its first entry to before the next one's. */
export function rangesOf(turns: readonly Turn[], entries: readonly PlacedEntry[]): [number, number][] {
  let at = 0;
  // Both are in the order of the transcript.
  const starts = turns.map(({ first }) => {
    const { line } = first.message;
    while (at < entries.length && (entries[at]?.line ?? line) < line) at++;
    return at;
  });
  return starts.map((start, index) => {
    const end = Math.max(start + 1, starts[index + 1] ?? entries.length);
    return [start + 1, Math.min(end, Math.max(entries.length, 1))];
  });
}

function oneText(spoken: readonly SpokenMessage[]): string {
  return writable(spoken.flatMap(({ source }) => source.texts.map(({ text }) => bareText(text))).join('\n\n')).trim();
}

function firstSentence(text: string, maxChars: number): string {
  const sentences = sentencesOf(text);
  const telling = sentences.find((sentence) => sentence.length > 12) ?? sentences[0] ?? '';
  const plain = plainLine(telling.slice(0, 2 * maxChars));
  return cutAtWord(plain, maxChars).replace(/(?<![\s:,;。.])[\s:,;。.]+$/, '');
}

/** Whether the next turn changes what this one has changed: it was not done then. */
function changesAgain(turn: Turn, next: Turn): boolean {
  const changed = new Set(changedIn(turn));
  return changedIn(next).some((file) => changed.has(file));
}

function changedIn({ messages }: Turn): string[] {
  const tools = messages.flatMap(({ source }) => source.tools);
  return tools
    .filter(({ name, isError }) => WRITES.test(name) && !isError)
    .flatMap(({ input }) => (typeof input['file_path'] === 'string' ? [input['file_path']] : []));
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

const MAX_TARGET = 300;
const MAX_DIFF_LINES = 12;
const MAX_DIFF_LINE = 160;
const MAX_TOLD_RESULT = 240;

/** An entry, and the line of the transcript that it comes from: what it is put in order by. */
interface PlacedEntry {
  readonly line: number;
  readonly entry: L1Entry;
}

/**
 * L1 of messages (seed 003): every word that the human and the assistant said, and one line for each tool call; no thinking, no
 * harness. In the order of the transcript. Secrets and what is private are left out.
 */
export function refine(spoken: readonly SpokenMessage[], events: readonly ConversationEvent[]): PlacedEntry[] {
  const placed = [...spoken.flatMap(messageEntries), ...events.flatMap(eventEntries)];
  // Stable: entries of one message stay as they are told, whatever lines their records have.
  return placed.sort((a, b) => a.line - b.line);
}

function messageEntries({ message, source, via }: SpokenMessage): PlacedEntry[] {
  const entries: PlacedEntry[] = [];
  const texts = textsOf(source);
  const mark = via === undefined ? {} : { via };
  let ts = message.timestamp ?? '';
  let said = 0;
  const sayUpTo = (end: number): void => {
    for (; said < end && said < texts.length; said++) {
      const text = texts[said];
      if (text !== undefined && text.text !== '')
        entries.push({ line: message.line, entry: { ts, role: message.role, ...text, ...mark } });
    }
  };
  for (const [at, step] of message.tools.entries()) {
    const tool = source.tools[at];
    if (tool === undefined) continue;
    sayUpTo(tool.afterText);
    ts = step.timestamp ?? ts;
    const entry = toolEntry(tool, { ts, uuid: step.uuid });
    entries.push({ line: message.line, entry: { ...entry, ...mark } });
    ts = step.result?.timestamp ?? ts;
  }
  sayUpTo(texts.length);
  return entries;
}

/** Records hold several text blocks now and then: from the second on they are numbered. */
function textsOf(source: SourceMessage): { text: string; uuid: string; part?: number }[] {
  return source.texts.map(({ text, recordUuid, blockIndex }) => ({
    text: writable(text),
    uuid: recordUuid,
    ...(blockIndex > 0 && { part: blockIndex }),
  }));
}

function toolEntry(tool: SourceTool, { ts, uuid }: { ts: string; uuid: string }): L1Entry {
  const lines = resultLines(tool);
  const outcome = outcomeOf(tool, lines);
  const range = linesOf(tool, lines);
  const diff = diffOf(tool);
  return {
    ts,
    role: 'tool',
    name: tool.name,
    target: writable(tool.target).slice(0, MAX_TARGET),
    ...(range !== '' && { lines: range }),
    ...(diff !== '' && { diff: writable(diff) }),
    result: writable(resultOf(outcome)).slice(0, MAX_TOLD_RESULT),
    uuid,
  };
}

function resultOf({ isError, isRefused, isAnswered, line }: Outcome): string {
  if (isRefused) return 'refused';
  if (isAnswered) return 'answered';
  if (isError) return line === '' ? 'error' : `error: ${line}`;
  return line === '' ? 'ok' : `ok: ${line}`;
}

/** Which lines of a file were read. */
function linesOf(tool: SourceTool, lines: readonly string[]): string {
  if (!/^(?:Read|NotebookRead|View)$/.test(tool.name) || tool.isError) return '';
  const { offset, limit } = tool.input;
  const from = typeof offset === 'number' ? offset : 1;
  if (typeof limit === 'number') return `${from}-${from + limit - 1}`;
  const numbers = [...tool.result.matchAll(/^[^\S\n]{0,20}(\d{1,9})(?:→|\t)/gm)].map(([, number]) => Number(number));
  const last = numbers.at(-1) ?? from + lines.length - 1;
  return last >= from ? `${from}-${last}` : '';
}

/** What an edit took out and put in, shortened. */
function diffOf({ input }: SourceTool): string {
  const edits = [input, ...listOf(input['edits'])];
  const lines = edits.flatMap((edit) => [
    ...changedLines('-', textField(edit, 'old_string')),
    ...changedLines('+', textField(edit, 'new_string')),
  ]);
  if (lines.length === 0) return '';
  return lines.length > MAX_DIFF_LINES
    ? [...lines.slice(0, MAX_DIFF_LINES), `… ${lines.length - MAX_DIFF_LINES} more lines`].join('\n')
    : lines.join('\n');
}

function changedLines(sign: '-' | '+', text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => `${sign}${line.slice(0, MAX_DIFF_LINE)}`);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field of an object, '' when it is no text. */
function textField(value: unknown, field: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = new Map<string, unknown>(Object.entries(value)).get(field);
  return typeof found === 'string' ? found : '';
}

/** What a person typed that became no message. */
function eventEntries(event: ConversationEvent): PlacedEntry[] {
  const via = event.kind === 'unsentPrompt' ? 'unsent' : 'command';
  if (event.kind !== 'command' && event.kind !== 'bashInput' && event.kind !== 'unsentPrompt') return [];
  const typed = event.kind === 'bashInput' ? `!${event.text}` : event.text;
  const text = writable(typed);
  if (text.trim() === '') return [];
  return [{ line: event.line, entry: { ts: event.timestamp ?? '', role: 'user', text, uuid: event.uuid, via } }];
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

/** What Claude said of its work in a turn; undefined where it did none, was cut off, or ends with what is to be done next. */
export function closingOf({ messages }: Turn): Closing | undefined {
  const last = messages.findLast(({ source }) => source.role === 'assistant')?.source;
  if (last === undefined || last.texts.length === 0 || !messages.some(({ source }) => source.tools.some(isWork)))
    return undefined;
  // The last text block, which no call follows.
  const said = last.texts.at(-1)?.text ?? '';
  const isFollowed = last.tools.some(({ afterText }) => afterText >= last.texts.length);
  const text = isFollowed ? '' : outcomeText(writable(bareText(said)));
  return text === '' ? undefined : { uuid: last.uuid, text };
}

/** Whether a call changed something, as against looking at it. */
function isWork({ name, input, isError }: SourceTool): boolean {
  if (isError) return false;
  return WRITES.test(name) || (typeof input['command'] === 'string' && !onlyLooks(input['command']));
}

const POINT = /^\s{0,3}(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)$/u;
const HEADING = /^\s*#{1,6}\s|^\s*\*\*[^*]{1,80}\*\*:?\s*$/u;
const TABLE = /^\s*\|/u;

/** The points of a closing message, which say what came of the work where its first sentence praises it; else its sentences that say something. */
export function outcomeText(text: string): string {
  const lines = text.replace(/^\s*(`{3,}|~{3,})[\s\S]*?(?:^\s*\1|$(?![\s\S]))/gmu, '\n').split('\n');
  const points = lines.flatMap((line) => POINT.exec(line)?.[1] ?? []).map(plainLine);
  if (points.length >= LEAST_POINTS) return cutAtWord(points.join('; '), MAX_CLOSING);
  const prose = lines.filter((line) => !POINT.test(line) && !HEADING.test(line) && !TABLE.test(line)).join('\n');
  return cutAtWord(sentencesOf(prose).map(plainLine).filter(isTelling).join(' '), MAX_CLOSING);
}

/** Says something: neither a pleasantry, nor a question. */
function isTelling(sentence: string): boolean {
  return !/[?？:：]$/u.test(sentence) && wordsOf(sentence).filter(({ weight }) => weight > 0).length >= LEAST_WORDS;
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
