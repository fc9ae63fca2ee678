import type { Scan, TranscriptScanner } from '../../../src/core/sessions/transcriptScanner';
import { TranscriptScan } from '../../../src/core/sessions/transcriptScan';
import type { ScanState } from '../../../src/core/sessions/projectCache';
import type { Counting } from '../../../src/core/sessions/transcriptDigest';
import { TokenRanksError } from '../../../src/core/text/tokens/rankTable';
import { PortableByteText } from '../../../src/core/transcript/byteText';
import { runSteps } from '../../../src/core/transcript/steps';
import type { TokenEstimator } from '../../../src/core/text/tokens/tokenCounter';
import type { FakeClaudeFolder } from './fakeClaudeFolder';

const perCharacter = (factor: number): TokenEstimator => ({
  estimate: (text) => text.length * factor,
  estimateBytes: (_bytes, start, end) => (end - start) * factor,
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
    request: { prior?: ScanState | undefined; counting: Counting; wantsState?: boolean },
    signal?: AbortSignal,
  ): Promise<Scan> {
    signal?.throwIfAborted();
    const prior = this.#isContinuation(path, request.prior, request.counting) ? request.prior : undefined;
    const counting = prior?.counting ?? request.counting;
    if (counting === 'exact' && this.hasNoRanks) throw new TokenRanksError('missing');
    const bytes = new PortableByteText();
    const scan = new TranscriptScan({ counting, estimator: estimators[counting], bytes, prior });
    let bytesRead = 0;
    for await (const chunk of this.claude.read(path, { start: scan.startOffset }, signal)) {
      scan.feed(chunk);
      bytesRead += chunk.length;
    }
    const state = request.wantsState === true ? runSteps(scan.settling()) : undefined;
    const digest = runSteps(scan.finishing());
    this.scans.push({ path, counting, bytesRead });
    const reading = { digest, bytesRead, isContinued: prior !== undefined };
    if (state === undefined) return { ...reading, ids: scan.ids() };
    return { ...reading, state: { ...state, headHash: this.#head(path, state.reader.offset), tailHash: '' } };
  }

  #isContinuation(path: string, prior: ScanState | undefined, counting: Counting): boolean {
    if (prior === undefined || (counting === 'exact' && prior.counting !== 'exact')) return false;
    return prior.headHash === this.#head(path, prior.reader.offset);
  }

  /** What was read, as it is. */
  #head(path: string, bytes: number): string {
    return new TextDecoder().decode(this.claude.files.get(path)?.bytes.subarray(0, bytes));
  }
}
