import type { ByteView } from './byteText';

const QUOTE = 0x22;

/**
 * The last value of a field that rarely changes from line to line (session id, cwd, version …): equal bytes give the
 * same string again, without decoding and without a new string in memory.
 */
export class Interned {
  private text: string | undefined;

  /** The text of the string literal at `start`, if it is the one remembered. */
  match(view: ByteView, start: number, end: number): string | undefined {
    const { text } = this;
    if (text === undefined) return undefined;
    const close = start + text.length + 1;
    if (close >= end || view.bytes[close] !== QUOTE) return undefined;
    return hasText(view, start + 1, text) ? text : undefined;
  }

  /** Only a text that stands in the file as it is (no escapes, one byte a character) can be recognized again. */
  remember(text: string, literalBytes: number): void {
    this.text = text.length + 2 === literalBytes ? text : undefined;
  }
}

function hasText({ bytes }: ByteView, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}
