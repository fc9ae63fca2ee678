import type { CompressionRecord, SessionPartRecord, SessionVersions, CompressionSettings } from '../model/compression';
import type { SessionManifestEntry } from '../model/manifest';
import type { KeepitMarker } from '../model/keepit';
import { SCHEMA_VERSION } from '../model/fields';
import { partsOf } from '../sessions/sessionParts';
import { ownValue } from '../text/ownValue';
import { redactionsIn } from '../text/secrets/cleanText';
import type { CompressedSession, CompressionJob } from './compressionJob';
import { settingsName } from './compressionSettings';
import { messageRangeText } from './types';

/** An entry that knows versions which it did not know before; `part` when they are the first of a part. */
export function withVersions(
  entry: SessionManifestEntry,
  records: readonly CompressionRecord[],
  part?: SessionPartRecord,
): SessionManifestEntry {
  const compressions = [...entry.compressions, ...records].sort((a, b) => compareVersionIds(a.versionId, b.versionId));
  const versionNumbers = numbersWith(entry, records);
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
  const versionNumbers = numbersWith(entry, gone);
  const compressions = entry.compressions.filter(({ versionId }) => !versionIds.has(versionId));
  const changed = { ...entry, compressions, versionNumbers };
  const stays = (versionId: string): boolean => !versionIds.has(versionId);
  return withMarkers(changed, (marker) => ({
    ...marker,
    survivedIn: marker.survivedIn.filter(stays),
    summarizedIn: marker.summarizedIn.filter(stays),
  }));
}

function numbersWith({ versionNumbers = {} }: SessionManifestEntry, records: readonly CompressionRecord[]) {
  return records.reduce((numbers, { versionId }) => withNumberOf(versionId, numbers), versionNumbers);
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

type NumberedEntry = Pick<SessionManifestEntry, 'compressions' | 'versionNumbers'>;

const VERSION_ID = /^(?:part(\d+)_)?v(\d+)$/;

/** `v` for versions of the whole session, `part2_v` for those of a part: each has numbers of its own. */
function seriesOf(partNumber: number | undefined): string {
  return partNumber === undefined ? 'v' : `part${partNumber}_v`;
}

/** The id of the next version, `v003` or `part2_v001`; a number that was given once is never given again, deleted or not. */
export function nextVersionId({ compressions, versionNumbers = {} }: NumberedEntry, partNumber?: number): string {
  const series = seriesOf(partNumber);
  let last = ownValue(versionNumbers, series) ?? 0;
  for (const { versionId } of compressions) {
    const found = VERSION_ID.exec(versionId);
    const isOfSeries = found !== null && Number(found[1] ?? 0) === (partNumber ?? 0);
    if (isOfSeries) last = Math.max(last, Number(found[2]));
  }
  return `${series}${String(last + 1).padStart(3, '0')}`;
}

/** The numbers that are given out, with the one of `versionId` among them. */
export function withNumberOf(
  versionId: string,
  numbers: Readonly<Record<string, number>> = {},
): Record<string, number> {
  const found = VERSION_ID.exec(versionId);
  if (found === null) return { ...numbers };
  const series = seriesOf(found[1] === undefined ? undefined : Number(found[1]));
  return { ...numbers, [series]: Math.max(ownValue(numbers, series) ?? 0, Number(found[2])) };
}

/** The order of versions: those of the whole session first, then part by part, each by its number. */
export function compareVersionIds(a: string, b: string): number {
  const [first, second] = [a, b].map((id) =>
    VERSION_ID.exec(id)
      ?.slice(1)
      .map((digits) => Number(digits) || 0),
  );
  if (first === undefined || second === undefined) return a < b ? -1 : Number(a > b);
  return (first[0] ?? 0) - (second[0] ?? 0) || (first[1] ?? 0) - (second[1] ?? 0);
}

/** Seed 000, 3.2 and seed 001: the name of a version's files, without the ending: `part1_v002_uniform-aggressive_3k`. */
export function versionFileName(versionId: string, settings: CompressionSettings, outputTokens: number): string {
  return `${versionId}_${settingsName(settings)}_${kilotokens(outputTokens)}k`;
}

/** Whole thousands; below one thousand as many decimals as it takes (`0.4`, `0.04`), so that small versions can be told apart. */
function kilotokens(tokens: number): string {
  if (tokens >= 1000) return String(Math.round(tokens / 1000));
  return (tokens / 1000).toFixed(tokens >= 95 ? 1 : 2);
}

/** What is kept of a version that was made. */
export function recordOf(
  versionId: string,
  createdAt: string,
  { settings, provider }: CompressionJob,
  made: CompressedSession,
): CompressionRecord {
  const { estimate, outputTokens, outputMessages, compressionRatio, keepitStats, fidelity, cost, engine, provenance } =
    made;
  const redacted = redactionsIn([made.body]);
  return {
    versionId,
    file: versionFileName(versionId, settings, outputTokens),
    createdAt,
    settings,
    outputTokens,
    outputMessages,
    compressionRatio,
    keepitStats,
    ...(made.part && { partNumber: made.part.partNumber }),
    messageRange: [...estimate.messageRange],
    lastMessageUuid: made.lastMessageUuid,
    inputTokens: estimate.inputTokens,
    fidelity,
    receipt: [...made.receipt],
    provider,
    engine,
    cost: { ...cost },
    ...(provenance && { provenance }),
    ...(redacted.length > 0 && { redacted: redacted.map((one) => ({ ...one })) }),
    askedRatio: estimate.askedRatio,
    isExceededByKeepits: estimate.isExceededByKeepits,
  };
}

/** The first line of the `.md`: what this is. It holds no time, so that the same version has the same bytes. */
export function headline(
  { versionId, messageRange, settings, inputTokens }: CompressionRecord,
  sessionId: string,
): string {
  const range = messageRange === undefined ? '' : ` · ${messageRangeText(messageRange)}`;
  const from = inputTokens === undefined ? '' : ` · from ${inputTokens} tokens`;
  return `<!-- Keepit ${versionId} · session ${sessionId}${range} · ${settingsName(settings)}${from} -->`;
}

/** A version, and the names of the compositions that use it. */
export type ListedVersion = CompressionRecord & { usedIn: string[] };

/** A part of a session (seed 001), and its versions. */
interface ListedPart {
  partNumber: number;
  messageRange: [number, number];
  tokens: number;
  versionIds: string[];
}

/** What came after the last part. */
interface VersionDelta {
  newMessages: number;
  newTokens: number;
  /** The number that a part for them gets. */
  nextPart: number;
  /** Absent when there is nothing new. */
  messageRange?: [number, number];
}

export interface VersionListing {
  /** What a model would read of the session as it is now. */
  original: { tokens: number; messages: number };
  versions: ListedVersion[];
  parts: ListedPart[];
  delta: VersionDelta;
}

export interface VersionDeletion {
  deleted: string[];
  /** Versions that compositions use, and these compositions' names; `force` deletes them all the same. */
  refused: { versionId: string; usedIn: string[] }[];
  /** What undoes it; absent when nothing was deleted. */
  trash?: string;
}

/** A version that was made, and its files by their absolute paths. */
export interface CompressionResult {
  version: CompressionRecord;
  files: string[];
}
