import type { Pause } from '../../model/host';
import { runSteps, runStepsWithPauses, type Steps } from '../../transcript/steps';
import {
  NO_COST,
  type Summarizer,
  type Summary,
  type SummaryBlock,
  type SummaryCost,
  type SummaryOptions,
  type SummaryProgress,
  type SummaryRequest,
} from '../types';
import { BLOCK_SEPARATOR } from '../blockText';
import { collectUnits } from './collectUnits';
import { SegmentWriter } from './segmentWriter';
import { findSuperseded } from './supersession';
import { UnitWeights } from './unitWeights';

/** From here on there is more to say than there is room for, even without saying anything twice. */
const REPEATS_BELOW_RATIO = 8;
const label = 'Choosing what to keep';

/**
 * The built-in compressor: offline, free, without chance or clock, in time that grows with the length of the session. Every segment
 * comes as close to its target as words allow; only where everything that there is to say is less than the target, it is less.
 */
export class LocalSummarizer implements Summarizer {
  readonly name = 'local';
  readonly #pause: Pause | undefined;

  /** With `pause`, it is called between slices of a few milliseconds; without, all is done at one go, as in a thread. */
  constructor(pause?: Pause) {
    this.#pause = pause;
  }

  async estimate(_request: SummaryRequest, _options: SummaryOptions, signal?: AbortSignal): Promise<SummaryCost> {
    signal?.throwIfAborted();
    return NO_COST;
  }

  async summarize(
    request: SummaryRequest,
    _options: SummaryOptions,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<Summary> {
    signal?.throwIfAborted();
    const steps = summarySteps(request, onProgress);
    const blocks = this.#pause === undefined ? runSteps(steps) : await runStepsWithPauses(steps, this.#pause, signal);
    signal?.throwIfAborted();
    return { blocks, cost: NO_COST };
  }
}

/** All the work, with a place to pause after every small piece of it. */
function* summarySteps(
  request: SummaryRequest,
  onProgress?: (progress: SummaryProgress) => void,
): Steps<SummaryBlock[]> {
  const { segments, messages, counter } = request;
  const total = segments.length + 1;
  const list = yield* collectUnits(messages, {
    starts: new Set(segments.map(({ from }) => from)),
    hasRepeats: segments.some(({ ratio }) => ratio < REPEATS_BELOW_RATIO),
  });
  yield;
  const weighed = yield* UnitWeights.of(list.units);
  yield;
  const superseded = yield* findSuperseded(list.units);
  onProgress?.({ done: 1, total, label });
  const writer = new SegmentWriter({ list, weighed, superseded, counter });
  const written: SummaryBlock[][] = [];
  // What is newest has the word: older segments do not repeat it.
  for (let at = segments.length - 1; at >= 0; at--) {
    const segment = segments[at];
    if (segment !== undefined)
      written.unshift(yield* writer.write(segment, at === segments.length - 1 ? '\n' : BLOCK_SEPARATOR));
    onProgress?.({ done: 1 + segments.length - at, total, label });
    yield;
  }
  return written.flat();
}
