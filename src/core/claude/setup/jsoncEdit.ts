import { memberOf, nodeAt, parseJsonc, plainValue, skipTrivia } from './jsoncTree';
import type { JsoncArray, JsoncObject, JsoncPath } from './jsoncTree';

/*
 * Edits of JSON texts that people write: every character that an edit is not about stays as it is, comments and formatting
 * included. Not `jsonc-parser`: its edits take the comments between a removed member and its neighbour with them.
 */

/** A piece of a text and what is to stand there instead. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The text with a member set at the end of a path of keys; objects on the way are made. Throws `JsoncError`. */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  const { root } = parseJsonc(text);
  let parent = root;
  for (const [depth, key] of path.entries()) {
    if (parent.kind !== 'object')
      throw new TypeError(`there is no object at ${path.slice(0, depth).join('.') || 'the top'}`);
    const member = memberOf(parent, key);
    const rest = path.slice(depth + 1);
    if (member === undefined) return withEdits(text, added(text, parent, memberWith(key, nested(rest, value))));
    if (rest.length === 0) {
      if (isSame(plainValue(member.value), value)) return text;
      const edit = { start: member.value.start, end: member.value.end, text: indented(text, member.start, value) };
      return withEdits(text, [edit]);
    }
    parent = member.value;
  }
  return text;
}

/** The text with an item at the end of the array at a path; the array is made when there is none. */
export function addItem(text: string, path: readonly string[], item: unknown): string {
  const array = nodeAt(parseJsonc(text).root, path);
  if (array === undefined) return setMember(text, path, [item]);
  if (array.kind !== 'array') throw new TypeError(`there is no array at ${path.join('.')}`);
  return withEdits(text, added(text, array, { key: undefined, value: item }));
}

/** The text without the member at a path; as it was when there is none. */
export function removeMember(text: string, path: readonly string[]): string {
  const parent = nodeAt(parseJsonc(text).root, path.slice(0, -1));
  const key = path.at(-1);
  if (parent?.kind !== 'object' || key === undefined) return text;
  const index = parent.members.findLastIndex((member) => member.key === key);
  return index === -1 ? text : removeMember(withEdits(text, removed(text, parent, index)), path);
}

/** The text without those items of the array at a path that `isWanted` refuses. */
export function keepItems(text: string, path: JsoncPath, isWanted: (item: unknown) => boolean): string {
  const array = nodeAt(parseJsonc(text).root, path);
  if (array?.kind !== 'array') return text;
  const index = array.items.findIndex((item) => !isWanted(plainValue(item)));
  return index === -1 ? text : keepItems(withEdits(text, removed(text, array, index)), path, isWanted);
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

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

interface NewPart {
  /** Undefined for items of arrays. */
  key: string | undefined;
  value: unknown;
}

function memberWith(key: string, value: unknown): NewPart {
  return { key, value };
}

/** What adds a member or an item after those that are there. */
function added(text: string, parent: JsoncObject | JsoncArray, { key, value }: NewPart): Edit[] {
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const close = parent.end - 1;
  const last = childrenOf(parent).at(-1);
  const isOnOneLine = last !== undefined && !text.slice(parent.start, parent.end).includes('\n');
  if (isOnOneLine) {
    const comma = commaAfter(text, last.end) === undefined ? ',' : '';
    const at = lastWord(text, last.end, close);
    return [
      { start: last.end, end: last.end, text: comma },
      { start: at, end: at, text: ` ${name}${JSON.stringify(value)}` },
    ];
  }
  const eol = lineEnd(text);
  const indent = indentAt(text, parent.start);
  const inner = indent + indentUnit(text);
  const part = `${eol}${inner}${name}${render(value, inner, text)}`;
  const at = lastWord(text, last?.end ?? parent.start + 1, close);
  const isClosedOnOwnLine = text.slice(at, close).includes('\n');
  const edit = { start: at, end: at, text: isClosedOnOwnLine ? part : `${part}${eol}${indent}` };
  const needsComma = last !== undefined && commaAfter(text, last.end) === undefined;
  return needsComma ? [{ start: last.end, end: last.end, text: ',' }, edit] : [edit];
}

/** What takes a member or an item away, with one comma, and with its line when it has one of its own. */
function removed(text: string, parent: JsoncObject | JsoncArray, index: number): Edit[] {
  const children = childrenOf(parent);
  const child = children[index];
  if (child === undefined) return [];
  const after = commaAfter(text, child.end);
  if (after !== undefined) return [wholeLines(text, child.start, after + 1)];
  const cut = wholeLines(text, child.start, child.end);
  const previous = children[index - 1];
  const before = previous === undefined ? undefined : commaAfter(text, previous.end);
  return before === undefined ? [cut] : [{ start: before, end: before + 1, text: '' }, cut];
}

function childrenOf(parent: JsoncObject | JsoncArray): { start: number; end: number }[] {
  return parent.kind === 'object' ? parent.members : parent.items;
}

/** A cut that takes whole lines when nothing else is on them, else the spaces before it. */
function wholeLines(text: string, start: number, end: number): Edit {
  const before = /(?<![ \t])[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const after = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  const from = start - before;
  const to = end + after;
  const startsLine = text[from - 1] === '\n';
  const lineBreak = /^\r?\n/.exec(text.slice(to))?.[0];
  if (startsLine && lineBreak !== undefined) return { start: from, end: to + lineBreak.length, text: '' };
  return { start: from, end, text: '' };
}

/** The place of a comma that comes next, spaces and comments aside. */
function commaAfter(text: string, from: number): number | undefined {
  const { at } = skipTrivia(text, from);
  return text[at] === ',' ? at : undefined;
}

/** Where what is written between two places ends: comments count, spaces do not. */
function lastWord(text: string, from: number, to: number): number {
  return from + text.slice(from, to).trimEnd().length;
}

/** The edits are in the order of their places. */
function withEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduceRight(
    (edited, { start, end, text: part }) => edited.slice(0, start) + part + edited.slice(end),
    text,
  );
}

function indented(text: string, memberStart: number, value: unknown): string {
  return render(value, indentAt(text, memberStart), text);
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
