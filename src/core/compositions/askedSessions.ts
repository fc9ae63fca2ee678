import { isPinned, sessionDistance } from '../keepits/decay';
import { storedKeepits } from '../keepits/effectiveKeepits';
import type { CompositionRequest, RequestedComponent } from '../model/composition';
import type { Config } from '../model/config';
import { settingsOf, type ProjectManifest, type SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { MemoryStore } from '../model/host';
import { mapLimited } from '../text/mapLimited';
import type { SessionRef } from '../sessions/results';
import { titleOf } from '../text/formats';
import { partsOf } from '../sessions/sessionParts';
import { sessionKey } from '../model/fields';
import { CompositionError } from './compositionError';
import type { SourceSession } from './types';

type AskedStore = Pick<MemoryStore, 'readManifest' | 'readConfig' | 'sessions'>;

/** Files are looked for, not read. */
const PARALLEL_LOOKS = 8;

/** Finds what a request speaks of, in manifests alone: in its order, each session once. Throws `CompositionError` for one that is not in memory. */
export async function findAsked(
  store: AskedStore,
  projectId: string,
  request: Pick<CompositionRequest, 'components'>,
): Promise<AskedSession[]> {
  const config = await store.readConfig();
  const groups = new Map<string, { ref: SessionRef; asked: RequestedComponent[] }>();
  for (const component of request.components) {
    const ref = { projectId: component.projectId ?? projectId, sessionId: component.sessionId };
    const key = sessionKey(ref);
    const group = groups.get(key) ?? { ref, asked: [] };
    group.asked.push(component);
    groups.set(key, group);
  }
  const manifests = new Map<string, ProjectManifest | undefined>();
  for (const { ref } of groups.values()) {
    if (!manifests.has(ref.projectId)) manifests.set(ref.projectId, await store.readManifest(ref.projectId));
  }
  return mapLimited([...groups.values()], PARALLEL_LOOKS, async ({ ref, asked }) => {
    return { session: await sourceSession(store, ref, manifests.get(ref.projectId), config), asked };
  });
}

async function sourceSession(
  store: AskedStore,
  ref: SessionRef,
  manifest: ProjectManifest | undefined,
  config: Config,
): Promise<SourceSession> {
  const decay = config.keepitDecay;
  const settings = settingsOf(manifest, config);
  const entry = entryOf(manifest, ref);
  const keepits = storedKeepits(entry);
  const { sessionId, metadata, firstTimestamp, lastTimestamp, originalTokens, originalMessages } = entry;
  const kept = await store.sessions.path(ref.projectId, ref.sessionId);
  return {
    ref,
    title: titleOf({ title: metadata.title ?? '', sessionId }),
    project: manifest?.displayName ?? ref.projectId,
    firstTimestamp,
    lastTimestamp,
    originalTokens,
    originalMessages,
    versions: entry.compressions,
    parts: partsOf(entry),
    distance: sessionDistance(entry, Object.values(manifest?.sessions ?? {}), { rehearsal: decay.rehearsal }),
    keepits,
    pinned: keepits.filter(({ weight }) => isPinned(weight, decay)),
    transcript: kept,
    decay,
    preset: settings.defaultCompressionPreset,
    keepitMode: settings.keepitDecayEnabled ? 'decay' : 'preserve-all',
  };
}

function entryOf(manifest: ProjectManifest | undefined, { sessionId }: SessionRef): SessionManifestEntry {
  const sessions = manifest?.sessions ?? {};
  const entry = ownValue(sessions, sessionId);
  if (entry === undefined) throw new CompositionError('not-registered', sessionId);
  return entry;
}

/** A session that was asked for, with all that is known of it. */
export interface AskedSession {
  readonly session: SourceSession;
  /** One entry, or one for each named version of a part. */
  readonly asked: readonly RequestedComponent[];
}
