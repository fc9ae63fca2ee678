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
      const bucket = bucketOf(name, 0, name.length);
      (this.buckets[bucket] ??= []).push({ name, value });
    }
  }

  /** The value of the key in `bytes[start, end)`. */
  find(bytes: Uint8Array, start: number, end: number): T | undefined {
    const slots = this.buckets[bucketOf(bytes, start, end)];
    if (slots === undefined) return undefined;
    for (const slot of slots) {
      if (sameBytes(slot.name, bytes, start, end)) return slot.value;
    }
    return undefined;
  }
}

function bucketOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 0) return 0;
  return (Math.imul(length, 31) + Math.imul(bytes[start] ?? 0, 7) + (bytes[end - 1] ?? 0)) & (BUCKETS - 1);
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
