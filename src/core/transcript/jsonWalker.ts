const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** What is nested more deeply was written by no client. */
const MAX_DEPTH = 512;
const NESTED = 'nested too deeply';

/** One for all: of a file of damaged lines, each would take longer to make than the line to read. */
const STOP = new Error('The walk ended');

/** What a byte outside of strings may be: 1 white space and commas and colons, 2 letters and digits of a scalar. */
const OUTSIDE = new Uint8Array(256);
for (const char of ' \t\r,:') OUTSIDE[char.charCodeAt(0)] = 1;
for (const char of '0123456789+-.eEtrufalsn') OUTSIDE[char.charCodeAt(0)] = 2;

/** A piece of the bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a value stands, and what was wanted of what is in it. */
export interface Place extends Span {
  readonly members: ReadonlyMap<string, Place>;
  readonly items: readonly Place[];
}

/** Which places are wanted in a value. */
export interface Wanted {
  /** Of an object. */
  readonly members?: readonly (readonly [key: string, wanted: Wanted])[];
  /** Of a list, in each item. */
  readonly items?: Wanted;
  /** Whether an object has but one of the members: what stands behind it is not looked at. */
  readonly isOneOf?: boolean;
}

const NO_MEMBERS: ReadonlyMap<string, Place> = new Map();
const NO_ITEMS: readonly Place[] = [];

/**
 * Walks over the bytes of a JSON value and tells where things are in it. It checks nesting, closed strings and the alphabet between them,
 * and of what `JSON.parse` takes it finds nothing wrong.
 */
export class JsonWalker {
  private pos = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private end = 0;
  private problem = '';

  /** Walks over the value that begins at `start`; returns what is wrong where it is none. */
  walk(bytes: Uint8Array, { start, end }: Span, wanted: Wanted): Place | string {
    this.bytes = bytes;
    this.end = end;
    this.pos = start;
    try {
      return this.value(wanted);
    } catch (error) {
      if (error !== STOP) throw error;
      return this.problem;
    }
  }

  private value(wanted: Wanted): Place {
    const first = this.peek();
    const start = this.pos;
    let members = NO_MEMBERS;
    let items = NO_ITEMS;
    if (first === OPEN_OBJECT && wanted.members !== undefined) members = this.object(wanted.members, wanted.isOneOf);
    else if (first === OPEN_LIST && wanted.items !== undefined) items = this.list(wanted.items);
    else this.skip(first);
    return { start, end: this.pos, members, items };
  }

  private object(wanted: NonNullable<Wanted['members']>, isOneOf = false): ReadonlyMap<string, Place> {
    const members = new Map<string, Place>();
    this.pos++;
    if (this.peek() === CLOSE_OBJECT) {
      this.pos++;
      return members;
    }
    do {
      if (this.peek() !== QUOTE) this.fail('key expected');
      const start = this.pos + 1;
      this.skipString();
      const member = this.memberAt(wanted, start, this.pos - 1);
      if (this.peek() !== COLON) this.fail('colon expected');
      this.pos++;
      if (member === undefined) this.skip(this.peek());
      else members.set(member[0], this.value(member[1]));
    } while (!(isOneOf && members.size > 0) && !this.isClosed(CLOSE_OBJECT));
    return members;
  }

  private list(wanted: Wanted): Place[] {
    const items: Place[] = [];
    this.pos++;
    if (this.peek() === CLOSE_LIST) {
      this.pos++;
      return items;
    }
    do items.push(this.value(wanted));
    while (!this.isClosed(CLOSE_LIST));
    return items;
  }

  private memberAt<T extends readonly [key: string, ...rest: unknown[]]>(
    wanted: readonly T[],
    start: number,
    end: number,
  ): T | undefined {
    for (const member of wanted) if (member[0].length === end - start && this.isAt(member[0], start)) return member;
    return undefined;
  }

  private isAt(text: string, start: number): boolean {
    for (let i = 0; i < text.length; i++) if (this.bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** Whether the object or list ends here; else the cursor is behind the comma. */
  private isClosed(closer: number): boolean {
    const byte = this.peek();
    if (byte !== closer && byte !== COMMA) this.fail('comma or end expected');
    this.pos++;
    return byte === closer;
  }

  /** The byte at the cursor after white space; -1 at the end. */
  private peek(): number {
    while (this.pos < this.end) {
      const byte = this.bytes[this.pos] ?? 0;
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return byte;
      this.pos++;
    }
    return -1;
  }

  private skip(first: number): void {
    if (first === QUOTE) this.skipString();
    else if (first === OPEN_OBJECT || first === OPEN_LIST) this.skipNested();
    else this.skipScalar();
  }

  private skipString(): void {
    const { bytes, end } = this;
    let pos = this.pos + 1;
    for (; pos < end; pos++) {
      const byte = bytes[pos];
      if (byte === QUOTE) {
        this.pos = pos + 1;
        return;
      }
      if (byte === BACKSLASH) pos++;
    }
    this.pos = end;
    this.fail('string not closed');
  }

  private skipScalar(): void {
    const { pos } = this;
    while (this.pos < this.end && OUTSIDE[this.bytes[this.pos] ?? 0] === 2) this.pos++;
    if (this.pos === pos) this.fail('value expected');
  }

  private skipNested(): void {
    const { bytes, end } = this;
    const closers: number[] = [];
    while (this.pos < end) {
      const byte = bytes[this.pos] ?? 0;
      if (byte === QUOTE) {
        this.skipString();
        continue;
      }
      this.pos++;
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        closers.push(byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST);
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (closers.pop() !== byte) this.fail('brackets do not match');
        if (closers.length === 0) return;
      } else if (OUTSIDE[byte] === 0) this.fail('stray byte between values');
    }
    this.fail(closers.length > MAX_DEPTH ? NESTED : 'value not closed');
  }

  private fail(problem: string): never {
    this.problem = this.peek() === -1 && problem !== NESTED ? `torn: ${problem}` : problem;
    throw STOP;
  }
}
