import type { ClaudeFolder } from '../transcript/claudeFolder';
import { TranscriptSummarizer } from '../transcript/transcriptSummarizer';
import type { SessionFacts } from '../transcript/types';
import { uncounted } from '../transcript/uncounted';

/** Enough for the first record of most transcripts, of nearly all, and for one with the longest prompt that is sane. */
const LOOKS_BYTES = [8 * 1024, 64 * 1024, 4 * 1024 * 1024];

/** What the first records of a transcript say about their session; undefined when they name none. */
export async function readBeginning(
  claude: ClaudeFolder,
  path: string,
  signal?: AbortSignal,
): Promise<SessionFacts | undefined> {
  for (const end of LOOKS_BYTES) {
    const summarizer = new TranscriptSummarizer({ estimator: uncounted });
    for await (const chunk of claude.read(path, { end }, signal)) summarizer.feed(chunk);
    const { facts } = summarizer.finish('ifWhole');
    if (facts.sessionIds.length > 0) return facts;
  }
  return undefined;
}
