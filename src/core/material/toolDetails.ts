import { isObject } from '../model/migrations';
import { parseJsonExcerpt, type JsonExcerpt, type JsonValue } from '../model/tornJson';
import type { ByteRange, OpaqueBlock, ToolStep } from '../transcript/types';
import { cleanLines, oneLine } from '../text/cleanText';
import { formatBytes } from '../text/formats';

/** How much of what a tool was given and answered a document shows. */
export interface DetailLimits {
  /** Lines of one result; its input gets as many. */
  readonly lines: number;
  /** Bytes that are read of one input or result. */
  readonly bytes: number;
}

/**
 * Editors give up folding and colours beyond 300,000 lines or 20 MB of text: the details of all steps together stay far
 * below that, so that a session of thousands of steps shows less of each.
 */
const MAX_DETAIL_LINES = 100_000;
const MAX_DETAIL_BYTES = 6 * 1024 * 1024;
const FEWEST_LINES = 3;
const FEWEST_BYTES = 300;

/** The limits for a document with so many tool steps; each has an input and a result. */
export function limitsFor(steps: number, wanted: DetailLimits): DetailLimits {
  const shares = Math.max(1, steps * 2);
  return {
    lines: Math.min(wanted.lines, Math.max(FEWEST_LINES, Math.floor(MAX_DETAIL_LINES / shares))),
    bytes: Math.min(wanted.bytes, Math.max(FEWEST_BYTES, Math.floor(MAX_DETAIL_BYTES / shares))),
  };
}

/** Reads pieces of the transcript file; called once per turn with all that the turn shows. */
export interface ExcerptReader {
  /**
   * The first `maxBytes` of each range as text, in the order of `ranges`; '' for a piece that cannot be read (the file
   * may have been rewritten or deleted since). A character that the cut halved may end as U+FFFD.
   */
  read(ranges: readonly ByteRange[], maxBytes: number, signal?: AbortSignal): Promise<readonly string[]>;
}

/** Opens the transcript at a path; whoever opens it closes it. */
export type OpenExcerpts = (path: string) => ExcerptReader & { close(): Promise<void> };

const MAX_NAME_LENGTH = 120;

/** The beginning of something long. */
interface Shown {
  lines: string[];
  isCut: boolean;
}

function parse(excerpt: string, range: ByteRange, limits: DetailLimits): JsonExcerpt {
  const { value, isCut } = parseJsonExcerpt(excerpt.replace(/(?<!\ufffd)\ufffd+$/, ''));
  return { value, isCut: isCut || range.length > limits.bytes };
}

function limit(lines: string[], isCut: boolean, limits: DetailLimits): Shown {
  return lines.length > limits.lines ? { lines: lines.slice(0, limits.lines), isCut: true } : { lines, isCut };
}

/** A value in one line, much as JSON writes it. */
function compactJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(compactJson).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${key}: ${compactJson(item)}`);
  return `{ ${fields.join(', ')} }`;
}

/** `name  value` in one line, or the name with the lines of its value under it. */
function fieldLines(name: string, value: JsonValue): string[] {
  const lines = typeof value === 'string' ? cleanLines(value) : cleanLines(compactJson(value));
  const label = oneLine(name, MAX_NAME_LENGTH);
  if (lines.length <= 1) return [`${label}: ${lines[0] ?? ''}`.trimEnd()];
  return [`${label}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

function inputLines(value: JsonValue | undefined): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return cleanLines(compactJson(value));
  return Object.entries(value).flatMap(([name, field]) => fieldLines(name, field));
}

/** A result is a string, or a list of blocks of which text is what people read. */
function resultLines(value: JsonValue | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return cleanLines(value);
  if (Array.isArray(value)) return value.flatMap(blockLines);
  return cleanLines(compactJson(value));
}

function blockLines(block: JsonValue): string[] {
  if (!isObject(block)) return typeof block === 'string' ? cleanLines(block) : cleanLines(compactJson(block));
  const { text, type } = block;
  if (typeof text === 'string') return cleanLines(text);
  return [`[${typeof type === 'string' ? oneLine(type, MAX_NAME_LENGTH) : 'block'}]`];
}

/** What of a tool step has to be read to show its details. */
export function rangesOfTool(step: ToolStep): readonly ByteRange[] {
  return step.result === undefined ? [step.input] : [step.input, step.result.range];
}

/** The lines under a tool step: its input, and the beginning of its result. `excerpts` are those of {@link rangesOfTool}. */
export function toolDetails(step: ToolStep, excerpts: readonly string[], limits: DetailLimits): string[] {
  const input = parse(excerpts[0] ?? '', step.input, limits);
  const given = limit(inputLines(input.value), input.isCut, limits);
  const lines = [...given.lines];
  if (given.isCut) lines.push(cutNote(step.input.length));
  if (step.result === undefined) return lines;
  const result = parse(excerpts[1] ?? '', step.result.range, limits);
  const answered = limit(resultLines(result.value), result.isCut, limits);
  lines.push(step.result.isError ? '── error ──' : '── result ──', ...answered.lines);
  if (answered.lines.length === 0) lines.push(result.isCut ? '[not shown]' : '[empty]');
  if (answered.isCut) lines.push(cutNote(step.result.bytes));
  return lines;
}

function cutNote(bytes: number): string {
  return `… ${formatBytes(bytes)} in all: “Open Original at This Line” shows the rest`;
}

/** The words of a thinking block, which are often left out of transcripts: then there are none. */
export function thinkingLines(block: OpaqueBlock, excerpt: string, limits: DetailLimits): string[] {
  const { value, isCut } = parse(excerpt, block.range, limits);
  const words = isObject(value) ? value['thinking'] : undefined;
  if (typeof words !== 'string') return [];
  const shown = limit(cleanLines(words), isCut, limits);
  return shown.isCut ? [...shown.lines, cutNote(block.range.length)] : shown.lines;
}
