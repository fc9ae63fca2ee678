import type { ByteText, ByteView } from '../../core/transcript/byteText';

/** A class, so that the engine finds the same few functions and kinds of objects wherever bytes are looked at. */
class NodeView implements ByteView {
  readonly bytes: Uint8Array;
  readonly data: DataView;
  readonly #buffer: Buffer;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = new Uint8Array(buffer, byteOffset, byteLength);
    this.data = new DataView(buffer, byteOffset, byteLength);
    this.#buffer = Buffer.from(buffer, byteOffset, byteLength);
  }

  indexOf(byte: number, from: number): number {
    return this.#buffer.indexOf(byte, from);
  }

  text(start: number, end: number): string {
    return this.#buffer.toString('utf8', start, end);
  }
}

/** Looks at bytes with a Buffer, whose search and decoding are native. */
export class NodeByteText implements ByteText {
  view(bytes: Uint8Array): ByteView {
    return new NodeView(bytes);
  }
}
