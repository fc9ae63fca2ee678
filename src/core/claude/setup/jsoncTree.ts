/** A place in a JSON text: `start` is its first character, `end` the one after its last. */
interface Span {
  start: number;
  end: number;
}

export interface JsoncMember extends Span {
  key: string;
  value: JsoncNode;
}

export interface JsoncObject extends Span {
  kind: 'object';
  members: JsoncMember[];
}

export interface JsoncArray extends Span {
  kind: 'array';
  items: JsoncNode[];
}

export interface JsoncValue extends Span {
  kind: 'value';
  value: unknown;
}

export type JsoncNode = JsoncObject | JsoncArray | JsoncValue;

/** What was read, with where it stands, and what plain JSON would not allow. */
export interface JsoncDocument {
  root: JsoncNode;
  /** Whether there are comments or trailing commas. */
  isExtended: boolean;
}

/** A text that is no JSON, even with comments and trailing commas allowed. */
export class JsoncError extends Error {
  /** Counted from 1. */
  readonly line: number;

  constructor(problem: string, text: string, offset: number) {
    const line = text.slice(0, offset).split('\n').length;
    super(`line ${line}: ${problem}`);
    this.name = 'JsoncError';
    this.line = line;
  }
}

const SPACE = /[ \t\r\n]*/y;
const COMMENT = /\/\/[^\r\n]*|\/\*[^]*?(\*\/|$)/y;
const STRING = /"(?:[^"\\\n\r]|\\.)*("?)/y;
const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Far deeper than settings are; a text that is deeper must not exhaust the stack. */
const MAX_DEPTH = 200;

/** Reads JSON in which comments and trailing commas are allowed, as editors of settings do. Throws {@link JsoncError}. */
export function parseJsonc(text: string): JsoncDocument {
  return new JsoncParser(text).document();
}

/** The value without places. A key that is there more than once has its last value, as for `JSON.parse`. */
export function plainValue(node: JsoncNode): unknown {
  if (node.kind === 'value') return node.value;
  if (node.kind === 'array') return node.items.map(plainValue);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]));
}

/** The member that counts under a key. */
export function memberOf(node: JsoncNode | undefined, key: string): JsoncMember | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined;
}

/** Keys of objects, and places in arrays. */
export type JsoncPath = readonly (string | number)[];

/** The node at the end of a path; undefined when there is none. */
export function nodeAt(root: JsoncNode, path: JsoncPath): JsoncNode | undefined {
  return path.reduce<JsoncNode | undefined>((node, step) => {
    if (typeof step === 'string') return memberOf(node, step)?.value;
    return node?.kind === 'array' ? node.items[step] : undefined;
  }, root);
}

/** Where a text goes on after spaces and comments. */
export function skipTrivia(text: string, from: number): { at: number; hasComment: boolean } {
  let at = from;
  let hasComment = false;
  for (;;) {
    at += matchAt(SPACE, text, at)?.length ?? 0;
    const comment = matchAt(COMMENT, text, at);
    if (comment === undefined) return { at, hasComment };
    hasComment = true;
    at += comment.length;
  }
}

/** What stands there, unless its ending, where it needs one, is missing. */
function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  const [token, ending] = pattern.exec(text) ?? [];
  return ending === '' ? undefined : token;
}

class JsoncParser {
  private readonly text: string;
  private at = 0;
  private isExtended = false;

  constructor(text: string) {
    this.text = text;
  }

  document(): JsoncDocument {
    this.at = this.text.startsWith('\uFEFF') ? 1 : 0;
    const root = this.value(0);
    this.trivia();
    if (this.at < this.text.length) throw this.wrong('there is something after the end');
    return { root, isExtended: this.isExtended };
  }

  private value(depth: number): JsoncNode {
    this.trivia();
    if (depth > MAX_DEPTH) throw this.wrong('it is nested too deeply');
    const start = this.at;
    if (this.takes('{'))
      return { kind: 'object', start, members: this.list('}', () => this.member(depth)), end: this.at };
    if (this.takes('['))
      return { kind: 'array', start, items: this.list(']', () => this.value(depth + 1)), end: this.at };
    const token = matchAt(STRING, this.text, start) ?? matchAt(LITERAL, this.text, start);
    if (token === undefined) throw this.wrong(start === this.text.length ? 'it ends too early' : 'a value is expected');
    this.at += token.length;
    return { kind: 'value', start, value: this.read(token, start), end: this.at };
  }

  private member(depth: number): JsoncMember {
    const start = this.at;
    const token = matchAt(STRING, this.text, start);
    if (token === undefined) throw this.wrong('a key in quotes is expected');
    this.at += token.length;
    this.trivia();
    if (!this.takes(':')) throw this.wrong('a colon is expected');
    const value = this.value(depth + 1);
    return { start, key: String(this.read(token, start)), value, end: this.at };
  }

  private list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    for (;;) {
      this.trivia();
      if (this.takes(close)) {
        this.isExtended ||= items.length > 0; // after a comma: otherwise the branch below has ended the list
        return items;
      }
      items.push(item());
      this.trivia();
      if (this.takes(',')) continue;
      if (this.takes(close)) return items;
      throw this.wrong(`a comma or ${close} is expected`);
    }
  }

  private trivia(): void {
    const { at, hasComment } = skipTrivia(this.text, this.at);
    this.at = at;
    this.isExtended ||= hasComment;
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private read(token: string, start: number): unknown {
    try {
      return JSON.parse(token);
    } catch {
      throw new JsoncError('a value is not written as JSON has it', this.text, start);
    }
  }

  private wrong(problem: string): JsoncError {
    return new JsoncError(problem, this.text, this.at);
  }
}
