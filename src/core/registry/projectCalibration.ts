import type { ClaudeFolder, SummaryCache } from '../ports';
import { calibrate } from '../tokens/calibration';
import type { Calibration, UsagePair } from '../tokens/calibration';

/** How our counts relate to those of the models, from the transcripts that were read so far; the most frequent model first. */
export async function calibrateFromCache(
  { claude, cache }: { claude: ClaudeFolder; cache: SummaryCache },
  projectId?: string,
): Promise<Calibration[]> {
  const pairs: UsagePair[] = [];
  for (const id of projectId === undefined ? await claude.projectIds() : [projectId]) {
    for (const { digest } of Object.values((await cache.load(id)).transcripts)) {
      for (const [model, own] of Object.entries(digest.usagePairs)) {
        for (const [claudeTokens, counted] of own) pairs.push({ model, claudeTokens, counted });
      }
    }
  }
  return calibrate(pairs);
}
