import { CopiedMarkerSearch, writtenMarkers } from '../keepits/copiedMarkers';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { readTranscript } from '../transcript/transcriptReader';
import type { Conversation } from '../transcript/types';
import { uncounted } from '../transcript/uncounted';

/** How a conversation is read: without an estimator nobody asks for its tokens. */
export interface ConversationRequest {
  estimator?: TokenEstimator;
  /** A line's beginning, in bytes. */
  start?: number;
}

/** The conversation in a transcript. A last line that is not whole yet is left out. Throws `TranscriptUnreadableError`. */
export async function readConversation(
  claude: ClaudeFolder,
  path: string,
  { estimator = uncounted, start = 0 }: ConversationRequest = {},
  signal?: AbortSignal,
): Promise<Conversation> {
  const reader = await readTranscript(claude.read(path, { start }, signal), { estimator }, signal);
  const conversation = reader.conversation();
  const markers = writtenMarkers(conversation, start);
  if (markers.length === 0) return conversation;
  const search = new CopiedMarkerSearch(markers);
  // From the beginning: what the assistant repeats may have been told long before `start`.
  for await (const chunk of claude.read(path, { start: 0, end: search.until }, signal)) search.feed(chunk);
  return { ...conversation, copiedMarkers: search.found() };
}
