import type { Pause } from '../model/host';
import type { Scan } from './transcriptScanner';
import { UsagePairCollector } from '../transcript/usagePairs';
import { runStepsWithPauses } from '../transcript/steps';
import { TranscriptSummarizer } from '../transcript/transcriptSummarizer';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import { digestOf, usagePairsOf, type Counting } from './transcriptDigest';

export interface ScanOptions {
  counting: Counting;
  /** Counts as `counting` says. */
  estimator: TokenEstimator;
  /** Called after each chunk. */
  pause: Pause;
}

/** Reads a transcript into its digest. A last line without newline is counted when it is whole. */
export async function scanTranscript(
  chunks: AsyncIterable<Uint8Array>,
  { counting, estimator, pause }: ScanOptions,
  signal?: AbortSignal,
): Promise<Scan> {
  const pairs = new UsagePairCollector();
  const summarizer = new TranscriptSummarizer({ estimator, onEntry: (entry) => pairs.add(entry) });
  let bytesRead = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    bytesRead += chunk.length;
    summarizer.feed(chunk);
    await pause();
  }
  const summary = await runStepsWithPauses(summarizer.finishing(), pause, signal);
  return { digest: digestOf(summary, counting, usagePairsOf(pairs.pairs)), ids: summarizer.ids(), bytesRead };
}
