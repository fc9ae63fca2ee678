import { CompressionEngine } from '../../core/compression/compressionEngine';
import { LocalSummarizer } from '../../core/compression/local/localSummarizer';
import { MaterialReader } from '../../core/compression/sessionMaterial';
import type { Summarizer } from '../../core/compression/types';
import type { ClaudeFolder, Pause, TokenCounters } from '../../core/ports';
import { ConversationLoader } from '../../core/registry/conversationLoader';
import { FileExcerpts } from '../claude/fileExcerpts';
import { NodeByteText } from '../claude/nodeByteText';

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
  const loader = new ConversationLoader({ claude, pause, byteText: new NodeByteText() });
  return new CompressionEngine({
    material: new MaterialReader({ loader, openExcerpts: (file) => new FileExcerpts(file), pause }),
    tokens,
    summarizers: [new LocalSummarizer(pause), ...summarizers],
    pause,
  });
}
