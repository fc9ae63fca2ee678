const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const MAX_ARGUMENTS = 4096;

/** What {@link digitAt} gives for a character that is no digit. */
export const NO_DIGIT = 255;

const VALUES = new Uint8Array(128).fill(NO_DIGIT);
CODES.forEach((code, value) => (VALUES[code] = value));

/** The value, 0 to 63, of the base64 digit at a place in a text. */
export function digitAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? NO_DIGIT;
}

/** Values of 0 to 63 as base64 digits. */
export function digitsText(values: Uint8Array): string {
  let text = '';
  for (let at = 0; at < values.length; at += MAX_ARGUMENTS) {
    const codes = values.subarray(at, at + MAX_ARGUMENTS).map((value) => CODES[value & 63] ?? 0);
    text += String.fromCharCode(...codes);
  }
  return text;
}
