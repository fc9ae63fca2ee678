/**
 * Collects text as UTF-8. A lone surrogate becomes U+FFFD, as with `TextEncoder`, which would cost a string and an array
 * for each of the short pieces that this is used for.
 */
export class Utf8Buffer {
  readonly bytes: Uint8Array;
  length = 0;

  /** `maxUnits`: how many UTF-16 units it must be able to hold. */
  constructor(maxUnits: number) {
    this.bytes = new Uint8Array(maxUnits * 3);
  }

  /** Appends `text[start, end)`. */
  append(text: string, start: number, end: number): void {
    const bytes = this.bytes;
    let at = this.length;
    for (let index = start; index < end; index++) {
      const unit = text.charCodeAt(index);
      if (unit < 0x80) {
        bytes[at++] = unit;
      } else if (unit < 0x800) {
        bytes[at++] = 0xc0 | (unit >> 6);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else if (isHighSurrogate(unit) && index + 1 < end && isLowSurrogate(text.charCodeAt(index + 1))) {
        const codePoint = text.codePointAt(index++) ?? 0;
        bytes[at++] = 0xf0 | (codePoint >> 18);
        bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
        bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
        bytes[at++] = 0x80 | (codePoint & 0x3f);
      } else {
        const character = isHighSurrogate(unit) || isLowSurrogate(unit) ? 0xfffd : unit;
        bytes[at++] = 0xe0 | (character >> 12);
        bytes[at++] = 0x80 | ((character >> 6) & 0x3f);
        bytes[at++] = 0x80 | (character & 0x3f);
      }
    }
    this.length = at;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
