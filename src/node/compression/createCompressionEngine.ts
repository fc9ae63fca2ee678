import { CompressionEngine } from '../../core/versions/compressionEngine';
import { LocalSummarizer } from '../../core/versions/local/localSummarizer';
import { MaterialReader } from '../../core/sessions/sessionMaterial';
import type { Summarizer } from '../../core/versions/types';
import type { ClaudeFolder } from '../../core/transcript/claudeFolder';
import type { Pause } from '../../core/model/host';
import type { TokenCounters } from '../../core/text/tokens/tokenCounter';
import { ConversationLoader } from '../../core/sessions/conversationLoader';
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
  const loader = new ConversationLoader({ claude, pause });
  return new CompressionEngine({
    material: new MaterialReader({ loader, openExcerpts: (file) => new FileExcerpts(file), pause }),
    tokens,
    summarizers: [new LocalSummarizer(), ...summarizers],
    pause,
  });
}
