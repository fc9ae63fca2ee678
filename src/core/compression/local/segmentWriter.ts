import type { TokenCounter } from '../../tokens/tokenCounter';
import type { Steps } from '../../transcript/steps';
import { joinBlocks } from '../blockText';
import type { Segment, SummaryBlock } from '../types';
import { clip } from './clip';
import { NoteWriter, type WriteStyle } from './noteWriter';
import { Selection } from './selection';
import type { UnitList } from './unit';
import type { UnitWeights } from './unitWeights';

/** What writing segments works on. */
export interface SegmentMaterial {
  readonly list: UnitList;
  readonly weighed: UnitWeights;
  /** Units that are not to be said: a later one takes them back, or says the same. */
  readonly superseded: ReadonlySet<number>;
  readonly counter: TokenCounter;
}

/** Below this nothing is said but what was said. */
const SPEAKERS_FROM_TOKENS = 40;
/** What headings may take of a segment, and what one takes beside the words that are said anyway. */
const HEADING_SHARE = 0.08;
const HEADING_TOKENS = 10;
/** How much an episode has to tell to be given a heading: the least number of units that keeps headings within their share. */
const FEWEST_UNITS = [3, 4, 6, 8, 12, 20] as const;
/** A line costs its line break, and often a dash, besides its words. */
const LINE_TOKENS = 1.5;
/** So much of a target may be left over. */
const LEFT_OVER = 0.004;
const MOST_ROUNDS = 8;
/** Units that are tried for what is left over. */
const MOST_TRIED = 200;
const MOST_CLIP_ROUNDS = 4;

/** Chooses and writes segment after segment; what one has said, the next ones need not say again. */
export class SegmentWriter {
  private readonly notes: NoteWriter;
  private readonly said: Uint8Array;
  private readonly costs: Float64Array;

  constructor(private readonly material: SegmentMaterial) {
    this.notes = new NoteWriter(material.list);
    this.said = new Uint8Array(material.weighed.weights.length);
    this.costs = new Float64Array(material.list.units.length);
  }

  /** The blocks of a segment, which take as many tokens as its target says, or as many as there are; `tail` is what will follow them. */
  *write(segment: Segment, tail: string): Steps<SummaryBlock[]> {
    const { list, weighed } = this.material;
    const choices = { units: list.units, weighed, cost: (unit: number) => this.cost(unit) };
    const available = this.available(segment);
    yield* this.countAll(available);
    const selection = new Selection(choices, available, this.said);
    yield;
    const draft = new Draft(this.notes, selection, {
      target: segment.targetTokens,
      tail,
      counter: this.material.counter,
    });
    yield* draft.fill((order) => this.styleFor(order, segment.targetTokens));
    yield* draft.clipLast((unit) => list.units[unit]?.kind !== 'code' && list.units[unit]?.kind !== 'detail');
    return draft.blocks;
  }

  private available({ from, to }: Segment): number[] {
    const { list, superseded } = this.material;
    const available: number[] = [];
    for (const [index, { merit, messages }] of list.units.entries()) {
      const [first = -1] = messages;
      if (merit > 0 && first >= from && first <= to && !superseded.has(index)) available.push(index);
    }
    return available;
  }

  private *countAll(units: readonly number[]): Steps<void> {
    for (const [at, unit] of units.entries()) {
      this.cost(unit);
      if (at % 64 === 63) yield;
    }
  }

  private cost(unit: number): number {
    const known = this.costs[unit] ?? 0;
    if (known > 0) return known;
    const cost = this.material.counter.count(this.material.list.units[unit]?.text ?? '') + LINE_TOKENS;
    this.costs[unit] = cost;
    return cost;
  }

  private styleFor(order: readonly number[], target: number): WriteStyle {
    const { list } = this.material;
    const sizes = new Map<number, number>();
    for (const unit of order) sizes.set(list.episodes[unit] ?? 0, (sizes.get(list.episodes[unit] ?? 0) ?? 0) + 1);
    const headed = order
      .filter((unit) => list.units[unit]?.isOpening === true)
      .map((unit) => sizes.get(list.episodes[unit] ?? 0) ?? 0);
    const most = (target * HEADING_SHARE) / HEADING_TOKENS;
    const headingFrom = FEWEST_UNITS.find((fewest) => headed.filter((size) => size >= fewest).length <= most);
    return { hasSpeakers: target >= SPEAKERS_FROM_TOKENS, headingFrom: headingFrom ?? Infinity };
  }
}

/** A segment's text on its way to its target. */
class Draft {
  blocks: SummaryBlock[] = [];
  private tokens = 0;
  private style: WriteStyle = { hasSpeakers: false, headingFrom: Infinity };

  constructor(
    private readonly notes: NoteWriter,
    private readonly selection: Selection,
    private readonly aim: { readonly target: number; readonly tail: string; readonly counter: TokenCounter },
  ) {}

  /** Adds and takes back units until what is written is just below the target, or there is nothing more to say. */
  *fill(styleFor: (order: readonly number[]) => WriteStyle): Steps<void> {
    const { target } = this.aim;
    this.selection.choose(target);
    this.style = styleFor(this.selection.order);
    this.rewrite();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      yield;
      const { length } = this.selection.order;
      if (this.tokens > target) this.selection.keep(Math.min(length - 1, Math.floor((length * target) / this.tokens)));
      else if (target - this.tokens > this.leftOver) this.selection.choose(target - this.tokens);
      if (this.selection.order.length === length) break;
      this.rewrite();
    }
    while (this.tokens > target) {
      this.selection.keep(this.selection.order.length - 1);
      this.rewrite();
      yield;
    }
  }

  /** Says the beginning of one more unit in what room is left. */
  *clipLast(isClippable: (unit: number) => boolean): Steps<void> {
    const tried: number[] = [];
    for (let count = 0; count < MOST_TRIED && this.room > this.leftOver; count++) {
      const unit = this.selection.next();
      if (unit === -1) break;
      tried.push(unit);
      if (isClippable(unit) && this.addClipped(unit)) return;
      yield;
    }
    // Nothing but code is left.
    for (const unit of tried) if (this.room > this.leftOver && this.addClipped(unit)) return;
  }

  private get room(): number {
    return this.aim.target - this.tokens;
  }

  private get leftOver(): number {
    return this.aim.target * LEFT_OVER;
  }

  private addClipped(unit: number): boolean {
    const before = { blocks: this.blocks, tokens: this.tokens };
    let room = this.room - (before.tokens === 0 ? 0 : 1);
    this.selection.take(unit);
    for (let round = 0; round < MOST_CLIP_ROUNDS && room > 0; round++) {
      const text = clip(this.notes.textOf(unit), room, this.aim.counter);
      if (text === '') break;
      this.rewrite(new Map([[unit, text]]));
      if (this.tokens <= this.aim.target) return true;
      room -= this.tokens - this.aim.target;
    }
    this.selection.keep(this.selection.order.length - 1);
    this.blocks = before.blocks;
    this.tokens = before.tokens;
    return false;
  }

  private rewrite(clipped?: ReadonlyMap<number, string>): void {
    const chosen = this.selection.order.toSorted((a, b) => a - b);
    this.blocks = this.notes.write(chosen, this.style, clipped);
    const text = joinBlocks(this.blocks);
    this.tokens = text === '' ? 0 : this.aim.counter.count(text + this.aim.tail);
  }
}
