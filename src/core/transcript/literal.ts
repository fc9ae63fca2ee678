import type { ByteView } from './byteText';

/** Up to here comparing four bytes at a time is faster than having the engine compare strings. */
const SHORT_BYTES = 48;

/** A piece of JSON text that is looked for again and again, byte for byte. */
export class Literal {
  readonly size: number;
  /** One character a byte. */
  private readonly text: string;
  private readonly words: Int32Array;
  private readonly rest: Uint8Array;

  /** Copies the bytes. */
  constructor(bytes: Uint8Array, start: number, end: number) {
    const copy = Uint8Array.from(bytes.subarray(start, end));
    const data = new DataView(copy.buffer);
    this.size = copy.length;
    this.text = String.fromCharCode(...copy);
    this.words = Int32Array.from({ length: copy.length >> 2 }, (_, word) => data.getInt32(word << 2, true));
    this.rest = copy.subarray(copy.length & ~3);
  }

  /** Whether these bytes stand at `pos`. */
  isAt(view: ByteView, pos: number): boolean {
    const { size } = this;
    if (pos + size > view.bytes.length) return false;
    if (size > SHORT_BYTES && view.ascii !== undefined) {
      // Looking at one character first saves a string for most of what is different.
      return (
        view.ascii.charCodeAt(pos + (size >> 1)) === this.text.charCodeAt(size >> 1) &&
        view.ascii.substring(pos, pos + size) === this.text
      );
    }
    return this.hasWords(view, pos);
  }

  private hasWords({ bytes, data }: ByteView, pos: number): boolean {
    const { words, rest } = this;
    for (let word = 0; word < words.length; word++) {
      if (data.getInt32(pos + (word << 2), true) !== words[word]) return false;
    }
    const end = pos + (words.length << 2);
    for (let i = 0; i < rest.length; i++) if (bytes[end + i] !== rest[i]) return false;
    return true;
  }
}
