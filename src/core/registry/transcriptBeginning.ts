import type { ClaudeFolder } from '../ports';
import { TranscriptSummarizer } from '../transcript/transcriptSummarizer';
import type { SessionFacts } from '../transcript/types';

/** Enough for the first record of most transcripts, and else for one with the longest prompt that is sane. */
const LOOKS_BYTES = [64 * 1024, 4 * 1024 * 1024];

const noTokens = { estimate: () => 0, estimateBytes: () => 0 };

/** What the first records of a transcript say about their session; undefined when they name none. */
export async function readBeginning(
  claude: ClaudeFolder,
  path: string,
  signal?: AbortSignal,
): Promise<SessionFacts | undefined> {
  for (const end of LOOKS_BYTES) {
    const summarizer = new TranscriptSummarizer({ estimator: noTokens });
    for await (const chunk of claude.read(path, { end }, signal)) summarizer.feed(chunk);
    const { facts } = summarizer.finish('ifWhole');
    if (facts.sessionIds.length > 0) return facts;
  }
  return undefined;
}
