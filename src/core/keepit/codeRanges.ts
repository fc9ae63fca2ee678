/** A half-open range of UTF-16 offsets. */
export interface TextRange {
  start: number;
  end: number;
}

interface Fence {
  character: string;
  length: number;
  start: number;
}

interface BacktickRun {
  start: number;
  length: number;
  /** Preceded by a backslash: it can close a code span, where backslashes are literal, but its first tick opens nothing. */
  isEscaped: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

/** Lines that begin a new block: a code span never reaches over them, so that two stray backticks cannot hide what lies between. */
const BLOCK_START = /^\s*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|>|\||$)/;

/**
 * Where Markdown text is code, as CommonMark has it: fences of backticks or tildes (closed by a run at least as long of
 * the same character; open to the end when nothing closes them) and inline code spans. Sorted, without overlaps.
 * Takes linear time for every input.
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
    if (fence !== undefined) {
      if (closesFence(line, fence)) {
        ranges.push({ start: fence.start, end: next });
        fence = undefined;
        blockStart = next;
      }
    } else {
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

const MAX_LINE_HEAD = 4096;

/** What decides over a line stands at its beginning; a fence's line that is longer than this is taken for prose. */
function lineHead(text: string, start: number, end: number): string {
  const line = text.slice(start, Math.min(end, start + MAX_LINE_HEAD));
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function opensFence(line: string, lineStart: number): Fence | undefined {
  const match = FENCE.exec(line);
  if (match === null) return undefined;
  const [, run = '', info = ''] = match;
  const character = run.charAt(0);
  if (character === '`' && info.includes('`')) return undefined;
  return { character, length: run.length, start: lineStart };
}

function closesFence(line: string, fence: Fence): boolean {
  const match = FENCE.exec(line);
  if (match === null) return false;
  const [, run = '', rest = ''] = match;
  return run.startsWith(fence.character) && run.length >= fence.length && rest.trim() === '';
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
