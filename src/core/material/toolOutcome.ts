import { hasPhrase } from '../text/phrases';
import type { SourceTool } from './types';

const REMINDER = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;
const TOOL_TAGS =
  /<\/?(?:tool_use_error|output|stdout|stderr|error|result|retrieval_status|task_id|task_type|status|exit_code|bash-std(?:out|err))>/g;
// eslint has no say over what terminals write: colours and cursor moves.
const TERMINAL = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[a-zA-Z]`, 'g');
const LINE_NUMBER = /^\s*\d+(?:→|\t)/;
const NUMBERED_LINES = /^[^\S\n]{0,20}\d{1,9}(?:→|\t)/m;

/** A call that a person refused, or a question that a person answered: the words are a message of the person's own. */
const REFUSAL = /doesn't want to (?:proceed|take)|tool use was rejected|\[Request interrupted/i;
const ANSWERS =
  /^(?:User has answered your questions?|Your questions have been answered|The user (?:answered|responded)):/i;

/** Lines of programs that name what went wrong, the surest first; what they say in other languages than English comes last. */
const ERROR_LINES = [
  /^(?:E {2,})?[\w.]*(?:Error|Exception|Panic)\b/,
  /^\s*(?:E {2,}\S|error(?:\[\w+\])?:|fatal:|panic:|FAIL(?:ED)?\b|✗|×|✖)/,
  /\b(?:Error|Exception|error|fatal|failed|FAILED|cannot|Cannot|not found|No such|denied|undefined|invalid|unexpected|refused|timed? ?out)\b/,
];
const SUMMARY_LINE =
  /\b\d+ (?:passed|failed|errors?|warnings?|tests?|passing|failing|skipped|vulnerabilit\w+)\b|^(?:All checks passed|Success|Done|Compiled|Found \d+|Tests?:|OK\b|BUILD \w+)/i;
const LONGEST_LINE = 240;
const MOST_LINES = 4000;

/** What a step came to. */
export interface Outcome {
  readonly isError: boolean;
  /** The line that says what went wrong, or what came out; '' when nothing is worth a word. */
  readonly line: string;
  readonly isRefused: boolean;
  /** Whether it is a person's answer to a question. */
  readonly isAnswered: boolean;
}

/** The lines of a result without what the harness and terminals put around them. */
export function resultLines(tool: SourceTool): string[] {
  const text = tool.result.replace(REMINDER, '').replace(TOOL_TAGS, '').replace(TERMINAL, '');
  const lines = text.split(/\r\n|[\n\r]/, MOST_LINES);
  return NUMBERED_LINES.test(text.slice(0, LONGEST_LINE)) ? lines.map((line) => line.replace(LINE_NUMBER, '')) : lines;
}

/** Whether a call was refused with what the human said next: some clients write those words as its result. */
export function isReply({ result }: SourceTool, reply: string): boolean {
  return reply.trim() !== '' && result.trim() === reply.trim();
}

/** Reads what a call came to. */
export function outcomeOf(tool: SourceTool, lines: readonly string[]): Outcome {
  const text = lines.join('\n').trim();
  if (ANSWERS.test(text)) return { isError: false, line: '', isRefused: false, isAnswered: true };
  if (tool.isError && REFUSAL.test(text)) return { isError: true, line: '', isRefused: true, isAnswered: false };
  if (tool.isError) return { isError: true, line: errorLine(lines), isRefused: false, isAnswered: false };
  const summary = lines.findLast((line) => line.length < LONGEST_LINE && SUMMARY_LINE.test(line)) ?? '';
  return { isError: false, line: bareLine(summary), isRefused: false, isAnswered: false };
}

/** The line that says best what went wrong; the last one that says anything when none names an error. */
export function errorLine(lines: readonly string[]): string {
  const tests = [...ERROR_LINES.map((pattern) => (line: string) => pattern.test(line)), namesError];
  for (const test of tests) {
    const found = lines.findLast((line) => test(line.slice(0, LONGEST_LINE)));
    if (found !== undefined) return bareLine(found);
  }
  return bareLine(lines.findLast((line) => line.trim() !== '') ?? '');
}

function namesError(line: string): boolean {
  return hasPhrase('errors', line);
}

/** One line, without rules of dashes around it, cut at a length that can be read. */
export function bareLine(text: string, maxChars = LONGEST_LINE): string {
  const line = text
    .slice(0, maxChars * 4)
    .replace(/\s+/g, ' ')
    .replace(/^[\s=\-─━*#>│|]+|(?<![\s=─━*│|])[\s=─━*│|]+$/g, '')
    .trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).trimEnd()}…`;
}
