import type { ByteText, ByteView } from './byteText';
import type { ScannedLine } from './lineScanner';
import { JsonCursor } from './jsonCursor';
import { RawRecord, RECORD } from './rawRecord';
import type { RecordMemory } from './recordMemory';
import { ShapeSample } from './recordShapes';
import { TranscriptError } from './transcriptError';

const OPEN_OBJECT = 0x7b;
const SLASH = 0x2f;

/** How often a damaged line is searched for the beginning of a whole record, at most. */
const MAX_SALVAGE_ATTEMPTS = 32;

/** What a line turned out to be. */
export type LineContent =
  /** At least one whole record; `damage` tells that something else in the line could not be read. */
  | { readonly kind: 'records'; readonly records: readonly RawRecord[]; readonly damage?: string }
  | { readonly kind: 'blank' | 'comment' }
  | { readonly kind: 'broken'; readonly error: string };

const BLANK: LineContent = { kind: 'blank' };
const COMMENT: LineContent = { kind: 'comment' };

/**
 * Reads the records of a line: one, or several that were written without a newline between them, or the whole record
 * that follows a torn one. Byte order marks, carriage returns and NULs around records are no part of them.
 */
export class RecordReader {
  private readonly cursor: JsonCursor;
  private nulView: ByteView | undefined;
  private nul = Infinity;

  constructor(
    bytes: ByteText,
    private readonly memory: RecordMemory,
  ) {
    this.cursor = new JsonCursor(bytes.view(new Uint8Array(0)));
  }

  /** For decoding spans of the records that `read` returned last. */
  get decoder(): JsonCursor {
    return this.cursor;
  }

  /** Never throws; the records are valid until the next call. */
  read(line: ScannedLine): LineContent {
    const { bytes } = line.view;
    let start = skipPadding(bytes, line.start, line.end);
    const hasNul = start.hasNul;
    if (start.pos === line.end) return hasNul ? { kind: 'broken', error: 'NUL bytes only' } : BLANK;
    const first = bytes[start.pos];
    if (first === SLASH && bytes[start.pos + 1] === SLASH) return COMMENT;
    const records: RawRecord[] = [];
    let error: string | undefined;
    while (start.pos < line.end) {
      const from = start.pos;
      // Two records of a shape would be one and the same: only the first of a line is recalled.
      const outcome = (records.length === 0 ? this.recalled(line, from) : undefined) ?? this.record(line, from);
      if (typeof outcome !== 'string') {
        records.push(outcome);
        start = skipPadding(bytes, outcome.end, line.end);
        continue;
      }
      error ??= outcome;
      const next = this.salvage(line, from + 1);
      if (next === undefined) break;
      records.push(next);
      start = skipPadding(bytes, next.end, line.end);
    }
    if (records.length === 0) return { kind: 'broken', error: error ?? 'not a record' };
    return error === undefined ? { kind: 'records', records } : { kind: 'records', records, damage: error };
  }

  private record(line: ScannedLine, start: number): RawRecord | string {
    if (line.view.bytes[start] !== OPEN_OBJECT) return 'not a JSON object';
    const { memory, cursor } = this;
    const record = new RawRecord(memory, start);
    const sample = memory.isDetailed ? undefined : new ShapeSample();
    cursor.reset(line.view, start, line.end, line.jumps);
    if (sample !== undefined) cursor.recordShape(sample);
    try {
      cursor.object(RECORD, record);
      memory.runs.finishRecord(line.view.bytes);
    } catch (error) {
      memory.runs.forgetRecord();
      if (error instanceof TranscriptError) return error.message;
      throw error;
    }
    if (this.nextNul(line, start) < cursor.pos) return 'NUL bytes inside a record';
    record.end = cursor.pos;
    if (sample !== undefined) memory.shapes.learn(line.view, record, sample);
    return record;
  }

  /**
   * A whole record of a known shape; what is wrong with any other is found by walking through it. Only where records are
   * counted: a conversation keeps what it reads of them, so that they cannot be used again.
   */
  private recalled(line: ScannedLine, start: number): RawRecord | undefined {
    const { memory, cursor } = this;
    if (memory.isDetailed) return undefined;
    cursor.reset(line.view, start, line.end, line.jumps);
    try {
      const record = memory.shapes.recall(line, start, { cursor, runs: memory.runs });
      if (record !== undefined && this.nextNul(line, start) >= record.end) {
        memory.runs.finishRecord(line.view.bytes);
        return record;
      }
      memory.runs.forgetRecord();
      return undefined;
    } catch (error) {
      memory.runs.forgetRecord();
      if (error instanceof TranscriptError) return undefined;
      throw error;
    }
  }

  /** The next NUL at or after `from`; looked up once per stretch, since nearly always there is none in a whole chunk. */
  private nextNul(line: ScannedLine, from: number): number {
    if (this.nulView !== line.view || this.nul < from) {
      this.nulView = line.view;
      const nul = line.view.indexOf(0, from);
      this.nul = nul < 0 ? Infinity : nul;
    }
    return this.nul;
  }

  /** A record after damage: it must look like one of a session, so that a nested object is not taken for one. */
  private salvage(line: ScannedLine, from: number): RawRecord | undefined {
    let attempts = 0;
    let at = line.view.indexOf(OPEN_OBJECT, from);
    while (at >= 0 && at < line.end && attempts < MAX_SALVAGE_ATTEMPTS) {
      if (startsRecord(line.view.bytes, at)) {
        attempts++;
        const record = this.record(line, at);
        if (typeof record !== 'string' && record.type !== undefined && record.sessionId !== undefined) return record;
      }
      at = line.view.indexOf(OPEN_OBJECT, at + 1);
    }
    return undefined;
  }
}

const BEGINNINGS = ['{"parentUuid"', '{"type"', '{"uuid"', '{"isSidechain"', '{"logicalParentUuid"'].map((text) =>
  new TextEncoder().encode(text),
);

function startsRecord(bytes: Uint8Array, at: number): boolean {
  return BEGINNINGS.some((beginning) => beginning.every((byte, i) => bytes[at + i] === byte));
}

/** White space, NULs (left by a crash) and byte order marks do not belong to a record. */
function skipPadding(bytes: Uint8Array, from: number, end: number): { pos: number; hasNul: boolean } {
  let pos = from;
  let hasNul = false;
  while (pos < end) {
    const byte = bytes[pos] ?? 0;
    if (byte === 0) hasNul = true;
    else if (byte === 0xef && bytes[pos + 1] === 0xbb && bytes[pos + 2] === 0xbf) pos += 2;
    else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) break;
    pos++;
  }
  return { pos: Math.min(pos, end), hasNul };
}
