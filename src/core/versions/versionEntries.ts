import type { CompressionRecord, SessionPartRecord, SessionVersions } from '../model/compression';
import type { SessionManifestEntry } from '../model/manifest';
import type { KeepitMarker } from '../model/keepit';
import { SCHEMA_VERSION } from '../model/schemaVersion';
import { partsOf } from '../sessions/sessionParts';
import { compareVersionIds, withNumberOf } from './versionNames';

/** An entry that knows versions which it did not know before; `part` when they are the first of a part. */
export function withVersions(
  entry: SessionManifestEntry,
  records: readonly CompressionRecord[],
  part?: SessionPartRecord,
): SessionManifestEntry {
  const compressions = [...entry.compressions, ...records].sort((a, b) => compareVersionIds(a.versionId, b.versionId));
  const versionNumbers = records.reduce(
    (numbers, { versionId }) => withNumberOf(versionId, numbers),
    entry.versionNumbers ?? {},
  );
  const known = partsOf(entry);
  const isNew = part !== undefined && !known.some(({ partNumber }) => partNumber === part.partNumber);
  // A new part takes the place of what was known of deleted ones.
  const parts = isNew ? [...known, part] : (entry.compressionParts ?? []);
  const changed = { ...entry, compressions, versionNumbers, ...(parts.length > 0 && { compressionParts: parts }) };
  const fates = records.map(fatesOf);
  return withMarkers(changed, (marker) => fates.reduce(withFate, marker));
}

/** An entry without some of its versions. Their numbers stay given, and what is known of parts stays known, as a deletion may be undone. */
export function withoutVersions(entry: SessionManifestEntry, versionIds: ReadonlySet<string>): SessionManifestEntry {
  const gone = entry.compressions.filter(({ versionId }) => versionIds.has(versionId));
  const versionNumbers = gone.reduce(
    (numbers, { versionId }) => withNumberOf(versionId, numbers),
    entry.versionNumbers ?? {},
  );
  const compressions = entry.compressions.filter(({ versionId }) => !versionIds.has(versionId));
  const changed = { ...entry, compressions, versionNumbers };
  const stays = (versionId: string): boolean => !versionIds.has(versionId);
  return withMarkers(changed, (marker) => ({
    ...marker,
    survivedIn: marker.survivedIn.filter(stays),
    summarizedIn: marker.summarizedIn.filter(stays),
  }));
}

/** Seed 000, 3.4: what `versions.json` says of a session. */
export function versionsIndex(entry: SessionManifestEntry): SessionVersions {
  const { sessionId, originalFile, originalTokens, originalMessages, compressions } = entry;
  return { version: SCHEMA_VERSION, sessionId, originalFile, originalTokens, originalMessages, versions: compressions };
}

/** Markers of the transcript, and those that people added or changed. */
function withMarkers(
  entry: SessionManifestEntry,
  change: (marker: KeepitMarker) => KeepitMarker,
): SessionManifestEntry {
  const { keepitMarkers, keepitOverlay } = entry;
  return {
    ...entry,
    keepitMarkers: keepitMarkers.map(change),
    ...(keepitOverlay && { keepitOverlay: keepitOverlay.map((one) => ({ ...one, marker: change(one.marker) })) }),
  };
}

interface Fates {
  readonly versionId: string;
  readonly isKept: ReadonlyMap<string, boolean>;
}

function fatesOf({ versionId, receipt = [] }: CompressionRecord): Fates {
  return { versionId, isKept: new Map(receipt.map(({ markerId, kept }) => [markerId, kept])) };
}

function withFate(marker: KeepitMarker, { versionId, isKept }: Fates): KeepitMarker {
  const kept = isKept.get(marker.markerId);
  if (kept === undefined) return marker;
  const list = kept ? 'survivedIn' : 'summarizedIn';
  return marker[list].includes(versionId) ? marker : { ...marker, [list]: [...marker[list], versionId] };
}
