import { decoded } from '../text/byteText';
import type { JsonPlace } from './jsonPlace';

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

/** What a string of a record says. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? decoded(value) : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A block of `message.content`, of any kind. A bare string is a text. */
export interface RawBlock {
  readonly type: string | undefined;
  readonly fields: JsonFields;
  /** Its text, as a byte text: see `textOf`. */
  readonly raw: string | undefined;
  readonly place: JsonPlace | undefined;
}

/** The blocks of a string, or of a list of strings and blocks; an object stands for a list of one. Anything else holds nothing. */
export function readContent(value: unknown, place?: JsonPlace): RawBlock[] {
  const places = place?.items();
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((block, at) => {
    if (typeof block === 'string') return { type: 'text', fields: NO_FIELDS, raw: block, place: places?.[at] };
    if (!isFields(block)) return [];
    const { type, text } = block;
    const raw = typeof text === 'string' ? text : undefined;
    return { type: textOf(type), fields: block, raw, place: places?.[at] };
  });
}

/** Where the literal of a block's text stands. */
export function textPlace({ fields, place }: RawBlock): JsonPlace | undefined {
  return fields['text'] === undefined ? place : place?.member('text');
}
