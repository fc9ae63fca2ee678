import type { Place } from './jsonWalker';

/** The members of a parsed object: nobody has checked what they are. */
export type JsonFields = Readonly<Record<string, unknown>>;

export const NO_FIELDS: JsonFields = {};

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a value; none when it is no object. */
export function fieldsOf(value: unknown): JsonFields {
  return isFields(value) ? value : NO_FIELDS;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

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
