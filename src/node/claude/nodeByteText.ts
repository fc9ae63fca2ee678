import type { ByteText, ByteView } from '../../core/transcript/byteText';

/** Looks at bytes with a Buffer, whose search and decoding are native. */
export class NodeByteText implements ByteText {
  view(bytes: Uint8Array): ByteView {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return {
      bytes,
      data: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      indexOf: (byte, from) => buffer.indexOf(byte, from),
      text: (start, end) => buffer.toString('utf8', start, end),
    };
  }
}
