import type { TokenCounter } from '../../text/tokens/tokenCounter';
import { wholeCharacterEnd } from '../../text/sentences';

/** Seed 004: both less a safety margin of 5 %. */
export const ROTATION_TOKENS = 25_000 * 0.95;
export const CARRY_OVER_TOKENS = 2500 * 0.95;
/** A file that has grown far beyond the threshold becomes several archives. */
const OVERSIZED = 2;

export interface Rotation {
  /** The whole text, in order: joined, they are the text that there was. */
  readonly archives: readonly string[];
  /** The end of the text, from the beginning of a line: with this the memory goes on. */
  readonly carryOver: string;
  readonly tokens: number;
}

/** Rotates a memory that has become too large; undefined for one that has not. */
export function rotate(text: string, counter: Pick<TokenCounter, 'count'>): Rotation | undefined {
  const tokens = counter.count(text);
  if (tokens <= ROTATION_TOKENS) return undefined;
  const archives = tokens <= OVERSIZED * ROTATION_TOKENS ? [text] : pieces(text, counter);
  return { archives, carryOver: carryOverOf(text, counter), tokens };
}

/** Pieces of at most the threshold, cut between lines where lines are short enough. */
function pieces(text: string, counter: Pick<TokenCounter, 'count'>): string[] {
  const all: string[] = [];
  for (let rest = text; rest !== '';) {
    const end = longest(rest, (length) => counter.count(rest.slice(0, length)) <= ROTATION_TOKENS);
    const line = end === rest.length ? end : rest.lastIndexOf('\n', end - 1) + 1;
    const cut = line > 0 ? line : Math.max(1, wholeCharacterEnd(rest, Math.max(2, end)));
    all.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return all;
}

function carryOverOf(text: string, counter: Pick<TokenCounter, 'count'>): string {
  const length = longest(text, (size) => counter.count(text.slice(text.length - size)) <= CARRY_OVER_TOKENS);
  const start = text.length - length;
  const line = start === 0 ? 0 : text.indexOf('\n', start - 1) + 1;
  const end = line > 0 || start === 0 ? text.slice(line) : text.slice(wholeCharacterEnd(text, start + 1));
  const heading = /^## /m.exec(end);
  return heading !== null && heading.index > 0 && heading.index < end.length / 2 ? end.slice(heading.index) : end;
}

/** The largest length that fits, as far as more text means more tokens. */
function longest(text: string, fits: (length: number) => boolean): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
