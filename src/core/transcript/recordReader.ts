import { isObject } from '../model/migrations';
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { encoded } from '../text/byteText';
import { parsedJson } from '../text/ownValue';
import { endOfValue, JsonPlace, textOf, type JsonFields } from './jsonPlace';

/** How often a damaged line is searched for the beginning of a whole record, at most. */
const MAX_SALVAGE_ATTEMPTS = 32;

/** A record, and where it stands in its line. Its strings are byte texts: `textOf` tells what they say. */
export interface TranscriptRecord {
  readonly fields: JsonFields;
  readonly start: number;
  readonly end: number;
}

/** What a line turned out to be. */
export type LineContent =
  /** At least one whole record; `damage` tells that something else in the line could not be read. */
  | { readonly kind: 'records'; readonly records: readonly TranscriptRecord[]; readonly damage?: string | undefined }
  | { readonly kind: 'blank' | 'comment' }
  | { readonly kind: 'broken'; readonly error: string };

/** White space, NULs (left by a crash) and byte order marks do not belong to a record. */
const PADDING = /(?:[ \t\r\0]|\xef\xbb\xbf)*/y;

/**
 * Reads the records of a line, a byte text: one, or several that were written without a newline between them, or the whole record that
 * follows a torn one. Never throws.
 */
export function readRecords(line: string): LineContent {
  const start = behindPadding(line, 0);
  if (start === line.length)
    return line.includes('\0') ? { kind: 'broken', error: 'NUL bytes only' } : { kind: 'blank' };
  if (line.startsWith('//', start)) return { kind: 'comment' };
  const end = line.endsWith('}') ? line.length : line.lastIndexOf('}') + 1;
  const isWhole = line.startsWith('{', start) && behindPadding(line, end) === line.length;
  const record = isWhole ? recordAt(line, start, end) : undefined;
  return record === undefined ? readDamaged(line, start) : { kind: 'records', records: [record] };
}

/** Reads record by record what is no single one. */
function readDamaged(line: string, from: number): LineContent {
  const records: TranscriptRecord[] = [];
  let damage: string | undefined;
  for (let start = from; start < line.length;) {
    const found = firstRecord(line, start);
    if (typeof found === 'string') damage ??= found;
    const record = typeof found === 'string' ? salvaged(line, start + 1) : found;
    if (record === undefined) break;
    records.push(record);
    start = behindPadding(line, record.end);
  }
  return records.length === 0
    ? { kind: 'broken', error: damage ?? 'not a record' }
    : { kind: 'records', records, damage };
}

/** The record that begins at `start`, or why there is none. */
function firstRecord(line: string, start: number): TranscriptRecord | string {
  if (!line.startsWith('{', start)) return 'not a JSON object';
  const end = endOfValue(line, start);
  const json = line.slice(start, end);
  if (json.includes('\0')) return 'NUL bytes inside a record';
  return recordAt(line, start, end) ?? withoutCopy(json, start) ?? problemOf(json, end > line.length);
}

function recordAt(line: string, start: number, end: number): TranscriptRecord | undefined {
  const fields = parsedJson(withoutLatinEscapes(line.slice(start, end)));
  return isObject(fields) ? { fields, start, end } : undefined;
}

/** What is damaged in the copy of a tool's result for the user interface is none of the record's damage. */
function withoutCopy(json: string, start: number): TranscriptRecord | undefined {
  const copy = new JsonPlace(json, 0, 0).member('toolUseResult')?.range;
  if (copy === undefined) return undefined;
  const rest = `${json.slice(0, copy.offset)}null${json.slice(copy.offset + copy.length)}`;
  const record = recordAt(rest, 0, rest.length);
  return record && { ...record, start, end: start + json.length };
}

/** A record after damage: it must look like one of a session, so that a nested object is not taken for one. */
function salvaged(line: string, from: number): TranscriptRecord | undefined {
  BEGINNING.lastIndex = from;
  for (let attempts = 0; attempts < MAX_SALVAGE_ATTEMPTS; attempts++) {
    const beginning = BEGINNING.exec(line);
    if (beginning === null) return undefined;
    const record = firstRecord(line, beginning.index);
    if (typeof record !== 'string' && isOfSession(record.fields)) return record;
  }
  return undefined;
}

const BEGINNING = /\{"(?:parentUuid|type|uuid|isSidechain|logicalParentUuid)"/g;

function isOfSession({ type, sessionId }: JsonFields): boolean {
  return textOf(type) !== undefined && textOf(sessionId) !== undefined;
}

/** What is wrong with a text, without a word of it. */
function problemOf(json: string, isTorn: boolean): string {
  const errors: ParseError[] = [];
  try {
    parse(json, errors);
  } catch {
    return 'nested too deeply'; // the parser calls itself for each level
  }
  const [first] = errors;
  const name = first === undefined ? 'notJson' : printParseErrorCode(first.error);
  const problem = `${name.replace(/\B[A-Z]/g, ' $&').toLowerCase()} at byte ${String(first?.offset ?? 0)}`;
  return isTorn ? `torn: ${problem}` : problem;
}

const LATIN_ESCAPE = /\\u00[89a-f]/i;

/** `\u00e9` is a unit, and would be taken for a byte. */
function withoutLatinEscapes(json: string): string {
  if (!json.includes('\\u00') || !LATIN_ESCAPE.test(json)) return json;
  return json.replace(/\\(?:u00([89a-f][\da-f])|[^])/gi, (escape, hex?: string) =>
    hex === undefined ? escape : encoded(String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

function behindPadding(line: string, from: number): number {
  if (from === line.length || line.startsWith('{', from)) return from;
  PADDING.lastIndex = from;
  return from + (PADDING.exec(line)?.[0].length ?? 0);
}
