import type { JsonCursor } from './jsonCursor';
import type { ScannedLine } from './lineScanner';
import type { Span } from './rawBlock';
import type { RawRecord } from './rawRecord';
import { TranscriptError } from './transcriptError';

/**
 * The texts of a record that the assistant was told, and that nobody said: results of tools, files and the like that were attached, what
 * the harness put in. Damaged ones are left out. To be asked before the next record is read.
 */
export function* otherTexts(record: RawRecord, cursor: JsonCursor, { view }: ScannedLine): Generator<string> {
  for (const block of record.blocks) {
    const spans = block.type === 'tool_result' ? block.contentTexts : record.isMeta && block.text ? [block.text] : [];
    for (const span of spans) {
      const text = record.type === 'user' ? decoded(cursor, span) : undefined;
      if (text !== undefined) yield text;
    }
  }
  const { type = '' } = record.attachment;
  if (record.type === 'attachment' && type !== 'queued_command' && !type.startsWith('hook_')) {
    yield* stringsIn(parsed(view.text(record.start, record.end)));
  }
}

function decoded(cursor: JsonCursor, { start, end }: Span): string | undefined {
  try {
    return cursor.decode(start, end);
  } catch (error) {
    if (error instanceof TranscriptError) return undefined;
    throw error;
  }
}

function parsed(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return undefined; // the reader of records is more lenient than JSON
  }
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* stringsIn(item);
}
