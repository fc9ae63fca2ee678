import { isFields, NO_FIELDS, textOf, type JsonFields } from './jsonFields';
import type { Place } from './jsonWalker';

/** A block of `message.content`, of any kind. A bare string is a text. */
export interface RawBlock {
  readonly type: string | undefined;
  readonly fields: JsonFields;
  readonly text: string | undefined;
  readonly place: Place | undefined;
}

/** The blocks of a string, or of a list of strings and blocks; an object stands for a list of one. Anything else holds nothing. */
export function readContent(value: unknown, place: Place | undefined): RawBlock[] {
  const blocks: RawBlock[] = [];
  if (!Array.isArray(value)) addBlock(blocks, value, place);
  else for (let at = 0; at < value.length; at++) addBlock(blocks, value[at], place?.items[at]);
  return blocks;
}

function addBlock(blocks: RawBlock[], value: unknown, place: Place | undefined): void {
  if (typeof value === 'string') blocks.push({ type: 'text', fields: NO_FIELDS, text: value, place });
  else if (isFields(value))
    blocks.push({ type: textOf(value['type']), fields: value, text: textOf(value['text']), place });
}

/** Where the literal of a block's text stands. */
export function textPlace({ fields, place }: RawBlock): Place | undefined {
  return fields['text'] === undefined ? place : place?.members.get('text');
}
