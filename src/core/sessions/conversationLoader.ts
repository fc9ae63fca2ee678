import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Pause } from '../model/host';
import { CopiedMarkerSearch, writtenMarkers } from '../keepits/copiedMarkers';
import { readTranscript } from '../transcript/readTranscript';
import type { Conversation } from '../transcript/types';
import type { TokenEstimator } from '../text/tokens/tokenCounter';

export interface ConversationLoaderOptions {
  claude: ClaudeFolder;
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
    const { claude, pause } = this.options;
    const chunks = claude.read(path, { start }, signal);
    const conversation = await readTranscript(chunks, { estimator, pause }, signal);
    const markers = writtenMarkers(conversation, start);
    if (markers.length === 0) return conversation;
    const search = new CopiedMarkerSearch(markers);
    // From the beginning: what the assistant repeats may have been told long before `start`.
    for await (const chunk of claude.read(path, { start: 0, end: search.until }, signal)) {
      search.feed(chunk);
      await pause();
    }
    return { ...conversation, copiedMarkers: search.found() };
  }
}
