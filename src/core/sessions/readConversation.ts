import { type TokenEstimator, uncounted } from '../text/tokens/tokenCounter';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Conversation } from '../transcript/types';

/** How a conversation is read: without an estimator nobody asks for its tokens. */
export interface ConversationRequest {
  estimator?: TokenEstimator;
  /** A line's beginning, in bytes. */
  start?: number;
}

/** The conversation in a transcript. A last line that is not whole yet is left out. Throws `TranscriptUnreadableError`. */
export async function readConversation(
  claude: Pick<ClaudeFolder, 'read'>,
  path: string,
  { estimator = uncounted, start = 0 }: ConversationRequest = {},
  signal?: AbortSignal,
): Promise<Conversation> {
  // What reads transcripts is loaded with the first one: much that is asked of memory needs none.
  const { readTranscript } = await import('../transcript/transcriptReader');
  const { CopiedMarkerSearch, writtenMarkers } = await import('../keepits/copiedMarkers');
  const reader = await readTranscript(claude.read(path, { start }, signal), { estimator }, signal);
  const conversation = reader.conversation();
  const markers = writtenMarkers(conversation, start);
  if (markers.length === 0) return conversation;
  const search = new CopiedMarkerSearch(markers);
  // From the beginning: what the assistant repeats may have been told long before `start`.
  for await (const chunk of claude.read(path, { start: 0, end: search.until }, signal)) search.feed(chunk);
  return { ...conversation, copiedMarkers: search.found() };
}
