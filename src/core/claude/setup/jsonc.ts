import {
  applyEdits,
  createScanner,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  visit,
  type Edit,
  type JSONPath,
  type Node,
  type ParseErrorCode,
} from 'jsonc-parser';

/*
 * Settings that people write: JSON with comments and trailing commas. Every character that an edit is not about stays as it is.
 * The edits are not those of `jsonc-parser`: its removals take comments along, and its additions format the lines beside them.
 */

/** A text that is no JSON, even with comments and trailing commas allowed. */
export class JsoncError extends Error {
  /** @param line counted from 1 */
  constructor(
    problem: string,
    readonly line: number,
  ) {
    super(`line ${line}: ${problem}`);
    this.name = 'JsoncError';
  }
}

/** Far deeper than settings are: `jsonc-parser` calls itself for each level. */
const MAX_DEPTH = 200;

const OPTIONS = { allowTrailingComma: true };

/** What stands at a path; undefined when there is nothing. A key that is there more than once has its last value. Throws `JsoncError`. */
export function valueAt(text: string, path: Readonly<JSONPath>): unknown {
  const node = nodeAt(parse(text), path);
  return node && getNodeValue(node);
}

/** Whether the text is JSON without comments and trailing commas. */
export function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false; // whether it is JSON with comments, `valueAt` says
  }
}

/** The text with a member set at the end of a path of keys; objects on the way are made. Throws `JsoncError`. */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  const root = parse(text);
  const node = nodeAt(root, path);
  if (node !== undefined) {
    if (isSame(getNodeValue(node), value)) return text;
    const indent = indentAt(text, node.parent?.offset ?? node.offset);
    return applyEdits(text, [{ offset: node.offset, length: node.length, content: render(value, indent, text) }]);
  }
  const depth = path.findLastIndex((_key, at) => nodeAt(root, path.slice(0, at)) !== undefined);
  const parent = nodeAt(root, path.slice(0, depth));
  if (parent?.type !== 'object')
    throw new TypeError(`there is no object at ${path.slice(0, depth).join('.') || 'the top'}`);
  const inner = path.slice(depth + 1).reduceRight<unknown>((last, key) => ({ [key]: last }), value);
  return withAdded(text, parent, `${JSON.stringify(path[depth])}: `, inner);
}

/** The text with an item at the end of the array at a path; the array is made when there is none. */
export function addItem(text: string, path: readonly string[], item: unknown): string {
  const array = nodeAt(parse(text), path);
  if (array === undefined) return setMember(text, path, [item]);
  if (array.type !== 'array') throw new TypeError(`there is no array at ${path.join('.')}`);
  return withAdded(text, array, '', item);
}

/** The text without the member at a path; as it was when there is none. */
export function removeMember(text: string, path: readonly string[]): string {
  const property = nodeAt(parse(text), path)?.parent;
  return property?.type === 'property' ? removeMember(withoutChild(text, property), path) : text;
}

/** The text without those items of the array at a path that `isWanted` refuses. */
export function keepItems(text: string, path: Readonly<JSONPath>, isWanted: (item: unknown) => boolean): string {
  const array = nodeAt(parse(text), path);
  const item = array?.type === 'array' && array.children?.find((child) => !isWanted(getNodeValue(child)));
  return item ? keepItems(withoutChild(text, item), path, isWanted) : text;
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function parse(text: string): Node {
  const source = text.replace(/^\uFEFF/, ' '); // places stay what they are
  let depth = 0;
  const begin = (_offset: number, _length: number, line: number): void => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new JsoncError('nested too deeply', line + 1);
  };
  const end = (): void => void (depth -= 1);
  const onError = (code: ParseErrorCode, _offset: number, _length: number, line: number): void => {
    throw new JsoncError(
      printParseErrorCode(code)
        .replace(/\B[A-Z]/g, ' $&')
        .toLowerCase(),
      line + 1,
    );
  };
  visit(source, { onObjectBegin: begin, onArrayBegin: begin, onObjectEnd: end, onArrayEnd: end, onError }, OPTIONS);
  const root = parseTree(source, [], OPTIONS);
  if (root === undefined) throw new JsoncError('value expected', 1);
  return root;
}

/** The last one, where a key is there more than once: that is the one that counts. */
function nodeAt(root: Node, path: Readonly<JSONPath>): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => {
    const children = node?.children ?? [];
    if (typeof step === 'number') return node?.type === 'array' ? children[step] : undefined;
    const isMember = ({ children: [key] = [] }: Node): boolean => key?.value === step;
    return node?.type === 'object' ? children.findLast(isMember)?.children?.[1] : undefined;
  }, root);
}

/** With a member or an item after those that are there, in the way of the file; comments stay with what they stand behind. */
function withAdded(text: string, parent: Node, name: string, value: unknown): string {
  const last = parent.children?.at(-1);
  const from = last === undefined ? parent.offset + 1 : endOf(last);
  const close = endOf(parent) - 1;
  const at = from + text.slice(from, close).trimEnd().length;
  const isOnOneLine = last !== undefined && !/[\r\n]/.test(text.slice(parent.offset, close));
  const outer = indentAt(text, parent.offset);
  const inner = outer + indentUnit(text);
  const before = isOnOneLine ? ' ' : lineEnd(text) + inner;
  const after = isOnOneLine || /[\r\n]/.test(text.slice(at, close)) ? '' : lineEnd(text) + outer;
  const written = isOnOneLine ? JSON.stringify(value) : render(value, inner, text);
  const comma = last === undefined || commaAfter(text, from) !== undefined ? '' : ',';
  return applyEdits(text, [
    { offset: from, length: 0, content: comma },
    { offset: at, length: 0, content: before + name + written + after },
  ]);
}

/** Without a member or an item, with one comma, and with its line when it has one of its own. */
function withoutChild(text: string, child: Node): string {
  const siblings = child.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(child) - 1];
  const after = commaAfter(text, endOf(child));
  const before = after === undefined && previous !== undefined ? commaAfter(text, endOf(previous)) : undefined;
  return applyEdits(text, [
    ...(before === undefined ? [] : [{ offset: before, length: 1, content: '' }]),
    wholeLines(text, child.offset, after === undefined ? endOf(child) : after + 1),
  ]);
}

/** A cut that takes whole lines when nothing else is on them, else the spaces before it. */
function wholeLines(text: string, start: number, end: number): Edit {
  const from = start - (/(?<![ \t])[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0);
  const lineBreak = text[from - 1] === '\n' ? /^[ \t]*\r?\n/.exec(text.slice(end))?.[0] : undefined;
  return { offset: from, length: end + (lineBreak?.length ?? 0) - from, content: '' };
}

/** The place of a comma that comes next, spaces and comments aside. */
function commaAfter(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function render(value: unknown, indent: string, text: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', lineEnd(text) + indent);
}

function lineEnd(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The spaces at the beginning of the line that a place is on. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** By how much a file indents: as its first indented line, else two spaces. */
function indentUnit(text: string): string {
  return /\n([ \t]+)["\]}[{]/.exec(text)?.[1] ?? '  ';
}
