import type { TokenCounter } from '../../text/tokens/tokenCounter';
import { BLOCK_SEPARATOR, blockText } from '../blockText';
import type { SummaryBlock } from '../types';
import { wholeCharacterEnd } from '../../text/sentences';
import type { NoteWriter, WriteStyle } from './noteWriter';
import type { Selection } from './selection';

/** What a draft is to become. */
interface DraftAim {
  readonly target: number;
  /** What will follow the text, and counts with it. */
  readonly tail: string;
  readonly counter: TokenCounter;
  /** How what was chosen is to be written. */
  readonly styleFor: (order: readonly number[]) => WriteStyle;
}

/** So much of a target may be left over without a further try. */
const LEFT_OVER = 0.004;
/** More than this must not be left over, if there is anything to say. */
const MOST_LEFT_OVER = 0.03;
/** More than this is a target missed. */
const MOST_MISSED = 0.05;
const MOST_ROUNDS = 8;
/** Up to here single units decide how well a target is hit: they are exchanged for others that fit better. */
const EXCHANGE_UP_TO_TOKENS = 800;
/** Up to here a single unit may be all that is said. */
const TINY_TOKENS = 40;
/** Up to here a sentence more or less decides whether a target is hit, and any of them may be cut for it. */
const SMALL_TOKENS = 120;
const MOST_DROPPED = 2;
const MOST_EXCHANGES = 3;
const EXCHANGED_FROM = 10;
/** What fits better may be worth a little less. */
const LEAST_WORTH = 0.8;
/** Units that are tried for what is left over. */
const MOST_TRIED = 80;
const MOST_CLIP_ROUNDS = 4;
/** A sentence of which so much is left is understood; of which less than the other is left, it says nothing, or something else. */
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
  private style: WriteStyle = { hasSpeakers: false, headingFrom: Infinity };

  constructor(
    private readonly notes: NoteWriter,
    private readonly selection: Selection,
    private readonly aim: DraftAim,
  ) {}

  /** The blocks, as close below the target as words allow. */
  complete(): SummaryBlock[] {
    this.fill();
    if (this.aim.target <= TINY_TOKENS && this.clipBestAlone()) {
      this.selection.choose(this.room);
      this.rewrite();
      while (this.tokens > this.aim.target) this.dropLast();
    }
    if (this.aim.target <= EXCHANGE_UP_TO_TOKENS) this.exchange();
    if (!this.clipOne(GOOD_SHARE)) this.clipOne(LEAST_SHARE);
    if (this.room > this.aim.target * MOST_LEFT_OVER) this.clipInsteadOfLast();
    if (this.aim.target <= SMALL_TOKENS && this.room > this.aim.target * MOST_MISSED) this.closeGap();
    return this.blocks;
  }

  /** Adds and takes back units until what is written is just below the target, or nothing more fits. */
  private fill(): void {
    const { target } = this.aim;
    this.selection.choose(target);
    this.style = this.aim.styleFor(this.selection.order);
    this.rewrite();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { length } = this.selection.order;
      if (this.tokens > target) {
        this.selection.keep(Math.min(length - 1, Math.floor((length * target) / this.tokens)));
      } else if (this.room > this.leftOver) this.selection.choose(this.room);
      if (this.selection.order.length === length) break;
      this.rewrite();
    }
    while (this.tokens > target) {
      this.dropLast();
    }
  }

  private dropLast(): void {
    this.selection.keep(this.selection.order.length - 1);
    this.rewrite();
  }

  /** Where hardly anything fits, most of the best unit may say more than a lesser one that fits by chance. */
  private clipBestAlone(): boolean {
    const { selection, aim } = this;
    const order = [...selection.order];
    const worth = order.reduce((sum, unit) => sum + selection.worth(unit), 0);
    const shownWorth = (unit: number): number =>
      selection.worth(unit) * Math.min(1, aim.target / selection.cost(unit)) ** 2;
    const [best] = selection.best(MOST_TRIED).sort((a, b) => shownWorth(b) - shownWorth(a));
    if (best === undefined || shownWorth(best) <= worth) return false;
    selection.keep(0);
    this.rewrite();
    if (this.addClipped(best, LEAST_SHARE)) return true;
    selection.replace(order);
    this.rewrite();
    return false;
  }

  /** Exchanges a unit that was chosen late for one that fills what is left over. */
  private exchange(): void {
    for (let count = 0; count < MOST_EXCHANGES && this.room > Math.max(1, this.leftOver); count++) {
      const found = this.bestExchange();
      if (found === undefined) return;
      const before = { order: [...this.selection.order], tokens: this.tokens };
      this.selection.replace([...before.order.filter((unit) => unit !== found.out), found.in]);
      this.rewrite();
      if (this.tokens > this.aim.target || this.tokens <= before.tokens) {
        this.selection.replace(before.order);
        this.rewrite();
        return;
      }
    }
  }

  private bestExchange(): { readonly out: number; readonly in: number } | undefined {
    const { selection } = this;
    const others = selection.best(MOST_TRIED);
    let best: { out: number; in: number } | undefined;
    let bestGain = -Infinity;
    for (const out of selection.order.slice(-EXCHANGED_FROM)) {
      for (const other of others) {
        const more = selection.cost(other) - selection.cost(out);
        if (more <= 0 || more > this.room || !selection.isIndependent(out, other)) continue;
        const gain = selection.worth(other) - selection.worth(out);
        const isWorthIt =
          selection.worth(other) >= LEAST_WORTH * selection.worth(out) &&
          selection.merit(other) >= LEAST_WORTH * selection.merit(out);
        if (isWorthIt && gain > bestGain) [best, bestGain] = [{ out, in: other }, gain];
      }
    }
    return best;
  }

  /** Says the beginning of one more unit in what room is left, if that is enough of it to be understood. */
  private clipOne(leastShare: number): boolean {
    if (this.room <= Math.max(LEAST_TOKENS - 1, this.leftOver)) return false;
    const candidates = this.selection.best(MOST_TRIED);
    const isCode = (unit: number): boolean => this.notes.isCode(unit);
    for (const unit of [...candidates.filter((one) => !isCode(one)), ...candidates.filter(isCode)]) {
      if (this.room / this.selection.cost(unit) < leastShare) continue;
      if (this.addClipped(unit, leastShare)) return true;
    }
    return false;
  }

  /** Where no unit can be cut to what is left, the one that was chosen last makes room. */
  private clipInsteadOfLast(): void {
    const order = [...this.selection.order];
    const { clipped } = this;
    if (order.length > 1) {
      this.selection.keep(order.length - 1);
      this.clipped = undefined;
      this.rewrite();
      const isBetter = this.clipOne(LEAST_SHARE);
      if (isBetter && this.room <= this.aim.target * MOST_LEFT_OVER) return;
      this.selection.replace(order);
      this.clipped = clipped;
      this.rewrite();
    }
    if (clipped === undefined) this.clipOne(order.length === 0 ? 0 : LEAST_SHARE / 2);
  }

  /** Where whole sentences miss a small target, as much of one is said as fits: rather much of one than little. */
  private closeGap(): void {
    const before = { order: [...this.selection.order], clipped: this.clipped };
    const whole = before.order.filter((unit) => this.clipped?.has(unit) !== true);
    for (const leastShare of [LEAST_SHARE, LEAST_SHARE / 2, 0]) {
      for (let dropped = 0; dropped <= Math.min(MOST_DROPPED, whole.length); dropped++) {
        this.restore(whole.slice(0, whole.length - dropped));
        for (const unit of this.selection.best(MOST_TRIED)) {
          const isAdded = this.addClipped(unit, leastShare);
          if (isAdded && this.room <= this.aim.target * MOST_MISSED) return;
          if (isAdded) this.restore(whole.slice(0, whole.length - dropped));
        }
      }
    }
    this.restore(before.order, before.clipped);
  }

  private restore(order: readonly number[], clipped?: ReadonlyMap<number, string>): void {
    this.selection.replace(order);
    this.clipped = clipped;
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
    this.blocks = this.notes.write(chosen, this.style, this.clipped);
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
