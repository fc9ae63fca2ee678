import { checkRequest } from '../versions/compressionSettings';
import type { CompressionRequest } from '../versions/types';
import type { CompressionRecord } from '../model/compression';
import type { RecompressSettings, RequestedComponent } from '../model/composition';
import { ageLevel, expectedFidelity, presetOfLevel, ratioOfLevel } from './ageLevel';
import { CompositionError } from './compositionError';
import type { SourceSession, VersionOption } from './types';
import { combined, versionOptions, type SectionSizes } from './versionOptions';

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
