import { isObject } from '../model/migrations';
import type { TextRange } from '../text/secrets/privateText';
import type { ByteRange } from './types';
import { decoded } from '../text/byteText';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where a value of a record stands, found when it is asked for. The text is a byte text that `JSON.parse` has taken. */
export class JsonPlace {
  constructor(
    private readonly text: string,
    private readonly start: number,
    /** From a place in the text to the same place in the file. */
    private readonly shift: number,
  ) {}

  /** In the file. */
  get range(): ByteRange {
    return { offset: this.start + this.shift, length: endOfValue(this.text, this.start) - this.start };
  }

  /** A member of the object. */
  member(key: string): JsonPlace | undefined {
    const { text } = this;
    if (text.charCodeAt(this.start) !== OPEN_OBJECT) return undefined;
    for (const { start, end } of partsOf(text, this.start)) {
      const value = nextAt(text, nextAt(text, end) + 1);
      if (text.startsWith(key, start + 1) && end - start === key.length + 2) return this.at(value);
    }
    return undefined;
  }

  /** The items of the list; of anything else itself. */
  items(): JsonPlace[] {
    const isList = this.text.charCodeAt(this.start) === OPEN_LIST;
    return isList ? Array.from(partsOf(this.text, this.start), ({ start }) => this.at(start)) : [this];
  }

  private at(start: number): JsonPlace {
    return new JsonPlace(this.text, start, this.shift);
  }
}

/** The items of a list, or the keys of an object. */
function* partsOf(text: string, open: number): Generator<TextRange> {
  const isObject = text.charCodeAt(open) === OPEN_OBJECT;
  for (let start = nextAt(text, open + 1); ;) {
    const first = text.charCodeAt(start);
    if (first === CLOSE_LIST || first === CLOSE_OBJECT) return;
    const end = endOfValue(text, start);
    yield { start, end };
    const behind = nextAt(text, isObject ? endOfValue(text, nextAt(text, nextAt(text, end) + 1)) : end);
    if (text.charCodeAt(behind) !== COMMA) return;
    start = nextAt(text, behind + 1);
  }
}

function nextAt(text: string, from: number): number {
  let at = from;
  for (let unit = text.charCodeAt(at); unit === 0x20 || unit === 0x09 || unit === 0x0d; unit = text.charCodeAt(at))
    at++;
  return at;
}

/** Behind the value that begins at `start`; beyond the text where it is not closed. Brackets are only counted. */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth++;
    else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) depth--;
    else if (depth === 0) return endOfScalar(text, at);
    if (depth === 0) return at + 1;
  }
  return text.length + 1;
}

function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = close;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((close - escapes) % 2 === 0) return close + 1;
  }
  return text.length + 1;
}

function endOfScalar(text: string, start: number): number {
  SCALAR.lastIndex = start;
  return start + Math.max(1, SCALAR.exec(text)?.[0].length ?? 0);
}

const SCALAR = /[^,\]}\s]{1,64}/y;

const NOWHERE: ByteRange = { offset: 0, length: 0 };

/** Nowhere for somebody who only counts. */
export function rangeOf(place: JsonPlace | undefined): ByteRange {
  return place?.range ?? NOWHERE;
}

/** The members of a parsed object: nobody has checked what they are. */
export type JsonFields = Readonly<Record<string, unknown>>;

const NO_FIELDS: JsonFields = {};

/** The members of a value; none when it is no object. */
export function fieldsOf(value: unknown): JsonFields {
  return isObject(value) ? value : NO_FIELDS;
}

/** What a string of a record says. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? decoded(value) : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const YEAR_10000_MS = Date.UTC(10_000, 0);

/** A date as it was written; undefined for what is none, or cannot be one of a session: names of files are made of dates. */
export function dateOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return ms >= 0 && ms < YEAR_10000_MS ? String(value) : undefined;
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
    if (!isObject(block)) return [];
    const { type, text } = block;
    const raw = typeof text === 'string' ? text : undefined;
    return { type: textOf(type), fields: block, raw, place: places?.[at] };
  });
}

/** Where the literal of a block's text stands. */
export function textPlace({ fields, place }: RawBlock): JsonPlace | undefined {
  return fields['text'] === undefined ? place : place?.member('text');
}
