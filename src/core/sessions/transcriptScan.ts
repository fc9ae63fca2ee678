import { UsagePairCollector } from '../transcript/usagePairs';
import type { ByteText } from '../transcript/byteText';
import type { IdList } from '../transcript/hashIndex';
import type { RecordMemory } from '../transcript/recordMemory';
import type { Steps } from '../transcript/steps';
import { TranscriptSummarizer } from '../transcript/transcriptSummarizer';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import type { ScanState } from './projectCache';
import { addUsagePairs, digestOf } from './transcriptDigest';
import type { Counting, TranscriptDigest, UsagePairs } from './transcriptDigest';

export interface TranscriptScanOptions {
  counting: Counting;
  /** Counts as `counting` says. */
  estimator: TokenEstimator;
  bytes: ByteText;
  /** What earlier scans learned of Claude Code's way of writing, and what this one adds. */
  memory?: RecordMemory | undefined;
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
      memory: options.memory,
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

  /** Where the next scan may go on, if it may. To be asked for after the last byte, and before `finishing`. */
  *settling(): Steps<Omit<ScanState, 'headHash' | 'tailHash'> | undefined> {
    yield* this.summarizer.settling();
    const reader = this.summarizer.state();
    return reader && { reader, counting: this.options.counting, usagePairs: this.usagePairs() };
  }

  /** Called once, after the last byte. A last line without newline is counted when it is whole, and read again the next time. */
  *finishing(): Steps<TranscriptDigest> {
    const usagePairs = this.usagePairs();
    const summary = yield* this.summarizer.finishing('ifWhole');
    return digestOf(summary, this.options.counting, usagePairs);
  }

  /** See `Scan`. */
  ids(): IdList {
    return this.summarizer.ids();
  }

  private usagePairs(): UsagePairs {
    return addUsagePairs(this.options.prior?.usagePairs ?? {}, this.pairs.pairs);
  }
}
