import { CompressionEngine } from '../../core/versions/compressionEngine';
import { LocalSummarizer } from '../../core/versions/local/localSummarizer';
import { MaterialReader } from '../../core/sessions/sessionMaterial';
import type { Summarizer } from '../../core/versions/types';
import type { ClaudeFolder } from '../../core/transcript/claudeFolder';
import type { Pause } from '../../core/model/host';
import type { TokenCounters } from '../../core/text/tokens/tokenCounter';
import { FileExcerpts } from '../claude/fileExcerpts';

export interface CompressionEngineOptions {
  readonly claude: ClaudeFolder;
  readonly tokens: TokenCounters;
  /** What can summarize besides the built-in compressor. */
  readonly summarizers: readonly Summarizer[];
  readonly pause: Pause;
}

/** An engine that reads this machine's files; the same in a thread of its own and in the host's. */
export function createCompressionEngine({
  claude,
  tokens,
  summarizers,
  pause,
}: CompressionEngineOptions): CompressionEngine {
  return new CompressionEngine({
    material: new MaterialReader({ claude, openExcerpts: (file) => new FileExcerpts(file) }),
    tokens,
    summarizers: [new LocalSummarizer(pause), ...summarizers],
    pause,
  });
}
