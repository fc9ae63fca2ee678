/** Bytes of which those are read that are asked for. */
export interface Bytes {
  readonly length: number;
  /** Holds until other ones are read, here or of other files. Throws `DamagedBytes`. */
  read(start: number, end: number): Uint8Array;
  /** Nothing, or hardly anything, will be read of them any more. */
  close(): void;
}

/** What is read of a file is not what was written, or not there any more. */
export class DamagedBytes extends Error {
  constructor(readonly file: string) {
    super(`${file} is damaged, or gone.`);
  }
}

/** Bytes at hand. */
export function atHand(bytes: Uint8Array): Bytes {
  return { length: bytes.length, read: (start, end) => bytes.subarray(start, end), close: () => undefined };
}

/** Bytes as numbers, copied: a host's own kind of bytes may share its buffer with others, and slices of it as well. */
export function numbersIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

const encoder = new TextEncoder();
const PLAIN = /^[\0-\x7f]*$/;

/** Bytes that grow. */
export class ByteWriter {
  length = 0;
  private held = new Uint8Array(1024);

  addAll(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.held.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** As UTF-8, behind its length. Most are a few plain letters: an encoder takes longer to begin than to write them. */
  addText(text: string): void {
    if (!PLAIN.test(text)) {
      const bytes = encoder.encode(text);
      this.addNumber(bytes.length);
      this.addAll(bytes);
      return;
    }
    this.addNumber(text.length);
    this.makeRoom(text.length);
    for (let at = 0; at < text.length; at++) this.held[this.length++] = text.charCodeAt(at);
  }

  /** Seven bits a byte, the lowest first. */
  addNumber(value: number): void {
    this.makeRoom(8);
    let left = value;
    while (left >= 0x80) {
      this.held[this.length++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.held[this.length++] = left;
  }

  bytes(): Uint8Array {
    return this.held.subarray(0, this.length);
  }

  private makeRoom(more: number): void {
    if (this.length + more <= this.held.length) return;
    const larger = new Uint8Array(Math.max(this.length + more, 2 * this.held.length));
    larger.set(this.bytes());
    this.held = larger;
  }
}

/** Reads what a `ByteWriter` wrote. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  number(): number {
    let byte = this.bytes[this.at++] ?? 0;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80 && this.at < this.bytes.length; factor *= 0x80) {
      byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * factor;
    }
    return value;
  }
}
