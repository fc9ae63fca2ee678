import { isPinned } from '../keepits/decay';
import type { RecompressSettings } from '../model/composition';
import type { CompressionRecord } from '../model/compression';
import type { OnProgress, SessionRef } from '../sessions/results';
import { checkRequest, settingsFor } from '../versions/compressionSettings';
import type { CompressionRequest } from '../versions/types';
import type { AskedSession } from './askedSessions';
import { CompositionError } from './compositionError';
import type { SourceSession } from './types';

/** What a person has named of a session: the original, versions that there are, or one that is to be made; undefined when nothing. */
export type NamedForm =
  | { readonly kind: 'original' }
  | { readonly kind: 'version' | 'parts'; readonly versions: readonly CompressionRecord[] }
  | { readonly kind: 'new'; readonly make: CompressionRequest };

/** A version that was made: kept, or only looked at. */
export interface MadeVersion {
  readonly version: CompressionRecord;
  /** Its text, when it was not kept. */
  readonly jsonl?: string;
}

/** Makes a version, in whole or not at all; keeps it unless it is only to be looked at. */
export type MakeVersion = (
  ref: SessionRef,
  request: CompressionRequest,
  options: { readonly isKept: boolean; readonly onProgress?: OnProgress | undefined },
  signal?: AbortSignal,
) => Promise<MadeVersion>;

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
