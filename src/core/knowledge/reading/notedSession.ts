import { entryOf, type MemoryStore } from '../../model/host';
import type { ReadingSettings, SessionReading } from '../../model/sessionReading';
import type { SessionRef } from '../../sessions/results';
import type { CompressionService } from '../../versions/compressionService';
import { NO_COST, type SummaryCost } from '../../versions/types';
import type { VersionService } from '../../versions/versionService';
import type { LayersService } from '../layersService';
import type { NotebookService } from '../notes/notebookService';
import type { RollingService } from '../rolling/rollingService';

export interface NotedSessionParts {
  readonly store: MemoryStore;
  readonly compressions: Pick<CompressionService, 'compress'>;
  readonly versions: Pick<VersionService, 'delete'>;
  readonly layers: LayersService;
  readonly notebook: NotebookService;
  readonly rolling: RollingService;
}

/** Who has noted it, and what that cost. */
interface NotedBy {
  readonly provider?: ReadingSettings['provider'] | undefined;
  readonly cost?: SummaryCost;
}

export type PutNotes = (ref: SessionRef, reading: SessionReading, by: NotedBy, signal?: AbortSignal) => Promise<void>;

/** Puts what was noted where it is used. What is killed in the middle is done again by the next one, without asking anybody. */
export function putNotesInto(parts: NotedSessionParts): PutNotes {
  const { layers, notebook, rolling } = parts;
  return async (ref, reading, by, signal) => {
    await layers.build(ref.projectId, { refs: [ref], isAgain: true }, undefined, signal);
    await notebook.summarize(ref, {}, signal);
    await rolling.retell(ref);
    await putDigest(parts, ref, { reading, by }, signal);
    const { isUnfinished: _isUnfinished, ...finished } = reading;
    await layers.saveReading(ref, finished);
  };
}

/** The digest is a version of the session: what compositions take first, and search finds. The one before it goes into the trash. */
async function putDigest(
  { store, compressions, versions }: NotedSessionParts,
  ref: SessionRef,
  { reading: { digest, model, prompt }, by }: { readonly reading: SessionReading; readonly by: NotedBy },
  signal?: AbortSignal,
): Promise<void> {
  const entry = await entryOf(store, ref);
  if (entry === undefined) return;
  const old = entry.compressions.filter(({ provenance }) => provenance?.prompt.startsWith('session-') === true);
  const blocks = [{ kind: 'note', role: 'assistant', text: digest, messages: [0] } as const];
  const written = { blocks, cost: by.cost ?? NO_COST, provenance: { model, prompt, responseIds: [] } };
  const provider = by.provider ?? (await store.readConfig()).reading.provider;
  await compressions.compress(ref, { mode: 'uniform', provider, model, written }, undefined, signal);
  const ids = old.map(({ versionId }) => versionId);
  if (ids.length > 0) await versions.delete(ref, ids);
}
