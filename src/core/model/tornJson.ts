/**
 * Reads as much of damaged JSON as can be understood: a text that ends too early, a comma too many after a hand's edit,
 * a flipped byte. Everything before the damage is returned, with the objects and lists that it stands in closed where it
 * is. Undefined when not even the beginning makes sense. Linear; never throws.
 */
export function parseTornJson(text: string): unknown {
  return new TornReader(text).read();
}

/** Deeper nesting than any document of ours; damage must not exhaust the stack. */
const MAX_DEPTH = 200;

const SPACE = /[\s\uFEFF]*/y;
// A number at the very end may have lost digits.
const SCALAR = /-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,9})?(?![\w.+-]|$)|true\b|false\b|null\b/y;
// Not allowed in JSON strings, but a text with one is still worth reading.
const CONTROL = /\p{Cc}/gu;

/** Stands for "nothing that could be read": `undefined` and `null` are values. */
const NOTHING = Symbol('nothing');

class TornReader {
  readonly #text: string;
  #at = 0;
  /** Set by the first damage: what encloses it is closed, and nothing after it is read. */
  #isTorn = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const value = this.#value(0);
    return value === NOTHING ? undefined : value;
  }

  #value(depth: number): unknown {
    this.#match(SPACE);
    const first = this.#text[this.#at];
    if (first === '{' && depth < MAX_DEPTH) return this.#object(depth);
    if (first === '[' && depth < MAX_DEPTH) return this.#list(depth);
    const value = first === '"' ? this.#string() : this.#scalar();
    if (value === NOTHING) this.#isTorn = true;
    return value;
  }

  #object(depth: number): unknown {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    while (!this.#skips('}')) {
      const key = this.#string();
      if (typeof key !== 'string' || !this.#skips(':')) this.#isTorn = true;
      const value = this.#isTorn ? NOTHING : this.#value(depth + 1);
      if (value !== NOTHING) entries.push([String(key), value]);
      if (this.#isTorn) break;
      this.#skips(','); // a forgotten one is forgiven
    }
    return Object.fromEntries(entries);
  }

  #list(depth: number): unknown {
    const items: unknown[] = [];
    this.#at += 1;
    while (!this.#skips(']')) {
      const value = this.#value(depth + 1);
      if (value !== NOTHING) items.push(value);
      if (this.#isTorn) break;
      this.#skips(',');
    }
    return items;
  }

  #scalar(): unknown {
    const literal = this.#match(SCALAR);
    return literal === undefined ? NOTHING : this.#parsed(literal);
  }

  #string(): unknown {
    this.#match(SPACE);
    const end = this.#text[this.#at] === '"' ? this.#endOfString() : undefined;
    if (end === undefined) return NOTHING;
    const literal = this.#text.slice(this.#at, end);
    this.#at = end;
    return this.#parsed(literal.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`));
  }

  /** The position after the quote that closes the string that begins here. */
  #endOfString(): number | undefined {
    for (let from = this.#at + 1; ;) {
      const quote = this.#text.indexOf('"', from);
      if (quote === -1) return undefined;
      let slashes = quote;
      while (this.#text[slashes - 1] === '\\') slashes -= 1;
      from = quote + 1;
      if ((quote - slashes) % 2 === 0) return from;
    }
  }

  #parsed(literal: string): unknown {
    try {
      const value: unknown = JSON.parse(literal);
      return value;
    } catch {
      return NOTHING; // an escape that is none, or a number such as 007
    }
  }

  /** Moves over white space, and over one character if it comes next. */
  #skips(char: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
