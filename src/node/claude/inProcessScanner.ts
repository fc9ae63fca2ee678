import { setImmediate as pause } from 'node:timers/promises';
import type { Scan, TranscriptScanner } from '../../core/sessions/transcriptScanner';
import { type TokenCounters, ExactEstimator, type TokenEstimator } from '../../core/text/tokens/tokenCounter';
import { EstimatingTokenCounter } from '../../core/text/tokens/estimatingTokenCounter';
import type { Counting } from '../../core/transcript/sessionStats';
import { TaskQueue } from '../files/taskQueue';
import { openTranscript } from './openTranscript';
import { scanFile } from './scanFile';
import type { ScanRequest } from './scanFile';

/** Small enough that a slice takes a few milliseconds, with either counter. */
const CHUNK_BYTES: Record<Counting, number> = { estimate: 256 * 1024, exact: 32 * 1024 };

/** So many transcripts are open at once, however many are asked for; the others wait for one of them. */
const LANES = 8;

/** Scans in the thread that it is called in, in slices. */
export class InProcessScanner implements TranscriptScanner {
  readonly #estimating = new EstimatingTokenCounter();
  readonly #lanes = new TaskQueue();
  #calls = 0;
  readonly #estimators: Record<Counting, () => Promise<TokenEstimator>>;

  constructor(tokens: TokenCounters) {
    this.#estimators = {
      estimate: async () => this.#estimating,
      exact: async () => new ExactEstimator(await tokens.exact()),
    };
  }

  async scan(path: string, request: Omit<ScanRequest, 'path'>, signal?: AbortSignal): Promise<Scan> {
    const buffer = () => Buffer.allocUnsafe(CHUNK_BYTES[request.counting]);
    const tools = { estimators: this.#estimators, open: openTranscript, buffer, pause };
    const lane = String(this.#calls++ % LANES);
    return this.#lanes.run(lane, () => scanFile({ path, ...request }, tools, signal));
  }
}
