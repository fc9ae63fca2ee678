import { withoutSecrets } from '../text/secrets/cleanText';
import type { JsonCursor } from './jsonCursor';
import type { Span } from './rawBlock';

/** Longest preview and tool target, in UTF-16 units. */
export const PREVIEW_CHARS = 200;

/** How much of a text is looked at for its one line: white space and long characters take their share. */
const LOOKAHEAD = 2;

/** How many bytes of a literal are looked at: a secret is known as one only as a whole. */
const LITERAL_BYTES = 1200;

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** The beginning of a text in one line. */
export function previewOf(text: string, maxChars = PREVIEW_CHARS): string {
  const flat = text
    .slice(0, maxChars * LOOKAHEAD)
    .replace(/\s+/g, ' ')
    .trim();
  return cut(flat, maxChars);
}

/** The first `maxChars` units of a text, never half of a surrogate pair. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** The beginning of a string literal in one line and without secrets, without decoding the rest of it. Never fails. */
export function previewLiteral(cursor: JsonCursor, bytes: Uint8Array, span: Span): string {
  const limit = span.start + LITERAL_BYTES;
  const isShort = span.end <= limit;
  const end = isShort ? span.end - 1 : safeEnd(bytes, span.start + 1, limit);
  try {
    const text: unknown = JSON.parse(`${cursor.raw(span.start, end)}"`);
    return typeof text === 'string' ? previewOf(withoutSecrets(text)) : '';
  } catch {
    // Raw control characters in a text that nobody asked for in full: no reason to give up its line.
    return '';
  }
}

/** A place near `limit` where neither an escape nor a character is cut. */
function safeEnd(bytes: Uint8Array, start: number, limit: number): number {
  let pos = start;
  while (pos < limit) {
    if (bytes[pos] !== BACKSLASH) pos++;
    else pos += bytes[pos + 1] === LETTER_U ? 6 : 2;
  }
  if (pos === limit) while (pos > start && ((bytes[pos] ?? 0) & 0xc0) === 0x80) pos--;
  return pos;
}
