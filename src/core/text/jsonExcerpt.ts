/**
 * Reads the beginning of a JSON value. Tool inputs and results may have megabytes, and a preview must not pay for
 * that: the file is read up to a bound, and what was cut off in the middle is still shown as far as it goes.
 */

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

export interface JsonExcerpt {
  /** Undefined when the text holds no JSON value at all. */
  readonly value: JsonValue | undefined;
  /** The text ended, or stopped being JSON, before the value did. */
  readonly isCut: boolean;
}

/** Nested deeper than this is nothing a preview could show. */
const MAX_DEPTH = 40;

/** Half an escape at the end of a cut string: `\`, `\u`, `\u00`. */
const HALF_ESCAPE = /(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/;

const SCALAR = /[^\s,\]}]+/y;

class ExcerptParser {
  isCut = false;
  private position = 0;

  constructor(private readonly text: string) {}

  value(depth = 0): JsonValue | undefined {
    const first = this.peek();
    if (first === '' || depth > MAX_DEPTH) return this.cut();
    if (first === '"') return this.string();
    if (first === '{') return this.object(depth);
    if (first === '[') return this.list(depth);
    return this.scalar();
  }

  /** Ends the reading: nothing after this point can be placed. The value here is not known. */
  private cut(): JsonValue | undefined {
    this.isCut = true;
    this.position = this.text.length;
    return undefined;
  }

  /** The next character that is no white space; '' at the end. */
  private peek(): string {
    while (/\s/.test(this.text.charAt(this.position))) this.position += 1;
    return this.text.charAt(this.position);
  }

  private string(): string {
    const start = this.position + 1;
    let end = this.text.indexOf('"', start);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end === -1) {
      this.cut();
      return unescapeJson(this.text.slice(start).replace(HALF_ESCAPE, '$1'));
    }
    this.position = end + 1;
    return unescapeJson(this.text.slice(start, end));
  }

  private isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1;
    return backslashes % 2 === 1;
  }

  private object(depth: number): ReadonlyMap<string, JsonValue> {
    const entries = new Map<string, JsonValue>();
    this.position += 1;
    while (this.peek() === '"') {
      const key = this.string();
      if (this.peek() !== ':') break;
      this.position += 1;
      const value = this.value(depth + 1);
      if (value === undefined) break;
      entries.set(key, value);
      if (this.peek() === ',') this.position += 1;
    }
    this.close('}');
    return entries;
  }

  private list(depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.position += 1;
    while (!['', ']', '}', ','].includes(this.peek())) {
      const value = this.value(depth + 1);
      if (value === undefined) break;
      items.push(value);
      if (this.peek() === ',') this.position += 1;
    }
    this.close(']');
    return items;
  }

  private close(bracket: string): void {
    if (this.peek() === bracket) this.position += 1;
    else this.cut();
  }

  private scalar(): JsonValue | undefined {
    SCALAR.lastIndex = this.position;
    const word = SCALAR.exec(this.text)?.[0];
    if (word === undefined) return this.cut();
    this.position += word.length;
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    const figure = Number(word);
    return Number.isNaN(figure) ? this.cut() : figure;
  }
}

function unescapeJson(raw: string): string {
  try {
    const text: unknown = JSON.parse(`"${raw}"`);
    return typeof text === 'string' ? text : raw;
  } catch {
    return raw; // a raw control character or a wrong escape: as it stands it is still readable
  }
}

/** The value that `text` begins with, as far as `text` goes. Never throws. */
export function parseJsonExcerpt(text: string): JsonExcerpt {
  const parser = new ExcerptParser(text);
  const value = parser.value();
  return { value, isCut: parser.isCut };
}

/** A value in one line, much as JSON writes it. */
export function compactJson(value: JsonValue): string {
  if (typeof value === 'string' || value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(compactJson).join(', ')}]`;
  return `{ ${[...value].map(([key, item]) => `${key}: ${compactJson(item)}`).join(', ')} }`;
}

/** `Array.isArray` does not narrow readonly arrays away. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether the value is an object, whose fields a map holds. */
export function isRecord(value: JsonValue): value is ReadonlyMap<string, JsonValue> {
  return value instanceof Map;
}
