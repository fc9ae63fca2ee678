import { shownColumn, sourceOffset } from '../../text/cleanText';
import { linePrefix, type SaidBlock, type TranscriptDocument } from './transcriptDocument';

/** A place in a document, both 0-based; columns count UTF-16 units. */
export interface LinePosition {
  readonly line: number;
  readonly column: number;
}

/** The index of the first item for which `isBehind` holds, of a list where it holds for all after it; its length when for none. */
export function firstWhere<T>(items: readonly T[], isBehind: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && !isBehind(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The block whose words a line shows; undefined for our own lines, tool steps and the gaps between blocks. */
export function saidBlockAt({ said }: TranscriptDocument, line: number): SaidBlock | undefined {
  const block = said[firstWhere(said, (candidate) => candidate.line > line) - 1];
  return block !== undefined && line < block.line + block.starts.length ? block : undefined;
}

/** The offset in a block's text that a place in one of its lines stands for. */
export function offsetInBlock(block: SaidBlock, { line, column }: LinePosition): number {
  const index = Math.min(Math.max(0, line - block.line), block.starts.length - 1);
  const start = block.starts[index] ?? 0;
  const limit = block.starts[index + 1] ?? block.text.length;
  const shown = Math.max(0, column - linePrefix.said.length);
  return Math.min(sourceOffset(block.text, start, shown), limit);
}

/**
 * Where a document shows the character at an offset of a block's text. What is not shown (blank lines at the beginning,
 * white space at a line's end) is taken for the nearest place that is; columns may point behind the line's end.
 */
export function positionInBlock(block: SaidBlock, offset: number): LinePosition {
  const index = Math.max(0, firstWhere(block.starts, (start) => start > offset) - 1);
  const start = block.starts[index] ?? 0;
  const column = shownColumn(block.text, start, Math.max(start, offset));
  return { line: block.line + index, column: column + linePrefix.said.length };
}

/** Words that somebody selected. */
interface SaidSelection {
  readonly block: SaidBlock;
  readonly start: number;
  readonly end: number;
}

/** Why a selection cannot be marked, in words for the one who selected. */
interface SelectionProblem {
  readonly problem: string;
}

const NOTHING_SAID =
  'Nothing was said there. Select words of yours or of Claude’s: tool steps and notes cannot be marked.';

const NOT_LIVE = 'This is not part of the conversation: a rewind has left it behind, or a sub-agent said it.';

const CROSSES =
  'The selection reaches over several messages, or over pieces of one with tool steps between them. A keepit lies within one piece: select less, and mark them one by one.';

/**
 * What a selection in a transcript means: the words in it, or, when it is empty, the whole text block around it. Headings,
 * gaps and half-selected margins at its ends do not count.
 */
export function selectionIn(
  document: TranscriptDocument,
  from: LinePosition,
  to: LinePosition,
): SaidSelection | SelectionProblem {
  const isEmpty = from.line === to.line && from.column === to.column;
  const touched = isEmpty
    ? blockNear(document, from.line).map((block) => trimmed(block, 0, block.text.length))
    : blocksBetween(document, from, to).map((block) => trimmed(block, ...cutOut(block, from, to)));
  const [selection, ...others] = touched.filter(({ start, end }) => end > start);
  if (selection === undefined) return { problem: NOTHING_SAID };
  if (others.length > 0) return { problem: CROSSES };
  return selection.block.isLive ? selection : { problem: NOT_LIVE };
}

/** The selected part of a block, whole characters only. */
function cutOut(block: SaidBlock, from: LinePosition, to: LinePosition): [start: number, end: number] {
  const start = from.line < block.line ? 0 : offsetInBlock(block, from);
  const isPast = to.line >= block.line + block.starts.length;
  const end = isPast ? block.text.length : offsetInBlock(block, to);
  return [splitsPair(block.text, start) ? start - 1 : start, splitsPair(block.text, end) ? end + 1 : end];
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

function trimmed(block: SaidBlock, from: number, to: number): SaidSelection {
  const words = block.text.slice(from, to);
  const start = from + words.length - words.trimStart().length;
  return { block, start, end: start + words.trim().length };
}

/** The block at a line, else the first one under the heading that the line is. */
function blockNear(document: TranscriptDocument, line: number): SaidBlock[] {
  const block = saidBlockAt(document, line) ?? document.said.find(({ headingLine }) => headingLine === line);
  return block === undefined ? [] : [block];
}

function blocksBetween({ said }: TranscriptDocument, from: LinePosition, to: LinePosition): SaidBlock[] {
  const first = Math.max(0, firstWhere(said, ({ line }) => line > from.line) - 1);
  const behind = firstWhere(said, ({ line }) => line > to.line);
  return said.slice(first, behind).filter(({ line, starts }) => line + starts.length > from.line);
}
