import type { ByteView } from './byteText';
import type { Field, Fields, ShapeRecorder } from './fieldTable';
import { hashBytes, hashId, type IdHash } from './hashIndex';
import type { Interned } from './interned';
import { packedTime } from './isoTime';
import type { Literal } from './literal';
import { addToHash, sameBytes } from './keyTable';
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
  private recorder: ShapeRecorder | undefined;
  /** Behind the first byte of a value whose end was found already. */
  private knownStart = -1;
  private knownEnd = 0;

  constructor(private view: ByteView) {}

  /** Look at `view.bytes[start, end)`. `jumps` names the ends of long strings that are known already, by their start. */
  reset(view: ByteView, start: number, end: number, jumps?: ReadonlyMap<number, number>): void {
    this.view = view;
    this.bytes = view.bytes;
    this.pos = start;
    this.end = end;
    this.jumps = jumps;
    this.recorder = undefined;
    this.knownStart = -1;
  }

  /** Goes to a value that is known to end at `valueEnd`. */
  stepTo(pos: number, valueEnd: number): void {
    this.pos = pos;
    this.knownStart = pos + 1;
    this.knownEnd = valueEnd;
  }

  /** From here to the next `reset`, tells of every variable value. */
  recordShape(recorder: ShapeRecorder): void {
    this.recorder = recorder;
  }

  /** Says that what comes has no shape that another record would have. */
  giveUpShape(): void {
    this.recorder?.giveUp();
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
      const field = this.key(wanted);
      if (this.recorder !== undefined) this.record(this.recorder, field, target);
      else if (field?.read === undefined) this.skip();
      else field.read(this, target);
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

  /** What `hashId` makes of a string; undefined for any other value, which is skipped. */
  hash(): IdHash | undefined {
    if (this.peek() !== QUOTE) {
      this.skip();
      return undefined;
    }
    const start = this.pos;
    this.pos = this.stringEnd(start + 1);
    return hashBytes(this.bytes, start + 1, this.pos - 1) ?? hashId(this.decode(start, this.pos));
  }

  /** As `string`, but looks first whether it is what `known` holds; remembers it there unless `isReadOnly`. */
  interned(known: Interned): string | undefined {
    if (this.peek() !== QUOTE) {
      this.skip();
      return undefined;
    }
    const start = this.pos;
    const same = known.match(this.view, start, this.end);
    if (same !== undefined) {
      this.pos = start + same.length + 2;
      return same;
    }
    this.pos = this.stringEnd(start + 1);
    const text = this.decode(start, this.pos);
    known.remember(text, this.pos - start);
    return text;
  }

  /** Moves behind `expected` if that comes next. */
  consume(expected: Literal): boolean {
    const end = this.pos + expected.size;
    if (end > this.end || !expected.isAt(this.view, this.pos)) return false;
    this.pos = end;
    return true;
  }

  /** Does `read` at an earlier place, and comes back; what is damaged there is none of the record's damage. */
  lookInto(start: number, read: () => void): void {
    const { pos, recorder } = this;
    this.pos = start;
    this.recorder = undefined;
    try {
      read();
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error; // such a value tells nothing, but was walked over before
    } finally {
      this.pos = pos;
      this.recorder = recorder;
    }
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
    if (this.pos + 1 === this.knownStart) {
      this.pos = this.knownEnd;
      return;
    }
    if (first === QUOTE) this.pos = this.stringEnd(this.pos + 1);
    else if (first === OPEN_OBJECT || first === OPEN_LIST) this.skipNested();
    else this.skipScalar();
  }

  /** The time that the string literal `[start, end)` is, as `packedTime` gives it. */
  timeAt(start: number, end: number): number {
    return packedTime(this.bytes, start + 1, end - 1);
  }

  /** Text of `[start, end)` as it stands in the file. */
  raw(start: number, end: number): string {
    return this.view.text(start, end);
  }

  /** Raises what decoding `[start, end)` would raise. */
  check(start: number, end: number): void {
    if (!isPlain(this.bytes, start + 1, end - 1)) this.decode(start, end);
  }

  /** Raises `broken-record`. */
  fail(problem: string): never {
    throw new TranscriptError('broken-record', this.peek() === -1 ? `torn: ${problem}` : problem);
  }

  /** Reads a key and the colon behind it. Keys are short and plain, so looking at each byte beats searching for the quote. */
  private key<T>(wanted: Fields<T>): Field<T> | undefined {
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
    const field = wanted.find(hash, bytes, start, pos);
    this.pos = pos + 1;
    if (this.peek() !== COLON) this.fail('colon expected');
    this.pos++;
    return field;
  }

  /** Reads a value and tells the recorder of it. What is inside a variable value is none of the shape's business. */
  private record<T>(recorder: ShapeRecorder, field: Field<T> | undefined, target: T): void {
    const first = this.peek();
    const start = this.pos;
    const read = field?.read;
    const isOpen = field?.form === 'nested' && (first === OPEN_OBJECT || first === OPEN_LIST);
    if (!isOpen) this.recorder = undefined;
    if (read === undefined) this.skip();
    else read(this, target);
    this.recorder = recorder;
    if (isOpen || field?.form === 'constant') return;
    const runKey = field?.form === 'run' ? field.key : undefined;
    recorder.value({ start, end: this.pos, runKey }, read && ((cursor) => read(cursor, target)));
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
    if (start === this.knownStart) return this.knownEnd;
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
