import { harnessRanges, type Piece } from './harnessBlocks';

/** A line that quotes somebody, as mail and Markdown do; also in an item of a list. */
const QUOTED_LINE = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])*[ \t]*>/;
const MAX_LINE_HEAD = 256;

/** Whether a line quotes somebody. */
export function isQuotedLine(line: string): boolean {
  return QUOTED_LINE.test(line.slice(0, MAX_LINE_HEAD));
}

/**
 * What a text shows of others without saying it: quoted lines, and what the harness put into the middle. It is a part of what somebody
 * said, but no rule and no marker in it is theirs. In rising order of their starts; linear.
 */
export function shownRanges(text: string): Piece[] {
  return [...quotedLines(text), ...harnessRanges(text)].sort((a, b) => a.start - b.start);
}

/** The text without what it shows of others: of a line, what stands around it is left. */
export function withoutShown(text: string): string {
  const ranges = shownRanges(text);
  if (ranges.length === 0) return text;
  let own = '';
  let position = 0;
  for (const { start, end } of ranges) {
    own += text.slice(position, Math.max(position, start));
    position = Math.max(position, end);
  }
  return own + text.slice(position);
}

function quotedLines(text: string): Piece[] {
  const lines: Piece[] = [];
  if (!text.includes('>')) return lines;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (isQuotedLine(text.slice(start, Math.min(end, start + MAX_LINE_HEAD)))) lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}
