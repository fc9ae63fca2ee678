const BUCKETS = 256;

interface Slot<T> {
  readonly name: Uint8Array;
  readonly value: T;
}

/** Finds what belongs to an object key without decoding it. Keys are matched byte by byte: an escaped spelling is unknown. */
export class KeyTable<T> {
  private readonly buckets: (Slot<T>[] | undefined)[] = new Array<Slot<T>[] | undefined>(BUCKETS).fill(undefined);

  constructor(entries: Iterable<readonly [string, T]>) {
    const encoder = new TextEncoder();
    for (const [key, value] of entries) {
      const name = encoder.encode(key);
      (this.buckets[name.reduce(addToHash, 0) & (BUCKETS - 1)] ??= []).push({ name, value });
    }
  }

  /** The value of the key in `bytes[start, end)`, whose hash was computed with {@link addToHash} from 0 on. */
  find(hash: number, bytes: Uint8Array, start: number, end: number): T | undefined {
    const slots = this.buckets[hash & (BUCKETS - 1)];
    if (slots === undefined) return undefined;
    for (const slot of slots) {
      if (sameBytes(slot.name, bytes, start, end)) return slot.value;
    }
    return undefined;
  }
}

/** The hash of a key, one byte further. */
export function addToHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

/** Whether `bytes[start, end)` is `name`. */
export function sameBytes(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (name.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (name[i] !== bytes[start + i]) return false;
  }
  return true;
}
