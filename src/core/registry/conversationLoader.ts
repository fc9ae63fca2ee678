import type { ClaudeFolder, Pause } from '../ports';
import type { ByteText } from '../transcript/byteText';
import { readTranscript } from '../transcript/readTranscript';
import type { Conversation, TokenEstimator } from '../transcript/types';

export interface ConversationLoaderOptions {
  claude: ClaudeFolder;
  /** The host's fast byte operations. */
  byteText?: ByteText | undefined;
  pause: Pause;
}

/** Reads whole conversations in slices, so that the host goes on meanwhile. */
export class ConversationLoader {
  constructor(private readonly options: ConversationLoaderOptions) {}

  /**
   * The conversation from byte `start` on, a line's beginning. A last line that is not whole yet is left out.
   * Throws `TranscriptUnreadableError`.
   */
  async load(
    path: string,
    { estimator, start = 0 }: { estimator: TokenEstimator; start?: number },
    signal?: AbortSignal,
  ): Promise<Conversation> {
    const { claude, byteText: bytes, pause } = this.options;
    return readTranscript(claude.read(path, { start }, signal), { estimator, bytes, pause }, signal);
  }
}
