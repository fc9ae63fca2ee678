import type { ByteView } from './byteText';
import { addToHash, KeyTable, sameBytes } from './keyTable';
import { TranscriptError } from './transcriptError';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

const MAX_DEPTH = 512;
const MAX_PLAIN_KEY = 64;

/** What a byte outside of strings may be: 1 white space and commas and colons, 2 letters and digits of a scalar. */
const OUTSIDE = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0d, COMMA, COLON]) OUTSIDE[byte] = 1;
for (const char of '0123456789+-.eEtrufalsn') OUTSIDE[char.charCodeAt(0)] = 2;

const LITERALS = ['false', 'true', 'null'].map((text) => new TextEncoder().encode(text));
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads one value into `target`; it must leave the cursor behind the value. */
export type FieldReader<T> = (cursor: JsonCursor, target: T) => void;

/** Which keys of an object are wanted, and who reads them; all others are skipped. */
export type Fields<T> = KeyTable<FieldReader<T>>;

/** Shorthand for a table of field readers. */
export function fields<T>(readers: Readonly<Record<string, FieldReader<T>>>): Fields<T> {
  return new KeyTable(Object.entries(readers));
}

/**
 * The last value of a field that rarely changes from line to line (session id, cwd, version …): equal bytes give the
 * same string again, without decoding and without a new string in memory.
 */
export class Interned {
  private bytes = new Uint8Array(0);
  private text: string | undefined;

  /** The text that these bytes gave last time; `length` tells how many they are, quotes included. */
  match(bytes: Uint8Array, start: number, end: number): string | undefined {
    const { length } = this.bytes;
    return start + length <= end && sameBytes(this.bytes, bytes, start, start + length) ? this.text : undefined;
  }

  get length(): number {
    return this.bytes.length;
  }

  remember(bytes: Uint8Array, start: number, end: number, text: string): void {
    const length = end - start;
    if (this.bytes.length !== length) this.bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) this.bytes[i] = bytes[start + i] ?? 0;
    this.text = text;
  }
}

/**
 * Walks over the bytes of one JSON value and decodes only what it is asked for.
 *
 * Why not JSON.parse: of a transcript 98 % of the bytes are never needed as values, and parsing them costs more than
 * everything else together. What is skipped is checked for nesting, closed strings and a legal alphabet between them;
 * what is decoded is checked in full. Every failure is a TranscriptError `broken-record`.
 */
export class JsonCursor {
  pos = 0;
  private end = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private readonly closers = new Uint8Array(MAX_DEPTH);
  private jumps: ReadonlyMap<number, number> | undefined;

  constructor(private view: ByteView) {}

  /** Look at `view.bytes[start, end)`. `jumps` names the ends of long strings that are known already, by their start. */
  reset(view: ByteView, start: number, end: number, jumps?: ReadonlyMap<number, number>): void {
    this.view = view;
    this.bytes = view.bytes;
    this.pos = start;
    this.end = end;
    this.jumps = jumps;
  }

  /** The byte at the cursor after white space; -1 at the end. */
  peek(): number {
    const { bytes, end } = this;
    let { pos } = this;
    while (pos < end) {
      const byte = bytes[pos] ?? 0;
      if (byte > 0x20) {
        this.pos = pos;
        return byte;
      }
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) {
        this.pos = pos;
        return byte;
      }
      pos++;
    }
    this.pos = pos;
    return -1;
  }

  /** Reads an object key by key. Anything but an object is skipped. */
  object<T>(wanted: Fields<T>, target: T): void {
    if (this.peek() !== OPEN_OBJECT) {
      this.skip();
      return;
    }
    this.pos++;
    if (this.peek() === CLOSE_OBJECT) {
      this.pos++;
      return;
    }
    do {
      const reader = this.key(wanted);
      if (reader === undefined) this.skip();
      else reader(this, target);
    } while (!this.isClosed(CLOSE_OBJECT));
  }

  /** Calls `item` at the beginning of every element; it must leave the cursor behind it. Anything but a list is skipped. */
  list(item: () => void): void {
    if (this.peek() !== OPEN_LIST) {
      this.skip();
      return;
    }
    this.pos++;
    if (this.peek() === CLOSE_LIST) {
      this.pos++;
      return;
    }
    do item();
    while (!this.isClosed(CLOSE_LIST));
  }

  /** Whether a string comes next. */
  isString(): boolean {
    return this.peek() === QUOTE;
  }

  /** Whether an object comes next. */
  isObject(): boolean {
    return this.peek() === OPEN_OBJECT;
  }

  /** Whether a list comes next. */
  isList(): boolean {
    return this.peek() === OPEN_LIST;
  }

  /** A decoded string; undefined for any other value, which is skipped. */
  string(): string | undefined {
    if (this.peek() !== QUOTE) {
      this.skip();
      return undefined;
    }
    const start = this.pos;
    this.pos = this.stringEnd(start + 1);
    return this.decode(start, this.pos);
  }

  /** As `string`, but looks first whether it is what `known` holds; remembers it there unless `isReadOnly`. */
  interned(known: Interned, isReadOnly = false): string | undefined {
    if (this.peek() !== QUOTE) {
      this.skip();
      return undefined;
    }
    const start = this.pos;
    const same = known.match(this.bytes, start, this.end);
    if (same !== undefined) {
      this.pos = start + known.length;
      return same;
    }
    this.pos = this.stringEnd(start + 1);
    const text = this.decode(start, this.pos);
    if (!isReadOnly) known.remember(this.bytes, start, this.pos, text);
    return text;
  }

  /** Moves behind `expected` if these are the next bytes. */
  consume(expected: Uint8Array): boolean {
    const end = this.pos + expected.length;
    if (end > this.end || !sameBytes(expected, this.bytes, this.pos, end)) return false;
    this.pos = end;
    return true;
  }

  /** True for the literal `true`; everything else is skipped and false. */
  flag(): boolean {
    const isTrue = this.peek() === 0x74;
    this.skip();
    return isTrue;
  }

  /** A finite number; undefined for any other value, which is skipped. */
  number(): number | undefined {
    const first = this.peek();
    const start = this.pos;
    this.skip();
    if (first !== 0x2d && (first < 0x30 || first > 0x39)) return undefined;
    const value = this.digits(start, this.pos);
    return value >= 0 ? value : Number(this.view.text(start, this.pos));
  }

  /** Decodes the string literal `[start, end)`, quotes included. */
  decode(start: number, end: number): string {
    const { view } = this;
    if (isPlain(this.bytes, start + 1, end - 1)) return view.text(start + 1, end - 1);
    try {
      const value: unknown = JSON.parse(view.text(start, end));
      if (typeof value === 'string') return value;
    } catch (cause) {
      throw new TranscriptError('broken-record', 'bad string', { cause });
    }
    return this.fail('string expected');
  }

  /** Moves behind the next value, whatever it is. */
  skip(): void {
    const first = this.peek();
    if (first === QUOTE) this.pos = this.stringEnd(this.pos + 1);
    else if (first === OPEN_OBJECT || first === OPEN_LIST) this.skipNested();
    else this.skipScalar();
  }

  /** Text of `[start, end)` as it stands in the file. */
  raw(start: number, end: number): string {
    return this.view.text(start, end);
  }

  /** Raises `broken-record`. */
  fail(problem: string): never {
    throw new TranscriptError('broken-record', this.peek() === -1 ? `torn: ${problem}` : problem);
  }

  /** Reads a key and the colon behind it. Keys are short and plain, so looking at each byte beats searching for the quote. */
  private key<T>(wanted: Fields<T>): FieldReader<T> | undefined {
    const { bytes } = this;
    if (this.peek() !== QUOTE) this.fail('key expected');
    const start = this.pos + 1;
    const limit = Math.min(this.end, start + MAX_PLAIN_KEY);
    let pos = start;
    let hash = 0;
    for (let byte = bytes[pos] ?? QUOTE; byte !== QUOTE && pos < limit; byte = bytes[++pos] ?? QUOTE) {
      hash = addToHash(hash, byte);
    }
    // A backslash does not matter here: no wanted key has one, and what is not plain is skipped by the slow way.
    if (pos >= limit || bytes[pos - 1] === BACKSLASH) pos = this.stringEnd(start) - 1;
    const reader = wanted.find(hash, bytes, start, pos);
    this.pos = pos + 1;
    if (this.peek() !== COLON) this.fail('colon expected');
    this.pos++;
    return reader;
  }

  private isClosed(closer: number): boolean {
    const next = this.peek();
    if (next === COMMA) {
      this.pos++;
      return false;
    }
    if (next !== closer) this.fail('comma or end expected');
    this.pos++;
    return true;
  }

  /** The position behind the closing quote of the string whose first character is at `start`. */
  private stringEnd(start: number): number {
    const { bytes, view, end } = this;
    const known = this.jumps?.get(start);
    if (known !== undefined) return known;
    let from = start;
    for (;;) {
      const quote = view.indexOf(QUOTE, from);
      if (quote < 0 || quote >= end) {
        this.pos = end;
        this.fail('string not closed');
      }
      let before = quote - 1;
      while (before >= start && bytes[before] === BACKSLASH) before--;
      if (((quote - before) & 1) === 1) return quote + 1;
      from = quote + 1;
    }
  }

  private skipScalar(): void {
    const { bytes, end } = this;
    const start = this.pos;
    let { pos } = this;
    while (pos < end && OUTSIDE[bytes[pos] ?? 0] === 2) pos++;
    this.pos = pos;
    if (this.digits(start, pos) >= 0) return;
    if (LITERALS.some((literal) => sameBytes(literal, bytes, start, pos))) return;
    if (!NUMBER.test(this.view.text(start, pos))) this.fail('value expected');
  }

  /** The value of a plain whole number, by far the most frequent kind; -1 for anything else. */
  private digits(start: number, end: number): number {
    const { bytes } = this;
    if (end === start || end - start > 15 || (bytes[start] === 0x30 && end - start > 1)) return -1;
    let value = 0;
    for (let pos = start; pos < end; pos++) {
      const digit = (bytes[pos] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }

  private skipNested(): void {
    const { bytes, end, closers } = this;
    let { pos } = this;
    let depth = 0;
    while (pos < end) {
      const byte = bytes[pos] ?? 0;
      if (byte === QUOTE) {
        pos = this.stringEnd(pos + 1);
        continue;
      }
      pos++;
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (depth === MAX_DEPTH) this.fail('nested too deeply');
        closers[depth++] = byte + 2;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (closers[--depth] !== byte) this.failAt(pos, 'brackets do not match');
        if (depth === 0) {
          this.pos = pos;
          return;
        }
      } else if (OUTSIDE[byte] === 0) this.failAt(pos, 'stray byte between values');
    }
    this.failAt(end, 'value not closed');
  }

  private failAt(pos: number, problem: string): never {
    this.pos = Math.min(pos, this.end);
    return this.fail(problem);
  }
}

/** Whether a string has neither escapes nor the control characters that JSON forbids: then its bytes are its text. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let pos = start; pos < end; pos++) {
    const byte = bytes[pos] ?? 0;
    if (byte === BACKSLASH || byte < 0x20) return false;
  }
  return true;
}
