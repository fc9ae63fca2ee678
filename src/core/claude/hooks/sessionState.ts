import type { SessionState } from '../../model/preparedBrief';
import { SCHEMA_VERSION } from '../../model/fields';
import type { KeepitService } from '../../sessions/keepits';
import type { SessionRef } from '../../sessions/results';
import type { SessionIndex } from '../../sessions/sessionIndex';
import { MaterialReader, type MaterialReaderParts } from '../../sessions/sessionMaterial';
import { singleSpaced } from '../../text/cleanText';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { countsNothing } from '../../text/tokens/tokenCounter';
import type { LayersService } from '../../knowledge/layersService';
import type { MemoryStore } from '../../model/host';
import type { HookStore } from './hookStore';
import { stateOf } from './stateOf';

export interface SessionStateParts extends MaterialReaderParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly sources: SessionIndex;
  readonly keepits: Pick<KeepitService, 'decayPreview'>;
  readonly layers: LayersService;
}

/**
 * Finds out where a session stands, and keeps it where hooks find it. The keepits are there first, because a compaction may be waiting for
 * them; the rest takes longer. Throws `SessionLookupError`, `TranscriptUnreadableError`.
 */
export async function updateSessionState(
  parts: SessionStateParts,
  ref: SessionRef,
  signal?: AbortSignal,
): Promise<SessionState> {
  const { hookStore } = parts;
  const source = await parts.sources.locate(ref, signal);
  const keepits = await survivors(parts, ref, signal);
  const before = (await hookStore.sessionStates(ref.projectId, 1, ref.sessionId))[0];
  const { bytes } = source.file;
  const nothing = { at: '', title: '', tasks: [], files: [] };
  const base = { version: SCHEMA_VERSION, sessionId: ref.sessionId, bytes, keepits };
  await hookStore.saveSessionState(ref.projectId, { ...nothing, ...before, ...base });
  const { messages, title, isNamed } = await new MaterialReader(parts).read(source.file.path, countsNothing, signal);
  const { isEnabled, problem } = await parts.layers.status(ref.projectId);
  const mayBeNoted = !isNamed && isEnabled && problem === undefined;
  const noted = mayBeNoted ? await parts.layers.reading(ref) : undefined;
  signal?.throwIfAborted();
  const state: SessionState = {
    ...base,
    ...stateOf(messages),
    title: noted?.title || singleSpaced(withoutSecrets(title)),
    branch: source.entry?.metadata.gitBranch,
    at: messages.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp ?? before?.at ?? '',
  };
  await hookStore.saveSessionState(ref.projectId, state);
  return state;
}

/** The keepits that the project's usual compression would keep at its hardest, pinned ones first. */
async function survivors(
  { keepits }: SessionStateParts,
  ref: SessionRef,
  signal?: AbortSignal,
): Promise<SessionState['keepits']> {
  const { markers, isDecayOn } = await keepits.decayPreview(ref, undefined, signal);
  return markers
    .filter(({ survives }) => survives || !isDecayOn)
    .map(({ weight, content }) => ({ weight, text: withoutSecrets(content) }))
    .sort((a, b) => b.weight - a.weight);
}
