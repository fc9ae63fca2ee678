import type { TextRange } from './privateText';

/** Longest line that is read as a row, and the most rows below the names of the columns. */
const LONGEST_ROW = 400;
const MOST_ROWS = 20;

/** Ends of lines, as such or written out. */
const LINE_END = /\r?\n|\\r\\n|\\n/g;
const RULE = /^[^A-Za-z0-9]{0,10}(?:\d{1,6}[→|:])?(?=[|+:\s-]{0,400}---)[|+:\s-]*$/;
const VALUES = /\)\s{0,40}(?:AS\s+\w{1,40}\s{0,10})?VALUES\s{0,40}(?=\()/iy;
const LITERALS = /'((?:[^'\\]|''|\\.){0,300})'|"([^"\\]{0,300})"|[^\s,()'"][^,()'"]{0,100}/y;

/** What stands in the column of this name, where it is the head of one, and where the table ends. */
export interface Column {
  readonly cells: readonly TextRange[];
  readonly end: number;
}

/** The cells below a name: in a table of Markdown, in a file with separated values, in an `INSERT` of SQL. */
export function columnBelow(text: string, name: TextRange): Column | undefined {
  return insertedBelow(text, name) ?? cellsBelow(text, name);
}

function cellsBelow(text: string, name: TextRange): Column | undefined {
  const head = lineAround(text, name.start);
  if (head === undefined) return undefined;
  const line = text.slice(head.start, head.end);
  const separator = ['|', '\t', ';', ','].find((one) => line.includes(one));
  if (separator === undefined || (separator !== '|' && !isHead(line, separator))) return undefined;
  const columns = line.split(separator).length;
  const at = line.slice(0, name.start - head.start).split(separator).length - 1;
  const cells: TextRange[] = [];
  let { end } = head;
  for (let row = 0; row < MOST_ROWS; row++) {
    const next = lineFrom(text, end);
    const read = next === undefined ? '' : text.slice(next.start, next.end);
    if (next === undefined || read.split(separator).length !== columns) break;
    ({ end } = next);
    if (!RULE.test(read)) cells.push(cellAt(read, next.start, separator, at));
  }
  return cells.length === 0 ? undefined : { cells, end };
}

/** Names alone, as no line of code or prose has them. */
function isHead(line: string, separator: string): boolean {
  return line.split(separator).every((cell) => /^[\s"'+\d→]{0,20}[A-Za-z][\w .-]{0,40}["'\s\\]{0,20}$/.test(cell));
}

function cellAt(line: string, offset: number, separator: string, at: number): TextRange {
  const before = line.split(separator).slice(0, at).join(separator).length + (at > 0 ? 1 : 0);
  const cell = line.split(separator)[at] ?? '';
  const bare = cell.replace(/^[\s"'`*]+/, '').replace(/(?<![\s"'`*\\])[\s"'`*\\]+$/, '');
  const start = offset + before + cell.indexOf(bare);
  return { start, end: start + bare.length };
}

function lineAround(text: string, at: number): TextRange | undefined {
  const before = text.slice(Math.max(0, at - LONGEST_ROW), at);
  const last = [...before.matchAll(LINE_END)].at(-1);
  if (last === undefined && at > LONGEST_ROW) return undefined;
  const start = last === undefined ? 0 : at - before.length + last.index + last[0].length;
  return lineAt(text, start);
}

function lineAt(text: string, start: number): TextRange | undefined {
  const rest = text.slice(start, start + LONGEST_ROW);
  const end = rest.search(LINE_END);
  return end < 0 && rest.length === LONGEST_ROW ? undefined : { start, end: start + (end < 0 ? rest.length : end) };
}

function lineFrom(text: string, end: number): TextRange | undefined {
  const step = /^(?:\r?\n|\\r\\n|\\n)/.exec(text.slice(end, end + 4))?.[0];
  return step === undefined ? undefined : lineAt(text, end + step.length);
}

function insertedBelow(text: string, name: TextRange): Column | undefined {
  const before = /\((?:[\w\s"`[\]\\.]{1,60},){0,12}[\s"`[\\]{0,8}$/.exec(
    text.slice(Math.max(0, name.start - 400), name.start),
  );
  const rest = /^[\w\s"`,[\]\\.]{0,400}/.exec(text.slice(name.end, name.end + LONGEST_ROW))?.[0] ?? '';
  VALUES.lastIndex = name.end + rest.length;
  const values = before === null ? null : VALUES.exec(text);
  if (before === null || values === null) return undefined;
  const at = before[0].split(',').length - 1;
  const cells: TextRange[] = [];
  let end = VALUES.lastIndex;
  for (let row = 0; row < MOST_ROWS && text[end] === '('; row++) {
    const { cell, after } = tuple(text, end + 1, at);
    if (cell !== undefined) cells.push(cell);
    end = after + (/^\s{0,20},\s{0,20}(?=\()/.exec(text.slice(after, after + 44))?.[0].length ?? 0);
  }
  return { cells, end };
}

/** The quoted value at that place of a list in brackets, and where the list ends. */
function tuple(text: string, start: number, at: number): { cell: TextRange | undefined; after: number } {
  let cell: TextRange | undefined;
  let end = start;
  for (let place = 0; place < LONGEST_ROW; place++) {
    while (/[\s,]/.test(text.charAt(end))) end++;
    LITERALS.lastIndex = end;
    const found = LITERALS.exec(text);
    if (found === null) break;
    const quoted = found[1] ?? found[2];
    if (place === at && quoted !== undefined) cell = { start: end + 1, end: end + 1 + quoted.length };
    end += found[0].length;
  }
  return { cell, after: text[end] === ')' ? end + 1 : end };
}
