import { mapValues } from '../text/ownValue';
import { isObject } from '../model/migrations';
import { parseJsonExcerpt, type JsonValue } from '../model/tornJson';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { ByteRange, ToolStep } from '../transcript/types';
import { MANIFEST } from './dependencies';
import type { SourceTool } from './types';

/** Pieces of the transcript that are read to tell what a tool was asked, and what it answered. */
export interface ToolPieces {
  readonly input: ByteRange;
  readonly head: ByteRange;
  /** Present for a result that is not read as a whole. */
  readonly tail?: ByteRange;
}

/** What was read of the pieces. */
interface ToolTexts {
  readonly input: string;
  readonly head: string;
  readonly tail: string;
}

/** How much of a result is worth reading again, in bytes of its JSON and in characters of its text. */
interface ExcerptLimits {
  readonly bytes: number;
  readonly head: number;
  readonly tail: number;
}

const INPUT_BYTES = 12 * 1024;
const INPUT_STRING_CHARS = 1200;
const INPUT_DEPTH = 5;

/** What a command printed, and every failure: how it began, and how it ended. */
const output: ExcerptLimits = { bytes: 8 * 1024, head: 1200, tail: 1600 };
/** The content of a file or a list of places: it is there to be read again. */
const content: ExcerptLimits = { bytes: 2 * 1024, head: 1000, tail: 0 };
/** What a project depends on stands in the middle of its manifest. */
const manifest: ExcerptLimits = { bytes: 8 * 1024, head: 6000, tail: 0 };
/** What a sub-agent reported: words that nobody else has. */
const report: ExcerptLimits = { bytes: 32 * 1024, head: 6000, tail: 2000 };

const contentTools: ReadonlySet<string> = new Set([
  'Read',
  'NotebookRead',
  'Glob',
  'Grep',
  'LS',
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
]);
const reportTools: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** A session of few steps can hold more of each: so many characters of all of them together. */
const ALL_STEPS_CHARS = 24 * 1024 * 1024;
const USUAL_STEP_CHARS = 8 * 1024;
const MOST_GENEROUS = 24;

/** How many times the usual is kept of each step, in a session with so many: light compression wants more than a line of each. */
export function generosityFor(steps: number): number {
  return Math.min(MOST_GENEROUS, Math.max(1, Math.floor(ALL_STEPS_CHARS / (USUAL_STEP_CHARS * Math.max(1, steps)))));
}

function limitsOf(step: ToolStep, generosity: number): ExcerptLimits {
  const isContent = contentTools.has(step.name) && step.result?.isError !== true;
  const ofContent = MANIFEST.test(step.target) ? manifest : content;
  const { bytes, head, tail } = reportTools.has(step.name) ? report : isContent ? ofContent : output;
  return { bytes: bytes * generosity, head: head * generosity, tail: tail * generosity };
}

/** What has to be read of a tool step. */
export function piecesOfTool(step: ToolStep, generosity: number): ToolPieces {
  const input = beginning(step.input, INPUT_BYTES * generosity);
  if (step.result === undefined) return { input, head: { offset: 0, length: 0 } };
  const { offset, length } = step.result.range;
  const limits = limitsOf(step, generosity);
  if (length <= 2 * limits.bytes || limits.tail === 0)
    return { input, head: beginning(step.result.range, 2 * limits.bytes) };
  const tail = { offset: offset + length - limits.bytes, length: limits.bytes };
  return { input, head: { offset, length: limits.bytes }, tail };
}

/**
 * A tool step with its input, and the beginning and the end of its result, without secrets: they are taken out before anything is cut, for
 * half a secret is not known as one.
 */
export function sourceTool(
  step: ToolStep,
  texts: ToolTexts,
  { afterText, generosity }: { readonly afterText: number; readonly generosity: number },
): SourceTool {
  return {
    name: step.name,
    target: withoutSecrets(step.target),
    input: inputOf(texts.input, INPUT_STRING_CHARS * generosity),
    result: step.result === undefined ? '' : resultOf(texts, limitsOf(step, generosity)),
    isError: step.result?.isError ?? false,
    afterText,
  };
}

function beginning({ offset, length }: ByteRange, maxBytes: number): ByteRange {
  return { offset, length: Math.min(length, maxBytes) };
}

function inputOf(excerpt: string, maxChars: number): Record<string, unknown> {
  const { value } = parseJsonExcerpt(withoutHalfCharacter(excerpt));
  if (!isObject(value)) return {};
  return mapValues(value, (field) => shortened(field, { depth: 1, maxChars }));
}

/** The value with strings of a bound length. What is nested too deep is left out. */
function shortened(value: JsonValue, { depth, maxChars }: { depth: number; maxChars: number }): unknown {
  if (typeof value === 'string') return cutAt(withoutSecrets(value), maxChars);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= INPUT_DEPTH) return undefined;
  const within = { depth: depth + 1, maxChars };
  if (Array.isArray(value)) return value.map((item) => shortened(item, within));
  return mapValues(value, (field) => shortened(field, within));
}

function resultOf({ head, tail }: ToolTexts, limits: ExcerptLimits): string {
  const { value, isCut } = parseJsonExcerpt(withoutHalfCharacter(head));
  const first = value === undefined ? '' : withoutSecrets(textOf(value));
  const isWhole = tail === '' && !isCut;
  if (isWhole && first.length <= limits.head + limits.tail) return first;
  const last = tail === '' ? first.slice(limits.head) : withoutSecrets(endOfJson(tail));
  const end = lastLines(last, limits.tail);
  const start = firstLines(first, limits.head);
  return end === '' ? `${start}\n…` : `${start}\n…\n${end}`;
}

/** A result is a string, or a list of blocks of which text is what is read. */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value
    .flatMap((block) => {
      const text = isObject(block) ? block['text'] : block;
      return typeof text === 'string' ? [text] : [];
    })
    .join('\n');
}

/** The text that a piece from the end of a JSON string, or of a list of text blocks, ends with. */
function endOfJson(piece: string): string {
  const text = piece.replace(/^\ufffd+/, '').replace(/(?<![\s\]}])[\s\]}]*$/, '');
  const literal = text.endsWith('"') ? text.slice(0, -1) : text;
  // From the beginning of a line on: a piece may begin in the middle of an escape.
  const newline = /(?<!\\)(?:\\\\)*\\n/.exec(literal);
  const from = newline === null ? literal.search(/[^\\u0-9a-f]/i) : newline.index + newline[0].length;
  const { value } = parseJsonExcerpt(`"${literal.slice(Math.max(0, from))}"`);
  return typeof value === 'string' ? value : '';
}

function firstLines(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const newline = text.lastIndexOf('\n', maxChars);
  return cutAt(text, newline > maxChars / 2 ? newline : maxChars).trimEnd();
}

function lastLines(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.trim();
  if (maxChars === 0) return '';
  const start = text.length - maxChars;
  const newline = text.indexOf('\n', start);
  const from = newline >= 0 && newline < start + maxChars / 2 ? newline + 1 : start;
  return text.slice(isLowSurrogate(text, from) ? from + 1 : from).trim();
}

function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, isLowSurrogate(text, length) ? length - 1 : length);
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The last character of a piece may have been halved. */
function withoutHalfCharacter(text: string): string {
  return text.replace(/(?<!\ufffd)\ufffd+$/, '');
}
