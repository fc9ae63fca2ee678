import { findCodeRanges } from '../../keepits/codeRanges';
import { wholeUnits } from './hookAnswer';

const PARAGRAPH = /\n[ \t]*\n/g;
const LINE = /\n/g;
/** A cut that leaves less than this of the room in use is worse than one in the middle of a paragraph. */
const LEAST_USE = 0.5;

/**
 * At most so many UTF-16 units from the beginning of a Markdown text: whole paragraphs, else whole lines, else whole characters; never a
 * code block without its end.
 */
export function cutText(text: string, units: number): string {
  const whole = text.trim();
  if (whole.length <= units) return whole;
  const codes = findCodeRanges(whole).filter(({ start, end }) => whole.slice(start, end).includes('\n'));
  const lastOf = (boundary: RegExp): number =>
    [...whole.slice(0, units + 1).matchAll(boundary)]
      .map(({ index }) => index)
      .findLast((at) => !codes.some(({ start, end }) => at > start && at < end)) ?? 0;
  const paragraph = lastOf(PARAGRAPH);
  const line = paragraph >= units * LEAST_USE ? paragraph : lastOf(LINE);
  if (line >= units * LEAST_USE) return whole.slice(0, line).trimEnd();
  const code = codes.find(({ start, end }) => start < units && units < end);
  if (code !== undefined) return whole.slice(0, code.start).trimEnd();
  return wholeUnits(whole, units).trimEnd();
}

/** The same from the end, in whole sections: what stands last in a memory is the newest. `heading` begins a section. */
export function lastSections(text: string, units: number, heading: RegExp): string {
  const starts = [...text.matchAll(heading)].map(({ index }) => index);
  const first = starts.find((start) => text.length - start <= units);
  if (first !== undefined) return text.slice(first).trim();
  return cutText(text.slice(starts.at(-1) ?? 0), units);
}
