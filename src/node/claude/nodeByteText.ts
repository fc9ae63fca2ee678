import type { ByteText, ByteView } from '../../core/transcript/byteText';

/**
 * V8 makes strings up to 128 KB where short-lived things are made, in a few microseconds; larger ones get memory of
 * their own, which takes ten times as long for a byte as all reading does.
 */
const CHEAP_STRING_BYTES = 120 * 1024;

/** Looks at bytes with a Buffer, whose search and decoding are native. */
export class NodeByteText implements ByteText {
  view(bytes: Uint8Array): ByteView {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return {
      bytes,
      ascii: bytes.length <= CHEAP_STRING_BYTES ? buffer.toString('latin1') : undefined,
      data: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      indexOf: (byte, from) => buffer.indexOf(byte, from),
      text: (start, end) => buffer.toString('utf8', start, end),
    };
  }
}
