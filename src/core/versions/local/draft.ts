import type { TokenCounter } from '../../text/tokens/tokenCounter';
import { type SummaryBlock, BLOCK_SEPARATOR, blockText } from '../types';
import { wholeCharacterEnd } from '../../text/sentences';
import type { NoteWriter } from './noteWriter';
import type { Selection } from './selection';

/** What a draft is to become. */
interface DraftAim {
  readonly target: number;
  /** What will follow the text, and counts with it. */
  readonly tail: string;
  readonly counter: TokenCounter;
  /** An episode with so many units of what was chosen gets a heading. */
  readonly headingFrom: (order: readonly number[]) => number;
}

/** So much of a target may be left over. */
const LEFT_OVER = 0.004;
/** More than this must not be left over, if there is anything to say. */
const MOST_LEFT_OVER = 0.03;
const MOST_ROUNDS = 8;
/** Units that are tried for what is left over. */
const MOST_TRIED = 80;
const MOST_CLIP_ROUNDS = 4;
/** A sentence of which so much is left is understood; where there is no better way, less of it has to do. */
const GOOD_SHARE = 0.65;
const LEAST_SHARE = 0.4;
const LEAST_TOKENS = 4;

/** A segment's text on its way to its target. */
export class Draft {
  private blocks: SummaryBlock[] = [];
  private tokens = 0;
  /** The unit that is said in part, and what of it. */
  private clipped: ReadonlyMap<number, string> | undefined;
  private readonly counts = new Map<string, number>();
  private headingFrom = Infinity;

  constructor(
    private readonly notes: NoteWriter,
    private readonly selection: Selection,
    private readonly aim: DraftAim,
  ) {}

  /** The blocks, as close below the target as words allow. */
  complete(): SummaryBlock[] {
    this.fill();
    if (!this.clipOne(GOOD_SHARE) && !this.clipOne(LEAST_SHARE)) this.clipInsteadOfLast();
    return this.blocks;
  }

  /** Adds and takes back units until what is written is just below the target, or nothing more fits. */
  private fill(): void {
    const { selection, aim } = this;
    selection.choose(aim.target);
    this.headingFrom = aim.headingFrom(selection.order);
    this.rewrite();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { length } = selection.order;
      if (this.tokens > aim.target) {
        selection.keep(Math.min(length - 1, Math.floor((length * aim.target) / this.tokens)));
      } else if (this.room > this.leftOver) selection.choose(this.room);
      if (selection.order.length === length) break;
      this.rewrite();
    }
    while (this.tokens > aim.target) this.restore(selection.order.slice(0, -1));
  }

  /** Says the beginning of one more unit in what room is left, if that is enough of it to be understood. */
  private clipOne(leastShare: number): boolean {
    if (this.room <= Math.max(LEAST_TOKENS - 1, this.leftOver)) return false;
    const isCode = (unit: number): number => (this.notes.isCode(unit) ? 1 : 0);
    const wordsFirst = this.selection.best(MOST_TRIED).sort((a, b) => isCode(a) - isCode(b));
    return wordsFirst.some(
      (unit) => this.room / this.selection.cost(unit) >= leastShare && this.addClipped(unit, leastShare),
    );
  }

  /** Where no unit can be cut to what is left, the one that was chosen last makes room, or as much of one is said as fits. */
  private clipInsteadOfLast(): void {
    if (this.room <= this.aim.target * MOST_LEFT_OVER) return;
    const order = [...this.selection.order];
    if (order.length > 1) {
      this.restore(order.slice(0, -1));
      if (this.clipOne(LEAST_SHARE) && this.room <= this.aim.target * MOST_LEFT_OVER) return;
      this.restore(order);
    }
    this.clipOne(order.length === 0 ? 0 : LEAST_SHARE / 2);
  }

  private restore(order: readonly number[]): void {
    this.selection.replace(order);
    this.clipped = undefined;
    this.rewrite();
  }

  private get room(): number {
    return this.aim.target - this.tokens;
  }

  private get leftOver(): number {
    return this.aim.target * LEFT_OVER;
  }

  private addClipped(unit: number, leastShare: number): boolean {
    const before = { blocks: this.blocks, tokens: this.tokens, clipped: this.clipped };
    const text = this.notes.textOf(unit);
    let room = this.room - (before.tokens === 0 ? 0 : 1);
    this.selection.take(unit);
    for (let round = 0; round < MOST_CLIP_ROUNDS && room > 0; round++) {
      const beginning = clip(text, room, this.aim.counter);
      if (beginning === '' || beginning.length < text.length * leastShare) break;
      this.clipped = new Map([[unit, beginning]]);
      this.rewrite();
      if (this.tokens <= this.aim.target) return true;
      room -= this.tokens - this.aim.target;
    }
    this.selection.keep(this.selection.order.length - 1);
    this.clipped = before.clipped;
    this.blocks = before.blocks;
    this.tokens = before.tokens;
    return false;
  }

  /**
   * The tokens of a block with what follows it. No token reaches over a blank line, so that blocks can be counted one by one; only a
   * slash is taken in with the line breaks before it.
   */
  private count(text: string): number {
    const known = this.counts.get(text);
    if (known !== undefined) return known;
    const count = this.aim.counter.count(text);
    this.counts.set(text, count);
    return count;
  }

  private rewrite(): void {
    const chosen = this.selection.order.toSorted((a, b) => a - b);
    this.blocks = this.notes.write(chosen, this.headingFrom, this.clipped);
    this.tokens = 0;
    let text = '';
    for (const [at, block] of this.blocks.entries()) {
      const next = this.blocks[at + 1];
      text += blockText(block) + (next === undefined ? this.aim.tail : BLOCK_SEPARATOR);
      if (next !== undefined && blockText(next).startsWith('/')) continue;
      this.tokens += this.count(text);
      text = '';
    }
  }
}

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
