import { bareSaidIn } from '../material/statements';
import { deedsOf, changesIn } from '../material/deeds';
import { cutAtWord, QUESTION, sentencesOf } from '../text/sentences';
import { outcomeOf, resultLines, type Outcome } from '../material/toolOutcome';
import type { SourceTool, SourceMessage } from '../material/types';
import type { Exchange, ExchangeOutcome, L1Entry } from '../model/layers';
import { keywordsOf, topicOf } from '../material/keywords';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { ConversationEvent } from '../transcript/types';
import { hasPhrase, placedWords } from '../text/phrases';
import { decisionsIn } from './facts/decisions';
import { closingOf, hasWork, summaryIn, outcomeText, plainLine } from './closing';
import { fileOf, isWriting, toolKind } from '../material/toolKinds';
import type { SpokenMessage, SpokenTool, Turn } from './layerReader';

const MAX_REQUEST = 140;
const MAX_RESULT = 160;
const MOST_FILES = 20;

/** What of an exchange is known before it has its number. */
type ExchangeDraft = Pick<
  Exchange,
  'ts' | 'summary' | 'details' | 'files' | 'keywords' | 'outcome' | 'topic' | 'closing' | 'isReported'
> & {
  readonly uuid: string;
};

/**
 * L2 of one turn. `next` gives what the human said after a turn: a correction tells that it was not what was wanted, an answer that the
 * request went on.
 */
export function draftExchange(turn: Turn, next: (turn: Turn) => Turn | undefined): ExchangeDraft {
  const { first } = turn;
  const request = bareSaidIn(turn.human);
  const answers = turn.messages.filter(({ role }) => role === 'assistant');
  const end = endOf(turn, next);
  const after = next(end);
  const last = lastSaid(end);
  const answer = bareSaidIn(last);
  const report = isTakenBack(end, after) ? undefined : closingOf(end);
  const told = report?.text ?? outcomeText(answer);
  const asked = firstSentence(request, MAX_REQUEST);
  const came = firstSentence(answer, MAX_RESULT);
  // `Fix that one too`: what it was about stands in the answer.
  const topic = topicOf(request) || topicOf(came);
  return {
    ts: first.timestamp ?? '',
    uuid: first.uuid,
    summary: asked === '' ? came : came === '' ? asked : `${asked} → ${came}`,
    details: told || deedsTold(end),
    files: filesOf(answers.flatMap(({ tools }) => tools)).slice(0, MOST_FILES),
    keywords: keywordsOf(request, answer),
    ...(topic !== '' && { topic }),
    ...(told !== '' && { closing: last?.uuid }),
    ...(report !== undefined && { isReported: true }),
    outcome: outcomeOfTurn(end, after),
  };
}

/** The message that Claude ended a turn with; its summary, where it went on to look at things. */
function lastSaid(turn: Turn): SpokenMessage | undefined {
  return summaryIn(turn) ?? turn.messages.findLast(({ role }) => role === 'assistant');
}

/** The turn that a request ended with: one that a person answers, or cuts short before Claude summed up, goes on in the next. */
function endOf(turn: Turn, next: (turn: Turn) => Turn | undefined): Turn {
  const isQuestion = QUESTION.test(bareSaidIn(turn.human));
  let end = turn;
  for (let after = next(end); after !== undefined; after = next(end)) {
    if (!goesOn(end, after) && (isQuestion || !isSettled(end, after))) break;
    end = after;
  }
  return end;
}

function goesOn(turn: Turn, after: Turn): boolean {
  if (after.human?.origin === 'answer') return true;
  const last = turn.messages.at(-1);
  const isCut = last?.role === 'assistant' && last.tools.some(({ afterText }) => afterText >= last.texts.length);
  return isCut && summaryIn(turn) === undefined;
}

/** Claude asked how to go on instead of doing it, was told, and did. Whoever has asked a question has their answer before that. */
function isSettled(turn: Turn, after: Turn): boolean {
  return !hasWork(turn) && hasWork(after) && decisionsIn(after, turn).some(({ evidence }) => evidence.length > 1);
}

/** What records prove where Claude said nothing of it. */
function deedsTold({ messages }: Turn): string {
  return withoutSecrets(
    deedsOf(messages)
      .map(({ text }) => text)
      .join('; '),
  );
}

/** Which lines of L1 belong to which turn: from its first entry to before the next one's. */
export function rangesOf(turns: readonly Turn[], entries: readonly PlacedEntry[]): [number, number][] {
  let at = 0;
  // Both are in the order of the transcript.
  const starts = turns.map(({ first }) => {
    const { line } = first;
    while (at < entries.length && (entries[at]?.line ?? line) < line) at++;
    return at;
  });
  return starts.map((start, index) => {
    const end = Math.max(start + 1, starts[index + 1] ?? entries.length);
    return [start + 1, Math.min(end, Math.max(entries.length, 1))];
  });
}

function firstSentence(text: string, maxChars: number): string {
  const sentences = sentencesOf(text);
  const telling = sentences.find((sentence) => sentence.length > 12) ?? sentences[0] ?? '';
  const plain = plainLine(telling.slice(0, 2 * maxChars));
  return cutAtWord(plain, maxChars).replace(/(?<![\s:,;。.])[\s:,;。.]+$/, '');
}

/** Whether what came of a turn did not last: the human says so, or the next turn changes again what it has changed. */
export function isTakenBack(turn: Turn, next: Turn | undefined): boolean {
  if (next === undefined) return false;
  if (isCorrection(next)) return true;
  const changed = new Set(changedIn(turn));
  return changedIn(next).some((file) => changed.has(file));
}

function changedIn({ messages }: Turn): string[] {
  const tools = messages.flatMap((message) => message.tools);
  return filesOf(tools.filter((tool) => isWriting(tool) && !tool.isError));
}

/** Files that were written, then those that were looked at. */
function filesOf(tools: readonly SourceTool[]): string[] {
  const read = tools.filter((tool) => toolKind(tool).kind === 'read');
  const files = [...tools.filter(isWriting), ...read].map(fileOf);
  return [...new Set(files.filter((file) => file !== ''))];
}

const MOST_WORDS_OF_COMPLAINT = 160;

/** Whether people say that something was not what they wanted, or show what went wrong; at the beginning of what they say next. */
function isCorrection({ human }: Turn): boolean {
  if (human === undefined || human.origin === 'command') return false;
  const sentences = sentencesOf(bareSaidIn(human));
  // `Ah. The issue is the formatter.`
  const opening = sentences.slice(0, 1 + sentences.findIndex((sentence) => placedWords(sentence).length > 2)).join(' ');
  return hasPhrase('wrong', (opening || (sentences[0] ?? '')).slice(0, MOST_WORDS_OF_COMPLAINT));
}

function outcomeOfTurn(turn: Turn, next: Turn | undefined): ExchangeOutcome {
  const answers = turn.messages.filter(({ role }) => role === 'assistant');
  if (turn.first.via === 'abandoned' || answers.length === 0) return 'abandoned';
  const outcomes = answers.flatMap(({ tools }) => tools.map((tool) => outcomeOf(tool, resultLines(tool))));
  const last = outcomes.at(-1);
  const said = bareSaidIn(answers.at(-1));
  if (last?.isRefused === true && said === '') return 'abandoned';
  if (next !== undefined && isCorrection(next)) return 'corrected';
  if (said === '') return last === undefined ? 'abandoned' : last.isError ? 'failed' : 'done';
  return hasPhrase('fails', sentencesOf(said)[0] ?? '') ? 'failed' : 'done';
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

function messageEntries(message: SpokenMessage): PlacedEntry[] {
  const { line, role, via } = message;
  const entries: PlacedEntry[] = [];
  const texts = textsOf(message);
  const mark = via === undefined ? {} : { via };
  let ts = message.timestamp ?? '';
  let said = 0;
  const sayUpTo = (end: number): void => {
    for (; said < end && said < texts.length; said++) {
      const text = texts[said];
      if (text !== undefined && text.text !== '') entries.push({ line, entry: { ts, role, ...text, ...mark } });
    }
  };
  for (const tool of message.tools) {
    sayUpTo(tool.afterText);
    ts = tool.timestamp ?? ts;
    entries.push({ line, entry: { ...toolEntry(tool, ts), ...mark } });
    ts = tool.answeredAt ?? ts;
  }
  sayUpTo(texts.length);
  return entries;
}

/** Records hold several text blocks now and then: from the second on they are numbered. */
function textsOf(source: SourceMessage): { text: string; uuid: string; part?: number }[] {
  return source.texts.map(({ text, recordUuid, blockIndex }) => ({
    text: withoutSecrets(text),
    uuid: recordUuid,
    ...(blockIndex > 0 && { part: blockIndex }),
  }));
}

function toolEntry(tool: SpokenTool, ts: string): L1Entry {
  const lines = resultLines(tool);
  const outcome = outcomeOf(tool, lines);
  const range = linesOf(tool, lines);
  const diff = diffOf(tool);
  return {
    ts,
    role: 'tool',
    name: tool.name,
    target: withoutSecrets(tool.target).slice(0, MAX_TARGET),
    ...(range !== '' && { lines: range }),
    ...(diff !== '' && { diff: withoutSecrets(diff) }),
    result: withoutSecrets(resultOf(outcome)).slice(0, MAX_TOLD_RESULT),
    uuid: tool.uuid,
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
  if (toolKind(tool).kind !== 'read' || tool.isError) return '';
  const { offset, limit } = tool.input;
  const from = typeof offset === 'number' ? offset : 1;
  if (typeof limit === 'number') return `${from}-${from + limit - 1}`;
  const numbers = [...tool.result.matchAll(/^[^\S\n]{0,20}(\d{1,9})(?:→|\t)/gm)].map(([, number]) => Number(number));
  const last = numbers.at(-1) ?? from + lines.length - 1;
  return last >= from ? `${from}-${last}` : '';
}

/** What an edit took out and put in: of each place both sides, long ones cut in the middle. */
function diffOf(tool: SourceTool): string {
  const changes = changesIn(tool).slice(0, MAX_DIFF_LINES / 2);
  const most = Math.max(2, Math.floor(MAX_DIFF_LINES / (2 * changes.length)));
  const side = (sign: string, lines: readonly string[]): string[] => {
    const shown = lines.map((line) => `${sign}${line.slice(0, MAX_DIFF_LINE)}`);
    if (shown.length <= most) return shown;
    const end = Math.floor(most / 2);
    return [...shown.slice(0, most - end), `… ${shown.length - most} more lines`, ...shown.slice(-end)];
  };
  return changes.flatMap(({ removed, added }) => [...side('-', removed), ...side('+', added)]).join('\n');
}

/** What a person typed that became no message. */
function eventEntries(event: ConversationEvent): PlacedEntry[] {
  const via = event.kind === 'unsentPrompt' ? 'unsent' : 'command';
  if (event.kind !== 'command' && event.kind !== 'bashInput' && event.kind !== 'unsentPrompt') return [];
  const typed = event.kind === 'bashInput' ? `!${event.text}` : event.text;
  const text = withoutSecrets(typed);
  if (text.trim() === '') return [];
  return [{ line: event.line, entry: { ts: event.timestamp ?? '', role: 'user', text, uuid: event.uuid, via } }];
}
