import type { EntryDetail } from './entry';
import { isFields, textOf, type JsonFields } from './jsonFields';
import { parsedJson } from '../text/parsedJson';
import { JsonWalker, type Place, type Span, type Wanted } from './jsonWalker';
import { textAt, type ScannedLine } from './lineScanner';

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SLASH = 0x2f;

/** How often a damaged line is searched for the beginning of a whole record, at most. */
const MAX_SALVAGE_ATTEMPTS = 32;

/** A record, and where it stands in its line's bytes. */
export interface TranscriptRecord extends Span {
  readonly fields: JsonFields;
  /** Where the texts, inputs and results in it stand; only in full detail. */
  readonly place?: Place | undefined;
}

/** What a line turned out to be. */
export type LineContent =
  /** At least one whole record; `damage` tells that something else in the line could not be read. */
  | { readonly kind: 'records'; readonly records: readonly TranscriptRecord[]; readonly damage?: string }
  | { readonly kind: 'blank' | 'comment' }
  | { readonly kind: 'broken'; readonly error: string };

const BLANK: LineContent = { kind: 'blank' };
const COMMENT: LineContent = { kind: 'comment' };

const NOTHING: Wanted = {};
/** The copy of a tool result for the user interface: what is damaged in it is none of the record's damage. */
const COPY = 'toolUseResult';
const WITH_COPY: Wanted = { members: [[COPY, NOTHING]] };
const BLOCK: Wanted = {
  members: [
    ['text', NOTHING],
    ['input', NOTHING],
    ['content', { items: { members: [['text', NOTHING]] } }],
  ],
};
/** A string, or a list of strings and blocks; an object stands for a list of one. */
const CONTENT: Wanted = { ...BLOCK, items: BLOCK };
const RECORD: Wanted = {
  members: [
    ['message', { members: [['content', CONTENT]] }],
    ['content', CONTENT],
    [
      'attachment',
      {
        members: [
          ['prompt', CONTENT],
          ['content', CONTENT],
        ],
      },
    ],
  ],
  isOneOf: true,
};

/**
 * Reads the records of a line: one, or several that were written without a newline between them, or the whole record
 * that follows a torn one. Byte order marks, carriage returns and NULs around records are no part of them.
 */
export class RecordReader {
  private readonly walker = new JsonWalker();

  constructor(private readonly detail: EntryDetail) {}

  /** Never throws. */
  read(line: ScannedLine): LineContent {
    const { bytes } = line;
    const { pos: start, hasNul } = skipPadding(bytes, line.start, line.end);
    if (start === line.end) return hasNul ? { kind: 'broken', error: 'NUL bytes only' } : BLANK;
    if (bytes[start] === SLASH && bytes[start + 1] === SLASH) return COMMENT;
    const end = trimmedEnd(bytes, start, line.end);
    const isObject = bytes[start] === OPEN_OBJECT && bytes[end - 1] === CLOSE_OBJECT;
    const fields = isObject ? parsedJson(textAt(bytes, start, end)) : undefined;
    if (!isFields(fields)) return this.readDamaged({ ...line, bytes: bytes.subarray(0, line.end) }, start);
    return { kind: 'records', records: [this.placed(bytes, { fields, start, end })] };
  }

  /** Reads record by record what is no single one. The line's bytes end with it, so that no search goes on behind it. */
  private readDamaged(line: ScannedLine, from: number): LineContent {
    const records: TranscriptRecord[] = [];
    let error: string | undefined;
    let start = from;
    while (start < line.end) {
      const found = this.record(line, start);
      if (typeof found === 'string') error ??= found;
      const record = typeof found === 'string' ? this.salvage(line, start + 1) : found;
      if (record === undefined) break;
      records.push(record);
      start = skipPadding(line.bytes, record.end, line.end).pos;
    }
    if (records.length === 0) return { kind: 'broken', error: error ?? 'not a record' };
    return error === undefined ? { kind: 'records', records } : { kind: 'records', records, damage: error };
  }

  /** The record that begins at `start`, or why there is none. */
  private record({ bytes, end }: ScannedLine, start: number): TranscriptRecord | string {
    if (bytes[start] !== OPEN_OBJECT) return 'not a JSON object';
    const place = this.walker.walk(bytes, { start, end }, WITH_COPY);
    if (typeof place === 'string') return place;
    if (bytes.subarray(start, place.end).includes(0)) return 'NUL bytes inside a record';
    const json = textAt(bytes, start, place.end);
    const copy = place.members.get(COPY) ?? { start: place.end, end: place.end };
    const rest = () => `${textAt(bytes, start, copy.start)}null${textAt(bytes, copy.end, place.end)}`;
    const fields = parsedJson(json) ?? parsedJson(rest());
    return isFields(fields) ? this.placed(bytes, { fields, start, end: place.end }) : problemOf(json);
  }

  private placed(bytes: Uint8Array, record: TranscriptRecord): TranscriptRecord {
    const place = this.detail === 'counts' ? undefined : this.walker.walk(bytes, record, RECORD);
    return typeof place === 'object' ? { ...record, place } : record;
  }

  /** A record after damage: it must look like one of a session, so that a nested object is not taken for one. */
  private salvage(line: ScannedLine, from: number): TranscriptRecord | undefined {
    let attempts = 0;
    let at = line.bytes.indexOf(OPEN_OBJECT, from);
    while (at >= 0 && attempts < MAX_SALVAGE_ATTEMPTS) {
      if (startsRecord(line.bytes, at)) {
        attempts++;
        const record = this.record(line, at);
        if (typeof record !== 'string' && isOfSession(record.fields)) return record;
      }
      at = line.bytes.indexOf(OPEN_OBJECT, at + 1);
    }
    return undefined;
  }
}

function isOfSession({ type, sessionId }: JsonFields): boolean {
  return textOf(type) !== undefined && textOf(sessionId) !== undefined;
}

/** What is wrong with a text in which brackets, keys and quotes are right. */
function problemOf(json: string): string {
  try {
    JSON.parse(json);
    return 'not a JSON object';
  } catch (error) {
    return error instanceof Error && error.message.startsWith('Bad ') ? 'bad string' : 'value expected';
  }
}

const BEGINNINGS = ['{"parentUuid"', '{"type"', '{"uuid"', '{"isSidechain"', '{"logicalParentUuid"'].map((text) =>
  new TextEncoder().encode(text),
);

function startsRecord(bytes: Uint8Array, at: number): boolean {
  return BEGINNINGS.some((beginning) => beginning.every((byte, i) => bytes[at + i] === byte));
}

function isPadding(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0;
}

/** White space, NULs (left by a crash) and byte order marks do not belong to a record. */
function skipPadding(bytes: Uint8Array, from: number, end: number): { pos: number; hasNul: boolean } {
  let pos = from;
  let hasNul = false;
  while (pos < end) {
    const byte = bytes[pos] ?? 0;
    if (byte === 0) hasNul = true;
    else if (byte === 0xef && bytes[pos + 1] === 0xbb && bytes[pos + 2] === 0xbf) pos += 2;
    else if (!isPadding(byte)) break;
    pos++;
  }
  return { pos: Math.min(pos, end), hasNul };
}

function trimmedEnd(bytes: Uint8Array, start: number, lineEnd: number): number {
  let end = lineEnd;
  while (end > start && isPadding(bytes[end - 1] ?? 0)) end--;
  return end;
}
