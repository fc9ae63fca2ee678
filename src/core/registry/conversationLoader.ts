import type { ClaudeFolder, Pause } from '../ports';
import type { ByteText } from '../transcript/byteText';
import { TranscriptReader } from '../transcript/transcriptReader';
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
    const reader = new TranscriptReader({ estimator, bytes });
    for await (const chunk of claude.read(path, { start }, signal)) {
      reader.feed(chunk);
      await pause();
    }
    const steps = reader.assemble('ifWhole');
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await pause();
      signal?.throwIfAborted();
    }
  }
}
