const BACKSLASH = 0x5c;

/** A 48-bit hash of an identifier: two halves, because numbers in typed arrays stay small and fast. */
export interface IdHash {
  readonly low: number;
  readonly high: number;
}

/** A hash as one number. */
export function keyOf({ low, high }: IdHash): number {
  return high * 0x100000000 + (low >>> 0);
}

/** Hashes a uuid or message id. Two of 100,000 different ids collide with a chance of about 1 in 50,000. */
export function hashId(id: string): IdHash {
  let a = 0x811c9dc5 | 0;
  let b = 0x9747b28c | 0;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return mixed(a, b);
}

function mixed(first: number, second: number): IdHash {
  const a = Math.imul(first ^ (first >>> 16) ^ second, 0x85ebca6b);
  const b = Math.imul(second ^ (second >>> 13) ^ a, 0xc2b2ae35);
  return { low: a ^ (a >>> 13), high: (b ^ (b >>> 16)) & 0xffff };
}

/** What {@link hashId} gives for the text that `bytes[start, end)` are; undefined unless they are plain characters, one byte each. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): IdHash | undefined {
  let a = 0x811c9dc5 | 0;
  let b = 0x9747b28c | 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte < 0x20 || byte >= 0x80 || byte === BACKSLASH) return undefined;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return mixed(a, b);
}

/** Remembers the last hash: a record's parent is mostly the record before it. */
export class RecentHash {
  private id = '';
  private hash = hashId('');

  of(id: string): IdHash {
    if (id !== this.id) {
      this.hash = hashId(id);
      this.id = id;
    }
    return this.hash;
  }
}

/** Id hashes in bulk: plain, small, and quick to hand from one thread to another. */
export interface IdList {
  readonly lows: Int32Array;
  readonly highs: Uint16Array;
}

/** Whether an id is in a list. */
export function listHas({ lows, highs }: IdList, id: string): boolean {
  const { low, high } = hashId(id);
  for (let at = lows.indexOf(low); at >= 0; at = lows.indexOf(low, at + 1)) if (highs[at] === high) return true;
  return false;
}

const FIRST_CAPACITY = 256;

/** A set of id hashes in order of insertion; 14 bytes each, where a Map of strings would take ten times that. */
export class HashIndex {
  private lows: Int32Array;
  private highs: Uint16Array;
  private slots: Int32Array;
  private count = 0;

  constructor() {
    [this.lows, this.slots, this.highs] = columns(FIRST_CAPACITY);
  }

  get size(): number {
    return this.count;
  }

  /** The position of a hash, else -1. */
  find(hash: IdHash): number {
    const mask = this.slots.length - 1;
    for (let slot = hash.low & mask; ; slot = (slot + 1) & mask) {
      const position = (this.slots[slot] ?? 0) - 1;
      if (position < 0) return -1;
      if (this.lows[position] === hash.low && this.highs[position] === hash.high) return position;
    }
  }

  /** Appends a hash that is not in the index yet and returns its position. */
  push(hash: IdHash): number {
    if (this.count === this.lows.length) this.grow();
    const position = this.count++;
    this.lows[position] = hash.low;
    this.highs[position] = hash.high;
    this.place(position);
    return position;
  }

  /** A copy of all hashes. */
  list(): IdList {
    return { lows: this.lows.slice(0, this.count), highs: this.highs.slice(0, this.count) };
  }

  at(position: number): IdHash {
    return { low: this.lows[position] ?? 0, high: this.highs[position] ?? 0 };
  }

  private place(position: number): void {
    const mask = this.slots.length - 1;
    let slot = (this.lows[position] ?? 0) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = position + 1;
  }

  private grow(): void {
    const [lows, slots, highs] = columns(this.lows.length * 2);
    lows.set(this.lows);
    highs.set(this.highs);
    this.lows = lows;
    this.highs = highs;
    this.slots = slots;
    for (let position = 0; position < this.count; position++) this.place(position);
  }
}

/** Room for so many hashes: their halves, and twice as many slots. One piece of memory: thousands of files have a table each. */
function columns(capacity: number): [lows: Int32Array, slots: Int32Array, highs: Uint16Array] {
  const memory = new ArrayBuffer(capacity * 14);
  return [
    new Int32Array(memory, 0, capacity),
    new Int32Array(memory, capacity * 4, capacity * 2),
    new Uint16Array(memory, capacity * 12, capacity),
  ];
}
