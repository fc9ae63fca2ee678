import { isFields, textOf, type JsonFields } from './jsonFields';
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
  if (!Array.isArray(value)) return readBlock(value, place);
  const items: readonly unknown[] = value;
  return items.flatMap((item, at) => readBlock(item, place?.items[at]));
}

function readBlock(value: unknown, place: Place | undefined): RawBlock[] {
  if (typeof value === 'string') return [{ type: 'text', fields: {}, text: value, place }];
  if (!isFields(value)) return [];
  return [{ type: textOf(value['type']), fields: value, text: textOf(value['text']), place }];
}

/** Where the literal of a block's text stands. */
export function textPlace({ fields, place }: RawBlock): Place | undefined {
  return fields['text'] === undefined ? place : place?.members.get('text');
}
