import { UsagePairCollector } from '../tokens/usagePairs';
import type { ByteText } from '../transcript/byteText';
import type { Steps } from '../transcript/steps';
import { TranscriptSummarizer } from '../transcript/transcriptSummarizer';
import type { TokenEstimator } from '../transcript/types';
import type { ScanState } from './projectCache';
import { addUsagePairs, digestOf } from './transcriptDigest';
import type { Counting, TranscriptDigest } from './transcriptDigest';

export interface TranscriptScanOptions {
  counting: Counting;
  /** Counts as `counting` says. */
  estimator: TokenEstimator;
  bytes: ByteText;
  /** A state with the same counting: the bytes to feed then begin at its offset. */
  prior?: ScanState | undefined;
}

/** One reading of a transcript: feed it the bytes, then ask for the digest and for the state to go on from. */
export class TranscriptScan {
  private readonly summarizer: TranscriptSummarizer;
  private readonly pairs = new UsagePairCollector();

  constructor(private readonly options: TranscriptScanOptions) {
    this.summarizer = new TranscriptSummarizer({
      estimator: options.estimator,
      bytes: options.bytes,
      resume: options.prior?.reader,
      onEntry: (entry) => this.pairs.add(entry),
    });
  }

  /** Where the first byte to feed stands in the file. */
  get startOffset(): number {
    return this.options.prior?.reader.offset ?? 0;
  }

  feed(chunk: Uint8Array): void {
    this.summarizer.feed(chunk);
  }

  /** Called once, after the last byte. A last line without newline is counted when it is whole, and read again the next time. */
  *finishing(): Steps<{ digest: TranscriptDigest; state: Omit<ScanState, 'headHash' | 'tailHash'> }> {
    const { counting, prior } = this.options;
    yield* this.summarizer.settling();
    const usagePairs = addUsagePairs(prior?.usagePairs ?? {}, this.pairs.pairs);
    const state = { reader: this.summarizer.state(), counting, usagePairs };
    yield;
    const summary = yield* this.summarizer.finishing('ifWhole');
    return { state, digest: digestOf(summary, counting, usagePairs) };
  }
}
