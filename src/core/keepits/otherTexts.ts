import { messageBlocks } from '../transcript/entryReader';
import { fieldsOf, textOf } from '../transcript/jsonFields';
import { readContent } from '../transcript/rawBlock';
import type { TranscriptRecord } from '../transcript/recordReader';

/**
 * The texts of a record that the assistant was told, and that nobody said: results of tools, files and the like that were attached, what
 * the harness put in.
 */
export function* otherTexts(record: TranscriptRecord): Generator<string> {
  const { fields } = record;
  if (fields['type'] === 'user') {
    for (const block of messageBlocks(record)) {
      const isTold = block.type === 'tool_result';
      const told = isTold ? readContent(block.fields['content'], undefined) : fields['isMeta'] === true ? [block] : [];
      for (const { text } of told) if (text !== undefined) yield text;
    }
  }
  const type = textOf(fieldsOf(fields['attachment'])['type']) ?? '';
  if (fields['type'] === 'attachment' && type !== 'queued_command' && !type.startsWith('hook_')) {
    yield* stringsIn(fields);
  }
}

function* stringsIn(value: unknown): Generator<string> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) open.push(item);
  }
}
