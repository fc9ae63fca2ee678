/**
 * Classes of characters that the split of `o200k_base` tells apart, as bits. Marks count as letters of both cases inside
 * a word and as punctuation outside of one, so they are a class of their own.
 */
const upper = 1;
const lower = 2;
const caseless = 4;
const mark = 8;
const digit = 16;
const newline = 32;
const space = 64;
const other = 128;

const wordHead = upper | caseless | mark;
const wordTail = lower | caseless | mark;
const anyWord = wordHead | wordTail;
const whitespace = newline | space;
const symbol = other | mark;
const wordPrefix = other | mark | space;

const slash = 0x2f;
const apostrophe = 0x27;
const blank = 0x20;
/** Turns an ASCII capital into its small letter. */
const smallBit = 0x20;

const classPatterns: readonly (readonly [RegExp, number])[] = [
  [/^[\p{Lu}\p{Lt}]$/u, upper],
  [/^\p{Ll}$/u, lower],
  [/^[\p{Lm}\p{Lo}]$/u, caseless],
  [/^\p{M}$/u, mark],
  [/^\p{N}$/u, digit],
  [/^[\r\n]$/, newline],
  [/^\s$/, space],
];

/** Code points that are looked up at once where all of them are letters without case, as in the scripts of thousands of letters. */
const blockSize = 64;
const caselessBlock = new RegExp(`^[\\p{Lm}\\p{Lo}]{${blockSize}}$`, 'u');

function isCaselessBlock(start: number): boolean {
  return caselessBlock.test(String.fromCodePoint(...Array.from({ length: blockSize }, (_, index) => start + index)));
}

function classOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  return classPatterns.find(([pattern]) => pattern.test(character))?.[1] ?? other;
}

/** How many bytes the UTF-8 form of a character takes, by its first byte. */
function widthOf(firstByte: number): number {
  if (firstByte < 0x80) return 1;
  if (firstByte < 0xe0) return 2;
  return firstByte < 0xf0 ? 3 : 4;
}

/**
 * Splits text as the regular expression of `o200k_base` does, by hand: the expression walks back over long runs and
 * overflows its stack on very long ones, this scanner looks at each character at most three times and needs no memory.
 * The classes come from the host's own Unicode tables, as they would for the expression.
 *
 * The text is UTF-8 as `TextEncoder` writes it. All functions take and give offsets in bytes.
 */
export class PieceScanner {
  /** By code point; 0 = not looked up yet. */
  readonly #classes = new Uint8Array(0x110000);
  #bytes: Uint8Array = new Uint8Array();
  #hasSeenEnd = false;

  /** Sets the text that the following calls look at. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
  }

  /** Whether the last piece was ended, or its end decided, by the end of the text: with more text it might be another. */
  get hasSeenEnd(): boolean {
    return this.#hasSeenEnd;
  }

  /** The end of the piece that begins at `start`, which must be the begin of the text or the end of the piece before. */
  end(start: number): number {
    this.#hasSeenEnd = false;
    const first = this.#classAt(start);
    if (first & (upper | lower | caseless)) return this.#contraction(this.#word(start));
    const next = start + widthOf(this.#bytes[start] ?? 0);
    if (first & wordPrefix) {
      const end = this.#prefixedWord(start, next, first);
      if (end > 0) return end;
    }
    if (first & digit) return this.#number(next);
    if (first & symbol) return this.#symbols(next);
    if (this.#bytes[start] === blank && this.#classAt(next) & symbol) return this.#symbols(next);
    return this.#whitespace(start);
  }

  /** Class bits of the character at an offset; 0 beyond the end. */
  #classAt(index: number): number {
    const byte = this.#bytes[index];
    if (byte === undefined) {
      this.#hasSeenEnd = true;
      return 0;
    }
    const codePoint = byte < 0x80 ? byte : this.#codePointAt(index, byte);
    return this.#classes[codePoint] || this.#learn(codePoint);
  }

  #codePointAt(index: number, first: number): number {
    const bytes = this.#bytes;
    const second = (bytes[index + 1] ?? 0) & 0x3f;
    if (first < 0xe0) return ((first & 0x1f) << 6) | second;
    const third = (bytes[index + 2] ?? 0) & 0x3f;
    if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
    return ((first & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[index + 3] ?? 0) & 0x3f);
  }

  #learn(codePoint: number): number {
    const blockStart = codePoint - (codePoint % blockSize);
    if (isCaselessBlock(blockStart)) this.#classes.fill(caseless, blockStart, blockStart + blockSize);
    else this.#classes[codePoint] = classOf(codePoint);
    return this.#classes[codePoint] ?? other;
  }

  /** The end of the run of characters of the given classes. */
  #runEnd(start: number, classes: number): number {
    let index = start;
    while (this.#classAt(index) & classes) index += widthOf(this.#bytes[index] ?? 0);
    return index;
  }

  /**
   * `[heads]*[tails]+`, else `[heads]+[tails]*`, from `start`; `start` itself where neither matches. Heads greedily; where
   * no lower-case letter follows them, the expression walks back to the last character that may also be a tail.
   */
  #word(start: number): number {
    let index = start;
    let lastTailEnd = start;
    let kind = this.#classAt(index);
    while (kind & wordHead) {
      index += widthOf(this.#bytes[index] ?? 0);
      if (kind & wordTail) lastTailEnd = index;
      kind = this.#classAt(index);
    }
    if (kind & lower) return this.#runEnd(index, wordTail);
    return lastTailEnd > start ? lastTailEnd : index;
  }

  /** A word after one character that is neither letter, digit nor line break; 0 where there is none. */
  #prefixedWord(start: number, next: number, first: number): number {
    const follower = this.#classAt(next);
    if (!(first & mark)) return follower & anyWord ? this.#contraction(this.#word(next)) : 0;
    // A mark may be the prefix or the begin of the word: as a prefix first, then alone, when only capitals follow it.
    const end = follower & anyWord ? this.#word(next) : start;
    return this.#contraction(end > start && this.#endsInTail(end) ? end : next);
  }

  /** Whether the character that ends there may be a tail, as `[heads]*[tails]+` demands of a word's last one. */
  #endsInTail(end: number): boolean {
    let last = end - 1;
    while (((this.#bytes[last] ?? 0) & 0xc0) === 0x80) last--;
    return (this.#classAt(last) & wordTail) !== 0;
  }

  /** `'s 't 'm 'd 're 've 'll` in any case, directly after a word. */
  #contraction(end: number): number {
    if (this.#bytes[end] !== apostrophe) return end;
    if (end + 2 >= this.#bytes.length) this.#hasSeenEnd = true;
    const ending = this.#smallLetter(end + 1);
    if (/^[stmd]$/.test(ending)) return end + 2;
    return /^(?:re|ve|ll)$/.test(ending + this.#smallLetter(end + 2)) ? end + 3 : end;
  }

  /** The character of a byte, small if it is a letter; '' for what is no ASCII. */
  #smallLetter(index: number): string {
    const byte = this.#bytes[index] ?? 0x80;
    return byte < 0x80 ? String.fromCharCode(byte | smallBit) : '';
  }

  /** Up to three digits, of which the first ends at `index`. */
  #number(index: number): number {
    let end = index;
    for (let more = 0; more < 2 && this.#classAt(end) & digit; more++) end += widthOf(this.#bytes[end] ?? 0);
    return end;
  }

  /** Symbols, then line breaks and slashes. */
  #symbols(index: number): number {
    let end = this.#runEnd(index, symbol);
    while (this.#classAt(end) & newline || this.#bytes[end] === slash) end++;
    return end;
  }

  /** To the last line break of the run, else all but the last blank (which belongs to what follows), else all. */
  #whitespace(start: number): number {
    let end = start;
    let lastStart = start;
    let lastBreakEnd = start;
    for (let kind = this.#classAt(end); kind & whitespace; kind = this.#classAt(end)) {
      lastStart = end;
      end += widthOf(this.#bytes[end] ?? 0);
      if (kind & newline) lastBreakEnd = end;
    }
    if (lastBreakEnd > start) return lastBreakEnd;
    return end === this.#bytes.length || lastStart === start ? end : lastStart;
  }
}
