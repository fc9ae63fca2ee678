import type { SessionSource } from '../../sessions/results';
import type { CompressionJob } from '../../versions/compressionJob';
import { settingsFor } from '../../versions/compressionSettings';
import type { SummarizerName } from '../../versions/types';
import type { MemoryStore } from '../../model/memoryStore';

/** What a model is asked about. */
interface ModelRequest {
  readonly provider?: SummarizerName | undefined;
  readonly model?: string | undefined;
  readonly maxCostUsd?: number | undefined;
}

/** How much smaller than the session a summary by a model is. */
const RATIO = 20;
/** Bytes of a transcript for each token of what was said, roughly: where a session is short, less is cut away. */
const SHORT_BYTES = 100_000;
const SHORT_RATIO = 5;

/** The work of compressing, by which a model is asked for a summary: with its cost gate, its ledger and its checks. Nothing is kept of it. */
export async function summaryJob(
  { store }: { readonly store: MemoryStore },
  { ref, file, entry }: SessionSource,
  request: ModelRequest,
): Promise<CompressionJob> {
  const { keepitDecay, defaults } = await store.readConfig();
  const provider = request.provider ?? 'local';
  const compactionRatio = file.bytes < SHORT_BYTES ? SHORT_RATIO : RATIO;
  const settings = settingsFor(
    { mode: 'uniform', compactionRatio, aggressiveness: 'moderate', keepitMode: 'decay' },
    {
      project: { defaultCompressionPreset: 'standard', keepitDecayEnabled: true },
      sessionDistance: 0,
      model: provider === 'local' ? provider : (request.model ?? defaults.model),
    },
  );
  return {
    ref,
    ...file,
    title: entry?.metadata.title ?? '',
    overlay: entry?.keepitOverlay ?? [],
    parts: [],
    scope: { kind: 'whole' },
    settings,
    decay: keepitDecay,
    provider,
    options: { model: settings.model, maxCostUsd: request.maxCostUsd },
    isInUse: false,
    timestamp: entry?.lastTimestamp ?? '',
  };
}

/** What a model wrote, without what it is marked with. */
export function modelWords(body: string): string {
  return body.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim();
}
