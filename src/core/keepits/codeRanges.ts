import type { TextRange } from '../text/secrets/privateText';
interface Fence {
  character: string;
  length: number;
  start: number;
  /** How many `>` stand before it; a line with fewer ends it. */
  quotes: number;
  /** Columns before the block that it stands in. */
  indent: number;
  /** A line indented less than this ends it. */
  minIndent: number;
}

interface BacktickRun {
  start: number;
  length: number;
  /** Preceded by a backslash: it can close a code span, where backslashes are literal, but its first tick opens nothing. */
  isEscaped: boolean;
}

/** A fence may stand in quotes and in items of lists, also in the line that begins the item. */
const OPENING = /^((?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t]))*)([ \t]*)(`{3,}|~{3,})(.*)$/s;
const CLOSING = /^([ \t]*)(`{3,}|~{3,})[ \t]*$/;
const QUOTE = /^[ \t]*>/;
/** So far a fence may be indented in the block that it stands in. */
const MAX_FENCE_INDENT = 3;

/** Lines that begin a new block: a code span never reaches over them, so that two stray backticks cannot hide what lies between. */
const BLOCK_START = /^\s*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|>|\||$)/;

/**
 * Where Markdown text is code, as CommonMark has it: fences of backticks or tildes (closed by a run at least as long of
 * the same character, or by the end of the quote that they stand in; open to the end when nothing closes them) and inline
 * code spans. Sorted, without overlaps. Takes linear time for every input.
 */
export function findCodeRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let fence: Fence | undefined;
  let blockStart = 0;
  for (let lineStart = 0; lineStart < text.length;) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const next = newline === -1 ? text.length : newline + 1;
    const line = lineHead(text, lineStart, lineEnd);
    const fate = fence === undefined ? 'outside' : fateOf(fence, line);
    if (fence !== undefined && fate !== 'goes on') {
      blockStart = fate === 'closes' ? next : lineStart;
      ranges.push({ start: fence.start, end: blockStart });
      fence = undefined;
    }
    if (fate === 'outside') {
      fence = opensFence(line, lineStart);
      if (fence !== undefined || BLOCK_START.test(line)) {
        addInlineCode(text, { start: blockStart, end: lineStart }, ranges);
        blockStart = lineStart;
      }
    }
    lineStart = next;
  }
  if (fence === undefined) addInlineCode(text, { start: blockStart, end: text.length }, ranges);
  else ranges.push({ start: fence.start, end: text.length });
  return ranges;
}

/** Those of them that are fences, with their lines. */
export function findCodeBlocks(text: string): TextRange[] {
  return findCodeRanges(text).filter(({ start, end }) => {
    const isLine = start === 0 || text[start - 1] === '\n';
    const newline = text.indexOf('\n', start);
    return isLine && opensFence(lineHead(text, start, newline === -1 ? end : newline), start) !== undefined;
  });
}

const MAX_LINE_HEAD = 4096;

/** What decides over a line stands at its beginning; a fence's line that is longer than this is taken for prose. */
function lineHead(text: string, start: number, end: number): string {
  const line = text.slice(start, Math.min(end, start + MAX_LINE_HEAD));
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function opensFence(line: string, lineStart: number): Fence | undefined {
  const match = OPENING.exec(line);
  if (match === null) return undefined;
  const [, containers = '', white = '', run = '', info = ''] = match;
  const character = run.charAt(0);
  if (character === '`' && info.includes('`')) return undefined;
  const isItem = /[^\s>]/.test(containers);
  const own = columns(containers.slice(containers.lastIndexOf('>') + 1));
  const indent = columns(white);
  return {
    character,
    length: run.length,
    start: lineStart,
    quotes: containers.split('>').length - 1,
    indent: isItem || indent > MAX_FENCE_INDENT ? own + indent : 0,
    // Which item a deeper one belongs to stands somewhere above. The content of an item's own line is often not indented as it should be.
    minIndent: isItem ? 0 : Math.max(0, indent - MAX_FENCE_INDENT),
  };
}

/** What a line means to the fence that is open: `outside` when it ended before. */
function fateOf(fence: Fence, line: string): 'goes on' | 'closes' | 'outside' {
  const rest = withoutQuotes(line, fence.quotes);
  if (rest === undefined) return 'outside';
  if (closesFence(rest, fence)) return 'closes';
  if (fence.minIndent === 0) return 'goes on';
  const [white = ''] = /^[ \t]*/.exec(rest) ?? [];
  return white.length < rest.length && columns(white) < fence.minIndent ? 'outside' : 'goes on';
}

function withoutQuotes(line: string, count: number): string | undefined {
  let rest = line;
  for (let n = 0; n < count; n++) {
    const quote = QUOTE.exec(rest)?.[0];
    if (quote === undefined) return undefined;
    rest = rest.slice(quote.length);
  }
  return rest;
}

function closesFence(line: string, fence: Fence): boolean {
  const match = CLOSING.exec(line);
  if (match === null) return false;
  const [, white = '', run = ''] = match;
  const maxIndent = fence.indent + MAX_FENCE_INDENT + (fence.quotes > 0 ? 1 : 0);
  return run.startsWith(fence.character) && run.length >= fence.length && columns(white) <= maxIndent;
}

const TAB_COLUMNS = 4;

function columns(text: string): number {
  return text.replaceAll('\t', ' '.repeat(TAB_COLUMNS)).length;
}

function addInlineCode(text: string, block: TextRange, ranges: TextRange[]): void {
  const runs = backtickRuns(text, block);
  const closers = closersOf(runs);
  for (let index = 0; index < runs.length;) {
    const closer = closers[index];
    const open = runs[index];
    const close = closer === undefined ? undefined : runs[closer];
    if (open === undefined || close === undefined || closer === undefined) {
      index++;
      continue;
    }
    ranges.push({ start: open.start + (open.isEscaped ? 1 : 0), end: close.start + close.length });
    index = closer + 1;
  }
}

/** Looks at the block alone: a search to the end of the text, begun once per block, would take quadratic time. */
function backtickRuns(text: string, { start: offset, end }: TextRange): BacktickRun[] {
  const block = text.slice(offset, end);
  const runs: BacktickRun[] = [];
  for (const { index, 0: run } of block.matchAll(/`+/g)) {
    runs.push({ start: offset + index, length: run.length, isEscaped: isEscaped(block, index) });
  }
  return runs;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charAt(first - 1) === '\\') first--;
  return (at - first) % 2 === 1;
}

/** For each run the next one that closes it, found from the end so that runs without a partner cost nothing. */
function closersOf(runs: readonly BacktickRun[]): (number | undefined)[] {
  const closers: (number | undefined)[] = [];
  const nextOfLength = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index];
    if (run === undefined) continue;
    closers[index] = nextOfLength.get(run.isEscaped ? run.length - 1 : run.length);
    nextOfLength.set(run.length, index);
  }
  return closers;
}
