import { isObject } from '../model/migrations';
import { trimmedRange, type TextRange } from '../text/secrets/privateText';
import { readAuthorship } from './authorship';
import { isQuotedLine } from './harnessBlocks';
import { decoded } from '../text/byteText';
import { ownValue } from '../text/ownValue';
import { maySpeak } from './bareRefusal';
import type { ToolCall } from './entry';
import { fieldsOf, textOf, type JsonFields, type RawBlock } from './jsonPlace';
import { resultText } from './toolReader';

/** A piece of a text: the `length` characters from `at` on in what was taken out stand at `start` in where it was taken from. */
export interface WordPiece {
  readonly at: number;
  readonly start: number;
  readonly length: number;
}

/** A person's words inside the text of a tool result. */
interface ResultWords {
  readonly text: string;
  readonly pieces: readonly WordPiece[];
}

/** A question that Claude asked, and what the person chose or wrote. */
interface Answered {
  readonly question: string;
  readonly answer: string;
}

interface PlacedAnswer {
  readonly question: TextRange;
  readonly answers: readonly TextRange[];
}

/**
 * What the client writes before the words of a person who refuses a tool: that the use was rejected, and then a sentence that names
 * the user and ends with a colon. Refusals without words have a last sentence that ends with a full stop.
 */
const REFUSED =
  /^[^\n:]{0,120}(?:doesn['’]t want to proceed with this tool use|The tool use was rejected(?: \([^\n)]{0,200}\))?)\. [^\n:]{0,120}\buser\b[^\n:]{0,80}:(?:\n|[ \t]+)/i;

/** Newer clients end every refusal with advice to the model. */
const ADVICE = "\n\nNote: The user's next message may contain a correction or preference.";

/** Questions that came back with a refusal: a line for each, below it what was answered. */
const LISTED_QUESTION = /^- "(.*)"$/;
const LISTED_ANSWER = /^ {2}(?:Answer|User notes): (.*)$/;
const UNANSWERED = '  (No answer provided)';

/** What may follow an answer in the sentence that tells Claude of the answers. */
const AFTER_ANSWER = /"(?=, "|\.(?:\s|$)|$| (?:selected preview|user notes|notes):)/g;
const AFTER_NOTES = /(?=, "|\.(?: You can now | Read the answers |$))|$/g;
const NOTES = / (?:user )?notes: /y;
const NO_OPTION = '(no option selected)';

/** What a client writes as the answer where a person only wrote notes. */
const NO_ANSWERS: ReadonlySet<string> = new Set(['(notes only)', NO_OPTION, '']);

/** A free reply in place of answers. */
const RESPONDED = 'The user responded: ';

/** The words that came with a refusal; undefined for a text that is none, or a refusal without words. */
export function refusalWords(text: string): ResultWords | undefined {
  const introduction = REFUSED.exec(text)?.[0].length;
  if (introduction === undefined) return undefined;
  const advice = text.indexOf(ADVICE, introduction);
  const place = trimmedRange(text, { start: introduction, end: advice < 0 ? text.length : advice });
  if (place.start >= place.end) return undefined;
  const listed = listedAnswers(text, place);
  return listed === undefined ? ownWords(text, place) : taken(text, listed);
}

/** The answers in the text of an `AskUserQuestion` result; undefined when there are none. */
export function answerWords(text: string): ResultWords | undefined {
  if (text.startsWith(RESPONDED)) {
    return taken(text, [{ answers: [trimmedRange(text, { start: RESPONDED.length, end: text.length })] }]);
  }
  return taken(text, saidAnswers(text));
}

/** A question with its answer as the text of a message: the question is quoted, as it is not the person's own. */
export function answeredText(answered: readonly Answered[]): string {
  const textOf = ({ question, answer }: Answered): string =>
    question.trim() === '' ? answer : `${quoted(question)}${own(answer)}${answer}`;
  return answered.map(textOf).join('\n\n');
}

/** Whether a client's word for an answer says that there is none. */
export function isNoAnswer(answer: string): boolean {
  return NO_ANSWERS.has(answer.trim());
}

function quoted(question: string): string {
  const lines = question.trim().split(/\r?\n/);
  return question.trim() === '' ? '' : `${lines.map((line) => `> ${line}`).join('\n')}\n`;
}

/** Goes before an answer that begins as a quoted line does, such as `> 5 minutes`: below a question it is the person's own. */
function own(answer: string): string {
  return isQuotedLine(answer) ? '\\' : '';
}

/** What is left of words where the harness wrote something beside them. */
function ownWords(source: string, { start, end }: TextRange): ResultWords | undefined {
  const author = readAuthorship(source.slice(start, end));
  if (author.kind !== 'words') return undefined;
  const pieces: WordPiece[] = [];
  let at = 0;
  for (const piece of author.pieces) {
    const length = piece.end - piece.start;
    pieces.push({ at, start: start + piece.start, length });
    at += length;
  }
  return { text: author.text, pieces };
}

/** Joins what was answered to a text, and remembers where each answer came from. */
function taken(
  source: string,
  found: readonly { readonly question?: TextRange; readonly answers: readonly TextRange[] }[],
): ResultWords | undefined {
  const pieces: WordPiece[] = [];
  let text = '';
  for (const { question, answers } of found) {
    if (answers.length === 0) continue;
    if (text !== '') text += '\n\n';
    if (question !== undefined) text += quoted(source.slice(question.start, question.end));
    for (const [index, { start, end }] of answers.entries()) {
      if (index > 0) text += '\n';
      else if (question !== undefined) text += own(source.slice(start, end));
      pieces.push({ at: text.length, start, length: end - start });
      text += source.slice(start, end);
    }
  }
  return text.trim() === '' ? undefined : { text, pieces };
}

/** The questions and answers in the client's list; undefined when the words are no such list but a person's own. */
function listedAnswers(text: string, place: TextRange): PlacedAnswer[] | undefined {
  const found: { question: TextRange; answers: TextRange[] }[] = [];
  let isList = false;
  let start = place.start;
  while (start < place.end) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? place.end : Math.min(newline, place.end);
    const line = text.slice(start, end);
    const question = LISTED_QUESTION.exec(line)?.[1];
    const answer = LISTED_ANSWER.exec(line)?.[1];
    if (question !== undefined)
      found.push({ question: { start: end - 1 - question.length, end: end - 1 }, answers: [] });
    else if (found.length > 0 && line === UNANSWERED) isList = true;
    else if (answer !== undefined && found.length > 0) {
      isList = true;
      if (!isNoAnswer(answer)) found.at(-1)?.answers.push({ start: end - answer.length, end });
    }
    start = end + 1;
  }
  return isList ? found : undefined;
}

/** The answers in a sentence `"question"="answer", "question"="answer" notes: …`. */
function saidAnswers(text: string): PlacedAnswer[] {
  const found: PlacedAnswer[] = [];
  let at = text.indexOf('"');
  while (at >= 0) {
    const question = { start: at + 1, end: text.indexOf('"=', at + 1) };
    if (question.end < 0) break;
    const answer = answerAt(text, question.end + 2);
    if (answer === undefined) break;
    const answers: TextRange[] = isNoAnswer(text.slice(answer.start, answer.end)) ? [] : [answer];
    const notes = notesAt(text, answer.behind);
    if (notes !== undefined) answers.push(notes);
    found.push({ question, answers });
    at = text.indexOf('"', notes === undefined ? answer.behind : notes.end);
  }
  return found;
}

function answerAt(text: string, start: number): (TextRange & { behind: number }) | undefined {
  if (text.startsWith(NO_OPTION, start)) {
    const end = start + NO_OPTION.length;
    return { start, end, behind: end };
  }
  if (text[start] !== '"') return undefined;
  AFTER_ANSWER.lastIndex = start + 1;
  const end = AFTER_ANSWER.exec(text)?.index;
  return end === undefined ? undefined : { start: start + 1, end, behind: end + 1 };
}

function notesAt(text: string, from: number): TextRange | undefined {
  NOTES.lastIndex = from;
  const introduction = NOTES.exec(text)?.[0].length;
  if (introduction === undefined) return undefined;
  const start = from + introduction;
  AFTER_NOTES.lastIndex = start;
  const place = trimmedRange(text, { start, end: AFTER_NOTES.exec(text)?.index ?? text.length });
  return place.start < place.end ? place : undefined;
}

/** What Claude Code calls the tool that asks a person. */
const ASKING_TOOL = 'AskUserQuestion';
/** Tools of servers: what their results say, they wrote themselves, a refusal in the client's words included. */
const SERVER_TOOL = 'mcp__';
/** How newer clients mark a call that a person refused; other marks are of rules, hooks and the like. */
const REFUSED_BY_PERSON = 'user-rejected';

/** Answers to questions are short; the words with a refusal may be a document. */
const MAX_ANSWER_CHARS = 256 * 1024;

/** What a person said in a tool result. */
export interface SaidInResult {
  readonly text: string;
  readonly isStripped: boolean;
  /** Whether only what Claude says next can tell that a person said it. */
  readonly isBare: boolean;
}

/** Finds what a person said in the results of tool calls: why they refused one, and what they answered to questions. */
export class AnswerReader {
  /** Calls without a result whose tool makes a difference, by their id. */
  private readonly calls = new Map<string, 'question' | 'server'>();

  /** Takes note of a call. */
  called({ name, id }: Pick<ToolCall, 'name' | 'id'>): void {
    if (name === ASKING_TOOL) this.calls.set(id, 'question');
    else if (name.startsWith(SERVER_TOOL)) this.calls.set(id, 'server');
  }

  /** What a person said in a result; undefined when it is the tool's alone. `isAlone`: it is the only one of its record. */
  said({ fields }: RawBlock, record: JsonFields, isAlone: boolean): SaidInResult | undefined {
    const call = this.answered(textOf(fields['tool_use_id']));
    const copy = record['toolUseResult'];
    const isError = fields['is_error'] === true;
    const mayAnswer = call === 'question' || (call === undefined && isObject(fieldsOf(copy)['answers']));
    if (!isError && !mayAnswer) return undefined;
    const text = resultText(fields);
    if (text === undefined || (!isError && text.length > MAX_ANSWER_CHARS)) return undefined;
    if (isError) return refusal(text, record, { isServers: call === 'server', isAlone });
    if (isAlone && copy !== undefined) return composed(given(copy));
    return call === 'question' ? composed(answerWords(text)?.text) : undefined;
  }

  private answered(id: string | undefined): 'question' | 'server' | undefined {
    if (id === undefined) return undefined;
    const call = this.calls.get(id);
    this.calls.delete(id);
    return call;
  }
}

function refusal(
  text: string,
  { toolDenialKind, toolUseResult }: JsonFields,
  { isServers, isAlone }: { readonly isServers: boolean; readonly isAlone: boolean },
): SaidInResult | undefined {
  const mark = textOf(toolDenialKind);
  if (mark === undefined ? isServers : mark !== REFUSED_BY_PERSON) return undefined;
  const words = refusalWords(text);
  if (words !== undefined) return composed(words.text);
  if (!isAlone || textOf(toolUseResult) !== `Error: ${text}` || !maySpeak(text)) return undefined;
  return { text, isStripped: false, isBare: true };
}

function composed(text: string | undefined): SaidInResult | undefined {
  return text === undefined || text.trim() === '' ? undefined : { text, isStripped: true, isBare: false };
}

/** What the copy of a result for the user interface says of answers; undefined where it says nothing of them. */
function given(copy: unknown): string | undefined {
  const { answers, annotations, response } = fieldsOf(copy);
  if (!isObject(answers)) return undefined;
  const answered = Object.entries(answers).flatMap(([question, chosen]) => {
    const answer = Array.isArray(chosen) ? decoded(chosen.join(', ')) : (textOf(chosen) ?? '');
    const notes = textOf(fieldsOf(ownValue(fieldsOf(annotations), question))['notes'])?.trim() ?? '';
    const said = [isNoAnswer(answer) ? '' : answer.trim(), notes].filter((part) => part !== '').join('\n');
    return said === '' ? [] : [{ question: decoded(question), answer: said }];
  });
  const free = textOf(response)?.trim() ?? '';
  return answeredText(free === '' ? answered : [...answered, { question: '', answer: free }]);
}
