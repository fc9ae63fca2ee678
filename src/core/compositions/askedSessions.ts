import { sessionDistance, isPinned } from '../keepits/decay';
import { storedKeepits } from '../keepits/effectiveKeepits';
import type { CompositionRequest, RequestedComponent, RecompressSettings } from '../model/composition';
import type { Config } from '../model/config';
import { settingsOf, type ProjectManifest, type SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { MemoryStore } from '../model/host';
import { mapLimited } from '../text/mapLimited';
import type { SessionRef } from '../sessions/results';
import { titleOf } from '../text/formats';
import { partsOf } from '../sessions/sessionParts';
import { sessionKey } from '../model/fields';
import { checkRequest, settingsFor } from '../versions/compressionSettings';
import type { CompressionRequest } from '../versions/types';
import type { CompressionRecord } from '../model/compression';
import { CompositionError } from './compositionError';
import type { SourceSession } from './types';

type AskedStore = Pick<MemoryStore, 'readManifest' | 'readConfig' | 'originalPath'>;

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
  const kept = await store.originalPath(ref.projectId, ref.sessionId);
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

/** What a person has named of a session: the original, versions that there are, or one that is to be made; undefined when nothing. */
export type NamedForm =
  | { readonly kind: 'original' }
  | { readonly kind: 'version' | 'parts'; readonly versions: readonly CompressionRecord[] }
  | { readonly kind: 'new'; readonly make: CompressionRequest };

/** Throws `CompositionError` for what does not exist, or does not go together, `CompressionError` for settings that make no sense. */
export function namedForm({ session, asked }: AskedSession): NamedForm | undefined {
  const recompress = asked.find(({ recompressSettings }) => recompressSettings !== undefined)?.recompressSettings;
  const ids = asked.flatMap(({ versionId }) => (versionId === undefined || versionId === 'auto' ? [] : [versionId]));
  if (asked.length > 1 && (ids.length < asked.length || recompress !== undefined)) {
    throw new CompositionError('repeated', session.ref.sessionId);
  }
  if (recompress !== undefined) {
    const make = requestOf(recompress);
    checkRequest(make);
    const [known] = session.versions.filter((version) => isWhatIsMade(version, session, make));
    return known === undefined ? { kind: 'new', make } : { kind: 'version', versions: [known] };
  }
  if (ids.length === 0) return undefined;
  if (!ids.includes('original')) {
    const versions = namedVersions(session, ids);
    return { kind: versions.some(({ partNumber }) => partNumber !== undefined) ? 'parts' : 'version', versions };
  }
  if (ids.length > 1) throw new CompositionError('overlap', session.ref.sessionId, ids.join(', '));
  if (session.transcript === undefined) {
    throw new CompositionError('no-such-version', 'original', session.ref.sessionId);
  }
  return { kind: 'original' };
}

/** Whether a version is, but for what has faded since, the one that would be made: the same settings make it once. */
function isWhatIsMade(version: CompressionRecord, session: SourceSession, make: CompressionRequest): boolean {
  const { settings, partNumber, messageRange, provider = 'local', receipt = [] } = version;
  const isWhole = partNumber === undefined && messageRange?.[1] === session.originalMessages - 1;
  if (!isWhole || provider !== 'local') return false;
  const { sessionDistance: distance = session.distance, ...rest } = settings;
  const wanted = settingsFor(make, {
    project: { defaultCompressionPreset: session.preset, keepitDecayEnabled: session.keepitMode === 'decay' },
    sessionDistance: session.distance,
    model: 'local',
  });
  const { sessionDistance: _distance, ...asked } = wanted;
  const isSameFate = distance === session.distance || receipt.every(({ weight }) => isPinned(weight, session.decay));
  return isSameFate && JSON.stringify(sorted(rest)) === JSON.stringify(sorted(asked));
}

function sorted(settings: object): unknown[] {
  return Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
}

function namedVersions({ ref, versions }: SourceSession, ids: readonly string[]): CompressionRecord[] {
  const found = ids.map((id) => {
    const version = versions.find(({ versionId }) => versionId === id);
    if (version === undefined) throw new CompositionError('no-such-version', id, ref.sessionId);
    return version;
  });
  const parts = new Set(found.map(({ partNumber }) => partNumber));
  if (found.length > 1 && (parts.has(undefined) || parts.size < found.length)) {
    throw new CompositionError('overlap', ids.join(' and '), ref.sessionId);
  }
  return found.sort((a, b) => (a.partNumber ?? 0) - (b.partNumber ?? 0));
}

function requestOf({
  mode,
  compactionRatio,
  aggressiveness,
  tierPreset,
  customTiers,
  keepitMode,
}: RecompressSettings): CompressionRequest {
  return { scope: { kind: 'whole' }, mode, compactionRatio, aggressiveness, tierPreset, customTiers, keepitMode };
}
