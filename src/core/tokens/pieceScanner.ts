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
/** Set beside the class of a character that takes two UTF-16 units. */
const wide = 256;

const wordHead = upper | caseless | mark;
const wordTail = lower | caseless | mark;
const anyWord = wordHead | wordTail;
const whitespace = newline | space;
const symbol = other | mark;
const wordPrefix = other | mark | space;

const slash = 0x2f;
const apostrophe = 0x27;
const blank = 0x20;

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

/**
 * Splits text as the regular expression of `o200k_base` does, by hand: the expression walks back over long runs and
 * overflows its stack on very long ones, this scanner looks at each character at most three times and needs no memory.
 * The classes come from the host's own Unicode tables, as they would for the expression.
 */
export class PieceScanner {
  // 0 = not looked up yet; surrogates stay 0, so that they always take the slow path.
  readonly #classes = new Uint8Array(0x110000);
  #text = '';

  /** Sets the text that the following calls of `end` look at. */
  open(text: string): void {
    this.#text = text;
  }

  /** Lets go of the text, so that a scanner that lives on does not keep it in memory. */
  close(): void {
    this.#text = '';
  }

  /** The end of the piece that begins at `start`, which must be the begin of the text or the end of the piece before. */
  end(start: number): number {
    const first = this.#classAt(start);
    const next = start + (first > wide ? 2 : 1);
    if (first & (upper | lower | caseless)) return this.#contraction(this.#word(start));
    if (first & wordPrefix) {
      const end = this.#prefixedWord(start, next, first);
      if (end > 0) return end;
    }
    if (first & digit) return this.#number(next);
    if (first & symbol) return this.#symbols(next);
    if (this.#text.charCodeAt(start) === blank && this.#classAt(next) & symbol) return this.#symbols(next);
    return this.#whitespace(start);
  }

  /** Class bits of the character at an index, with `wide`; 0 beyond the end. */
  #classAt(index: number): number {
    const unit = this.#text.charCodeAt(index);
    return this.#classes[unit] || this.#slowClassAt(index);
  }

  #slowClassAt(index: number): number {
    const codePoint = this.#text.codePointAt(index);
    if (codePoint === undefined) return 0;
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) return other;
    const known = this.#classes[codePoint] || this.#learn(codePoint);
    return codePoint > 0xffff ? known | wide : known;
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
    for (;;) {
      const kind = this.#classAt(index);
      if (!(kind & classes)) return index;
      index += kind > wide ? 2 : 1;
    }
  }

  /**
   * `[heads]*[tails]+`, else `[heads]+[tails]*`, from `start`; `start` itself where neither matches. Heads greedily; where
   * no lower-case letter follows them, the expression walks back to the last character that may also be a tail.
   */
  #word(start: number): number {
    let index = start;
    let lastTailEnd = start;
    for (;;) {
      const kind = this.#classAt(index);
      if (!(kind & wordHead)) break;
      index += kind > wide ? 2 : 1;
      if (kind & wordTail) lastTailEnd = index;
    }
    if (this.#classAt(index) & lower) return this.#runEnd(index, wordTail);
    return lastTailEnd > start ? lastTailEnd : index;
  }

  /** A word after one character that is neither letter, digit nor line break; 0 where there is none. */
  #prefixedWord(start: number, next: number, first: number): number {
    const follower = this.#classAt(next);
    if (!(first & mark)) return follower & anyWord ? this.#contraction(this.#word(next)) : 0;
    // A mark may be the prefix or the begin of the word: as a prefix first, then alone, when only capitals follow it.
    const end = follower & anyWord ? this.#word(next) : start;
    return this.#contraction(end > start && this.#hasTail(next, end) ? end : next);
  }

  /** Whether a word ends in a character that may be a tail, as `[heads]*[tails]+` demands. */
  #hasTail(start: number, end: number): boolean {
    const last = this.#text.charCodeAt(end - 1);
    const isLowSurrogate = last >= 0xdc00 && last <= 0xdfff && end - 2 >= start;
    return (this.#classAt(isLowSurrogate ? end - 2 : end - 1) & wordTail) !== 0;
  }

  /** `'s 't 'm 'd 're 've 'll` in any case, directly after a word. */
  #contraction(end: number): number {
    if (this.#text.charCodeAt(end) !== apostrophe) return end;
    const ending = this.#text.slice(end + 1, end + 3);
    if (/^[sStTmMdD]/.test(ending)) return end + 2;
    return /^(?:[rR][eE]|[vV][eE]|[lL][lL])$/.test(ending) ? end + 3 : end;
  }

  /** Up to three digits, of which the first ends at `index`. */
  #number(index: number): number {
    let end = index;
    for (let more = 0; more < 2; more++) {
      const kind = this.#classAt(end);
      if (!(kind & digit)) break;
      end += kind > wide ? 2 : 1;
    }
    return end;
  }

  /** Symbols, then line breaks and slashes. */
  #symbols(index: number): number {
    let end = this.#runEnd(index, symbol);
    while (this.#classAt(end) & newline || this.#text.charCodeAt(end) === slash) end++;
    return end;
  }

  /** To the last line break of the run, else all but the last blank (which belongs to what follows), else all. */
  #whitespace(start: number): number {
    let end = start;
    let lastBreakEnd = start;
    for (;;) {
      const kind = this.#classAt(end);
      if (!(kind & whitespace)) break;
      end++;
      if (kind & newline) lastBreakEnd = end;
    }
    if (lastBreakEnd > start) return lastBreakEnd;
    return end === this.#text.length || end === start + 1 ? end : end - 1;
  }
}
