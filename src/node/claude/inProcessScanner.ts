import { scanTranscript, type Scan, type TranscriptScanner } from '../../core/sessions/transcriptScanner';
import { EstimatingTokenCounter } from '../../core/text/tokens/estimatingTokenCounter';
import { ExactEstimator, type TokenCounters } from '../../core/text/tokens/tokenCounter';
import type { ClaudeFolder } from '../../core/transcript/claudeFolder';
import type { Counting } from '../../core/transcript/sessionStats';

/** Scans in the thread that it is called in. */
export class InProcessScanner implements TranscriptScanner {
  readonly #estimating = new EstimatingTokenCounter();

  constructor(
    private readonly claude: ClaudeFolder,
    private readonly tokens: TokenCounters,
  ) {}

  async scan(
    path: string,
    { counting, bytes }: { counting: Counting; bytes: number },
    signal?: AbortSignal,
  ): Promise<Scan> {
    const estimator = counting === 'exact' ? new ExactEstimator(await this.tokens.exact()) : this.#estimating;
    return scanTranscript(this.claude.read(path, { end: bytes }, signal), { counting, estimator }, signal);
  }
}
