import type { Scan, TranscriptScanner } from '../../../src/core/sessions/transcriptScanner';
import { scanTranscript } from '../../../src/core/sessions/transcriptScanner';
import type { Counting } from '../../../src/core/transcript/sessionStats';
import { TokenRanksError } from '../../../src/core/text/tokens/rankTable';
import type { TokenEstimator } from '../../../src/core/text/tokens/tokenCounter';
import type { FakeClaudeFolder } from './fakeClaudeFolder';

const perCharacter = (factor: number): TokenEstimator => ({
  estimate: (text) => text.length * factor,
  sample: (text) => text.length * factor,
});

/** One token per character, and a tenth more when it is only an estimate: figures that a test can tell apart. */
const estimators: Record<Counting, TokenEstimator> = { exact: perCharacter(1), estimate: perCharacter(1.1) };

/** Scans through the port for Claude Code's folder, without threads. */
export class FakeScanner implements TranscriptScanner {
  /** Exact counts cannot be had. */
  hasNoRanks = false;
  readonly scans: { path: string; counting: Counting; bytesRead: number }[] = [];

  constructor(private readonly claude: FakeClaudeFolder) {}

  async scan(
    path: string,
    { counting, bytes }: { counting: Counting; bytes: number },
    signal?: AbortSignal,
  ): Promise<Scan> {
    signal?.throwIfAborted();
    if (counting === 'exact' && this.hasNoRanks) throw new TokenRanksError('missing');
    const options = { counting, estimator: estimators[counting] };
    const scan = await scanTranscript(this.claude.read(path, { end: bytes }, signal), options, signal);
    this.scans.push({ path, counting, bytesRead: scan.bytesRead });
    return scan;
  }
}
