import { printParseErrorCode, visit, type JSONVisitor, type ParseErrorCode } from 'jsonc-parser';
import { setOwnValue } from '../text/ownValue';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonRecord;

interface JsonRecord {
  [key: string]: JsonValue;
}

/** What a text holds of a JSON value. */
export interface JsonExcerpt {
  /** Undefined when not even the beginning makes sense. */
  readonly value: JsonValue | undefined;
  /** The text ended, or stopped being JSON, before the value did. */
  readonly isCut: boolean;
}

/**
 * Reads as much of damaged JSON as can be understood: a text that ends too early, a comma too many after a hand's edit,
 * a flipped byte. Everything before the damage is returned, with the objects and lists that it stands in closed where it
 * is. Undefined when not even the beginning makes sense. Linear; never throws.
 */
export function parseTornJson(text: string): JsonValue | undefined {
  return read(text, FORGIVEN).value;
}

/**
 * Reads the beginning of a JSON value, as `parseTornJson` does, with the beginning of a string that was cut. Tool inputs and
 * results may have megabytes, and a preview must not pay for that: the file is read up to a bound.
 */
export function parseJsonExcerpt(text: string): JsonExcerpt {
  return read(text, FORGIVEN_IN_EXCERPTS);
}

/** Deeper nesting than any document has: `visit` calls itself for each level, and damage must not exhaust the stack. */
const MAX_DEPTH = 200;

/** A forgotten comma, and control characters in strings. */
const FORGIVEN: ReadonlySet<string> = new Set(['CommaExpected', 'InvalidCharacter']);
const FORGIVEN_IN_EXCERPTS: ReadonlySet<string> = new Set([
  ...FORGIVEN,
  'UnexpectedEndOfString',
  'InvalidUnicode',
  'InvalidEscapeCharacter',
]);

/** Ends the reading: what follows the first damage cannot be placed. */
class Torn extends Error {}

function read(text: string, forgiven: ReadonlySet<string>): JsonExcerpt {
  const source = withEscapedBreaks(text.replace(/^\uFEFF/, ''));
  const top: JsonValue[] = [];
  /** The objects and lists that are not closed yet, the innermost last. */
  const open: (JsonValue[] | JsonRecord)[] = [top];
  let key = '';
  let isCut = false;

  const add = (value: JsonValue): void => {
    const parent = open.at(-1);
    if (Array.isArray(parent)) parent.push(value);
    else if (parent !== undefined) setOwnValue(parent, key, value);
  };
  const begin = (container: JsonValue[] | JsonRecord): void => {
    if (open.length > MAX_DEPTH) throw new Torn();
    add(container);
    open.push(container);
  };
  const end = (_offset: number, length: number): void => {
    if (length === 0) throw new Torn(); // the text ends here, not the object or list
    open.pop();
  };
  const visitor: JSONVisitor = {
    onObjectBegin: () => begin({}),
    onArrayBegin: () => begin([]),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty: (name) => (key = name),
    onLiteralValue: (value: JsonValue, offset, length) => {
      const mayGoOn = open.length > 1 && /^[\w.+-]?$/.test(source.charAt(offset + length));
      if (mayGoOn && typeof value === 'number') throw new Torn(); // it may have lost digits
      add(value);
    },
    onError: (code: ParseErrorCode) => {
      const name = printParseErrorCode(code);
      const isWhole = open.length === 1 && top.length > 0; // what follows is not asked for
      if (isWhole || FORGIVEN.has(name)) return;
      isCut = true;
      if (!forgiven.has(name)) throw new Torn();
    },
  };
  try {
    visit(source, visitor, { disallowComments: true, allowTrailingComma: true });
  } catch (error) {
    if (!(error instanceof Torn)) throw error;
    isCut = true;
  }
  return { value: top[0], isCut };
}

/** Not allowed in JSON strings, but a text with line breaks there is still worth reading. */
function withEscapedBreaks(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  let isInString = false;
  return text.replace(/\\[^]|["\r\n]/g, (found) => {
    if (found === '"') isInString = !isInString;
    const isBreak = found === '\n' || found === '\r';
    return isInString && isBreak ? JSON.stringify(found).slice(1, -1) : found;
  });
}
