import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { SummaryCache } from './summaryCache';
import { calibrate } from '../transcript/calibration';
import type { Calibration, UsagePair } from '../transcript/calibration';
import { usagePairsOf } from './claudeTokens';

/** How our counts relate to those of the models, from the transcripts that were read so far; the most frequent model first. */
export async function calibrateFromCache(
  { claude, cache }: { claude: ClaudeFolder; cache: SummaryCache },
  projectId?: string,
): Promise<Calibration[]> {
  const pairs: UsagePair[] = [];
  for (const id of projectId === undefined ? await claude.projectIds() : [projectId]) {
    const { transcripts } = await cache.load(id);
    pairs.push(...usagePairsOf(Object.values(transcripts).map(({ stats }) => stats)));
  }
  return calibrate(pairs);
}
