import { countUp } from '../../text/ownValue';
import {
  NO_COST,
  type Summarizer,
  type Summary,
  type SummaryBlock,
  type SummaryCost,
  type SummaryOptions,
  type SummaryProgress,
  type SummaryRequest,
  type Segment,
  BLOCK_SEPARATOR,
} from '../types';
import type { TokenCounter } from '../../text/tokens/tokenCounter';
import { collectUnits } from './collectUnits';
import { findSuperseded } from './supersession';
import { UnitWeights } from './unitWeights';
import { Draft } from './draft';
import { NoteWriter } from './noteWriter';
import { Selection } from './selection';
import type { UnitList } from './unit';

/** From here on there is more to say than there is room for, even without saying anything twice. */
const REPEATS_BELOW_RATIO = 8;
const label = 'Choosing what to keep';

/**
 * The built-in compressor: offline, free, without chance or clock, in time that grows with the length of the session. Every segment
 * comes as close to its target as words allow; only where everything that there is to say is less than the target, it is less.
 */
export class LocalSummarizer implements Summarizer {
  readonly name = 'local';

  async estimate(_request: SummaryRequest, _options: SummaryOptions, signal?: AbortSignal): Promise<SummaryCost> {
    signal?.throwIfAborted();
    return NO_COST;
  }

  async summarize(
    { segments, messages, counter }: SummaryRequest,
    _options: SummaryOptions,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<Summary> {
    signal?.throwIfAborted();
    const total = segments.length + 1;
    const list = collectUnits(messages, {
      starts: new Set(segments.map(({ from }) => from)),
      hasRepeats: segments.some(({ ratio }) => ratio < REPEATS_BELOW_RATIO),
    });
    const weighed = new UnitWeights(list.units);
    const writer = new SegmentWriter({ list, weighed, superseded: findSuperseded(list.units), counter });
    onProgress?.({ done: 1, total, label });
    // What is newest has the word: older segments do not repeat it.
    let tail = '\n';
    const written = segments.toReversed().map((segment, at) => {
      signal?.throwIfAborted();
      const blocks = writer.write(segment, tail);
      tail = BLOCK_SEPARATOR;
      onProgress?.({ done: 2 + at, total, label });
      return blocks;
    });
    return { blocks: written.toReversed().flat(), cost: NO_COST };
  }
}

/** What writing segments works on. */
interface SegmentMaterial {
  readonly list: UnitList;
  readonly weighed: UnitWeights;
  /** Units that are not to be said: a later one takes them back, or says the same. */
  readonly superseded: ReadonlySet<number>;
  readonly counter: TokenCounter;
}

/** What headings may take of a segment, and what one takes beside the words that are said anyway. */
const HEADING_SHARE = 0.08;
const HEADING_TOKENS = 10;
/** How much an episode has to tell to be given a heading: the least number of units that keeps headings within their share. */
const FEWEST_UNITS = [3, 4, 6, 8, 12, 20] as const;
/** Thanks and praise are only worth saying where nearly everything is said. */
const LEAST_MERIT = 0.2;
const COURTEOUS_RATIO = 2.5;
/** A line costs its line break, and often a dash, besides its words. */
const LINE_TOKENS = 1.5;

/** Chooses and writes segment after segment; what one has said, the next ones need not say again. */
class SegmentWriter {
  private readonly notes: NoteWriter;
  private readonly said: Uint8Array;
  private readonly costs: Float64Array;

  constructor(private readonly material: SegmentMaterial) {
    this.notes = new NoteWriter(material.list);
    this.said = new Uint8Array(material.weighed.weights.length);
    this.costs = new Float64Array(material.list.units.length);
  }

  /** The blocks of a segment, which take as many tokens as its target says, or as many as there are; `tail` is what will follow them. */
  write(segment: Segment, tail: string): SummaryBlock[] {
    const { list, weighed } = this.material;
    const choices = { units: list.units, weighed, cost: (unit: number) => this.cost(unit) };
    const selection = new Selection(choices, this.said);
    selection.offerAll(this.available(segment));
    const { counter } = this.material;
    const headingFrom = (order: readonly number[]): number => this.headingFrom(order, segment.targetTokens);
    const draft = new Draft(this.notes, selection, { target: segment.targetTokens, tail, counter, headingFrom });
    return draft.complete();
  }

  private available({ from, to, ratio }: Segment): number[] {
    const { list, superseded } = this.material;
    const available: number[] = [];
    const least = ratio < COURTEOUS_RATIO ? 0 : LEAST_MERIT;
    for (const [index, { kind, merit, messages }] of list.units.entries()) {
      const [first = -1] = messages;
      const isWords = kind === 'sentence' || kind === 'item';
      if (merit > (isWords ? least : 0) && first >= from && first <= to && !superseded.has(index))
        available.push(index);
    }
    return available;
  }

  private cost(unit: number): number {
    const known = this.costs[unit] ?? 0;
    if (known > 0) return known;
    const cost = this.material.counter.count(this.material.list.units[unit]?.text ?? '') + LINE_TOKENS;
    this.costs[unit] = cost;
    return cost;
  }

  private headingFrom(order: readonly number[], target: number): number {
    const { list } = this.material;
    const sizes = new Map<number, number>();
    for (const unit of order) countUp(sizes, list.episodes[unit] ?? 0);
    const headed = order
      .filter((unit) => list.units[unit]?.isOpening === true)
      .map((unit) => sizes.get(list.episodes[unit] ?? 0) ?? 0);
    const most = (target * HEADING_SHARE) / HEADING_TOKENS;
    return FEWEST_UNITS.find((fewest) => headed.filter((size) => size >= fewest).length <= most) ?? Infinity;
  }
}
