import type { ClaudeFolder, Scan, TranscriptScanner } from '../../../src/core/ports';
import { TranscriptScan } from '../../../src/core/registry/transcriptScan';
import type { ScanState } from '../../../src/core/registry/projectCache';
import type { Counting } from '../../../src/core/registry/transcriptDigest';
import { PortableByteText } from '../../../src/core/transcript/byteText';
import type { TokenEstimator } from '../../../src/core/transcript/types';

const perCharacter = (factor: number): TokenEstimator => ({
  estimate: (text) => text.length * factor,
  estimateBytes: (_bytes, start, end) => (end - start) * factor,
});

/** One token per character, and a tenth more when it is only an estimate: figures that a test can tell apart. */
const estimators: Record<Counting, TokenEstimator> = { exact: perCharacter(1), estimate: perCharacter(1.1) };

/** Scans through the port for Claude Code's folder, without threads. */
export class FakeScanner implements TranscriptScanner {
  readonly scans: { path: string; counting: Counting; bytesRead: number }[] = [];

  constructor(private readonly claude: ClaudeFolder) {}

  async scan(
    path: string,
    request: { prior?: ScanState | undefined; counting: Counting },
    signal?: AbortSignal,
  ): Promise<Scan> {
    signal?.throwIfAborted();
    const headHash = await this.#head(path);
    const isUsable = request.counting === 'estimate' || request.prior?.counting === 'exact';
    const prior = isUsable && request.prior?.headHash === headHash ? request.prior : undefined;
    const counting = prior?.counting ?? request.counting;
    const bytes = new PortableByteText();
    const scan = new TranscriptScan({ counting, estimator: estimators[counting], bytes, prior });
    let bytesRead = 0;
    for await (const chunk of this.claude.read(path, { start: scan.startOffset }, signal)) {
      scan.feed(chunk);
      bytesRead += chunk.length;
    }
    const { digest, state } = scan.finish();
    this.scans.push({ path, counting, bytesRead });
    return { digest, bytesRead, isContinued: prior !== undefined, state: { ...state, headHash, tailHash: '' } };
  }

  /** The first bytes themselves. */
  async #head(path: string): Promise<string> {
    let head = '';
    for await (const chunk of this.claude.read(path, { end: 50 })) head += new TextDecoder().decode(chunk);
    return head;
  }
}
