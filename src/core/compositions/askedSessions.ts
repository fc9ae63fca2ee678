import { sessionDistance, isPinned, type DecayConfig } from '../keepits/decay';
import { storedKeepits } from '../keepits/effectiveKeepits';
import type { CompositionRequest, RequestedComponent, RecompressSettings } from '../model/composition';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { MemoryStore } from '../model/memoryStore';
import { mapLimited } from '../text/mapLimited';
import type { SessionRef } from '../sessions/results';
import { titleOf } from '../sessions/sessionTitle';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import { BLOCK_SEPARATOR } from '../versions/blockText';
import { partsOf } from '../sessions/sessionParts';
import { sessionKey } from '../model/sessionKey';
import { checkRequest } from '../versions/compressionSettings';
import type { CompressionRequest } from '../versions/types';
import type { CompressionRecord } from '../model/compression';
import { CompositionError } from './compositionError';
import { pinnedBlock, sectionFrame } from './contextSection';
import type { SourceSession, VersionOption } from './types';
import { type SectionSizes, combined, versionOptions } from './versionOptions';
import { ageLevel, expectedFidelity, presetOfLevel, ratioOfLevel } from './ageLevel';

type AskedStore = Pick<MemoryStore, 'readManifest' | 'readConfig' | 'originalPath'>;

/** Files are looked for, not read. */
const PARALLEL_LOOKS = 8;

/** Finds what a request speaks of, in manifests alone: in its order, each session once. Throws `CompositionError` for one that is not in memory. */
export async function findAsked(
  store: AskedStore,
  projectId: string,
  request: Pick<CompositionRequest, 'components'>,
  counter: TokenCounter,
): Promise<AskedSession[]> {
  const { keepitDecay } = await store.readConfig();
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
    const session = await sourceSession(store, ref, manifests.get(ref.projectId), keepitDecay);
    return { session, asked, sizes: sizesOf(session, counter) };
  });
}

async function sourceSession(
  store: AskedStore,
  ref: SessionRef,
  manifest: ProjectManifest | undefined,
  decay: DecayConfig,
): Promise<SourceSession> {
  const entry = entryOf(manifest, ref);
  const keepits = storedKeepits(entry);
  const { sessionId, metadata, firstTimestamp, lastTimestamp, originalTokens, originalMessages } = entry;
  const kept = await store.originalPath(ref.projectId, ref.sessionId);
  return {
    ref,
    title: titleOf({ title: metadata.title ?? '', sessionId }),
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
  };
}

function entryOf(manifest: ProjectManifest | undefined, { sessionId }: SessionRef): SessionManifestEntry {
  const sessions = manifest?.sessions ?? {};
  const entry = ownValue(sessions, sessionId);
  if (entry === undefined) throw new CompositionError('not-registered', sessionId);
  return entry;
}

/** A frame is as large for every version: ids differ by a few characters. */
const USUAL_PIECES = [{ versionId: 'part1_v001', tokens: 0 }];
const USUAL_NUMBER = 99;

function sizesOf(session: SourceSession, counter: TokenCounter): SectionSizes {
  const { heading, footer } = sectionFrame(session, USUAL_PIECES, USUAL_NUMBER);
  const keepit = new Map(
    session.pinned.map((marker) => [marker.markerId, counter.count(pinnedBlock(marker).text + BLOCK_SEPARATOR)]),
  );
  const frame = counter.count([heading, footer, ''].join(BLOCK_SEPARATOR));
  return { frame, keepit, pinned: [...keepit.values()].reduce((sum, tokens) => sum + tokens, 0) };
}

/** A session that was asked for, with all that is known of it. */
export interface AskedSession {
  readonly session: SourceSession;
  readonly sizes: SectionSizes;
  /** One entry, or one for each named version of a part. */
  readonly asked: readonly RequestedComponent[];
}

/** A new version of fewer tokens would hold next to nothing. */
export const LEAST_NEW_TOKENS = 150;

/**
 * What a person has named: a version, versions of parts, the original, or a version that is to be made; undefined when nothing. Throws
 * `CompositionError` for what does not exist, or does not go together, `CompressionError` for settings that make no sense.
 */
export function namedOption({ session, sizes, asked }: AskedSession): VersionOption | undefined {
  const recompress = asked.find(({ recompressSettings }) => recompressSettings !== undefined)?.recompressSettings;
  const ids = asked.flatMap(({ versionId }) => (versionId === undefined || versionId === 'auto' ? [] : [versionId]));
  if (asked.length > 1 && (ids.length < asked.length || recompress !== undefined)) {
    throw new CompositionError('repeated', session.ref.sessionId);
  }
  if (recompress !== undefined) {
    const request = requestOf(recompress);
    checkRequest(request);
    return newOption(session, sizes, request);
  }
  if (ids.length === 0) return undefined;
  if (ids.includes('original')) {
    if (ids.length > 1) throw new CompositionError('overlap', session.ref.sessionId, ids.join(', '));
    const original = versionOptions(session, sizes).find(({ kind }) => kind === 'original');
    if (original === undefined) throw new CompositionError('no-such-version', 'original', session.ref.sessionId);
    return original;
  }
  return combined(session, sizes, namedVersions(session, ids));
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

/** A version that is not there yet, with what it can be expected to be. */
function newOption(session: SourceSession, sizes: SectionSizes, make: CompressionRequest): VersionOption {
  const preset = make.tierPreset === undefined || make.tierPreset === 'custom' ? undefined : make.tierPreset;
  const level = preset === 'gentle' ? 'light' : preset === 'aggressive' ? 'aggressive' : 'moderate';
  const ratio = make.compactionRatio ?? ratioOfLevel(preset === undefined ? ageLevel(session.distance) : level);
  return {
    kind: 'new',
    pieces: [],
    tokens: sizes.frame + Math.max(Math.ceil(session.originalTokens / ratio), sizes.pinned),
    fidelity: expectedFidelity(ratio),
    compressionRatio: ratio,
    keepitStats: { preserved: session.pinned.length, summarized: session.keepits.length - session.pinned.length },
    make,
  };
}

/** The version that the session's age asks for, or a smaller one where the room is not enough for that. */
export function newOptionFor({ session, sizes }: Omit<AskedSession, 'asked'>, room: number): VersionOption | undefined {
  const text = room - sizes.frame;
  if (text < LEAST_NEW_TOKENS || session.originalTokens === 0 || session.transcript === undefined) return undefined;
  const level = ageLevel(session.distance);
  const needed = session.originalTokens / text;
  if (needed <= ratioOfLevel(level))
    return newOption(session, sizes, { scope: { kind: 'whole' }, mode: 'tiered', tierPreset: presetOfLevel(level) });
  const aggressiveness = level === 'light' ? 'minimal' : level;
  return newOption(session, sizes, {
    scope: { kind: 'whole' },
    mode: 'uniform',
    compactionRatio: Math.min(1000, Math.ceil(needed)),
    aggressiveness,
  });
}

/** Versions that could be made instead of a smaller one. */
export function lighterOptions({ session, sizes }: Omit<AskedSession, 'asked'>): VersionOption[] {
  if (session.transcript === undefined) return [];
  return (['aggressive', 'standard', 'gentle'] as const).map((tierPreset) =>
    newOption(session, sizes, { scope: { kind: 'whole' }, mode: 'tiered', tierPreset }),
  );
}
