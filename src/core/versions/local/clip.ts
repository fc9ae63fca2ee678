import type { TokenCounter } from '../../text/tokens/tokenCounter';
import { wholeCharacterEnd } from '../../text/sentences';

/** Where words end, for scripts with spaces and without. */
const WORD_END = /\s+|(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f])/gu;
/** A sign that something was left out is worth its token only beside enough words. */
const ELLIPSIS_FROM_TOKENS = 5;
/** Beyond this a clipped text says what it has to say. */
const MOST_TOKENS_PER_CHAR = 1.2;
const CHARS_PER_TOKEN = 12;

/** The longest beginning of `text`, in whole words, that takes at most `tokens`; '' when not even one word does. */
export function clip(text: string, tokens: number, counter: TokenCounter): string {
  const line = text.slice(0, wholeCharacterEnd(text, Math.min(text.length, Math.max(80, tokens * CHARS_PER_TOKEN))));
  const ends = [...line.matchAll(WORD_END)].map(({ index }) => index).filter((end) => end > 0);
  if (line.length < text.length && ends.length === 0) ends.push(...characterEnds(line, tokens));
  if (line.length === text.length) ends.push(line.length);
  const mark = tokens >= ELLIPSIS_FROM_TOKENS ? '…' : '';
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const end = ends[middle - 1] ?? 0;
    const shown = end === text.length ? text : clippedAt(line, end) + mark;
    if (counter.count(shown) <= tokens) low = middle;
    else high = middle - 1;
  }
  const end = ends[low - 1] ?? 0;
  return end === 0 ? '' : end === text.length ? text : clippedAt(line, end) + mark;
}

function clippedAt(line: string, end: number): string {
  return balanced(line.slice(0, end).replace(/(?<![\s,;:–—(（「『«“、，；：-])[\s,;:–—(（「『«“、，；：-]+$/u, ''));
}

/** Something that was opened and is not closed in what is left is not opened. */
function balanced(text: string): string {
  const ticks = text.split('`').length - 1;
  return ticks % 2 === 1 ? text.replace(/`([^`]*)$/, '$1') : text;
}

/** A line without any place to cut is cut between characters. */
function characterEnds(line: string, tokens: number): number[] {
  const step = Math.max(1, Math.floor(line.length / Math.max(8, tokens * MOST_TOKENS_PER_CHAR)));
  return Array.from({ length: Math.floor(line.length / step) }, (_, at) => wholeCharacterEnd(line, (at + 1) * step));
}
