/*
 * Byte texts have a unit for each byte of a file. They are made in a fraction of the time that decoding takes, their syntax can be read as
 * it is, and a place in one is a place in the file.
 */

const PIECE = 4096;
const BEYOND_ASCII = /[\x80-\xff]/;
/** In bytes. */
const MAX_SIGN = 8;
const MAX_SIGNS = 2000;
const signs = new Map<string, string>();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The bytes from `start` to `end` as they are. */
export function byteText(bytes: Uint8Array, start: number, end: number): string {
  if (canSlice(bytes)) return bytes.latin1Slice(start, end);
  let text = '';
  for (let at = start; at < end; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, Math.min(end, at + PIECE)));
  }
  return text;
}

/** What a byte text says in UTF-8; damaged sequences become U+FFFD. Other units, from escapes, stay. */
export function decoded(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(/[\x80-\xff]+/g, decodedRun) : text;
}

/** A byte text that means the same as the bytes of a text. */
export function encoded(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return byteText(bytes, 0, bytes.length);
}

/** Most are one of the few signs that a text has again and again. */
function decodedRun(run: string): string {
  const known = signs.get(run);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(run.length);
  for (let at = 0; at < run.length; at++) bytes[at] = run.charCodeAt(at);
  const text = utf8.decode(bytes);
  if (run.length <= MAX_SIGN && signs.size < MAX_SIGNS) signs.set(run, text);
  return text;
}

/** What Node's buffers can do by themselves, thirty times as fast. */
function canSlice(bytes: Uint8Array): bytes is Uint8Array & { latin1Slice(start: number, end: number): string } {
  return 'latin1Slice' in bytes;
}
