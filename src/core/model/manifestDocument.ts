import type * as z from 'zod/mini';
import { composedContextRecordSchema, type ComposedContextRecord } from './composition';
import { compressionRecordSchema, sessionPartSchema, type SessionVersions } from './compression';
import { defaultConfig } from './config';
import { isSafeSegment, schemaProblem, SCHEMA_VERSION, schemaVersionSchema } from './fields';
import { keepitChangeSchema, keepitMarkerSchema } from './keepit';
import {
  createManifest,
  MANIFEST_VERSION,
  settingsOf,
  projectManifestSchema,
  projectSettingsSchema,
  sessionManifestEntrySchema,
  sessionMetadataSchema,
  versionNumbersSchema,
  type ProjectManifest,
  type SessionManifestEntry,
} from './manifest';
import { isObject, manifestMigrations, upgrade, type JsonObject } from './migrations';
import { ownValue, setOwnValue, mapValues } from '../text/ownValue';
import { addedUp, redactionsIn, withoutSecrets } from '../text/secrets/cleanText';
import type { RedactedSecrets } from '../text/secrets/secrets';

/** What a parsed `manifest.json` turned out to be. */
export type ManifestReading =
  | { readonly state: 'sound'; readonly manifest: ProjectManifest; readonly migratedFrom?: string }
  | { readonly state: 'newer'; readonly version: string }
  /** `manifest` holds everything that is valid by itself; `problem` names the first thing that is not. */
  | { readonly state: 'damaged'; readonly manifest: ProjectManifest; readonly problem: string };

/** Where a manifest was found: what the document itself need not be trusted with. */
interface ManifestPlace {
  projectId: string;
  nowIso: string;
}

/** What the store's folders hold of a project, whatever its manifest says. */
export interface StoredFacts {
  sessions: { sessionId: string; versions?: SessionVersions }[];
  compositions: ComposedContextRecord[];
}

/**
 * Judges a parsed manifest. Older ones are migrated; what a manifest of another tool leaves out is filled in without
 * calling it damaged; in a damaged one every field, session, marker and version that is valid by itself is kept.
 */
export function readManifestDocument(parsed: unknown, place: ManifestPlace): ManifestReading {
  const upgraded = upgrade(parsed, manifestMigrations);
  if (upgraded.state === 'newer') return upgraded;
  if (upgraded.state === 'foreign') {
    return { state: 'damaged', manifest: emptyManifest(place), problem: 'it is not an object' };
  }
  const document = withoutGaps(withoutCopies(upgraded.document, place), place);
  const checked = checkManifest(document);
  if ('problem' in checked) return { state: 'damaged', manifest: salvageManifest(document, place), ...checked };
  const migrated = upgraded.state === 'migrated' ? { migratedFrom: upgraded.from } : {};
  return { state: 'sound', ...checked, ...migrated };
}

/** Whether a document is a manifest that can be read again after it was written; `problem` says what is wrong first. */
export function checkManifest(document: unknown): { manifest: ProjectManifest } | { problem: string } {
  const checked = projectManifestSchema.safeParse(document);
  if (!checked.success) return { problem: problemText(checked.error) };
  const stray = Object.entries(checked.data.sessions).find(([key, entry]) => key !== entry.sessionId);
  if (stray !== undefined) return { problem: `sessions.${stray[0]} holds the entry of another session` };
  return { manifest: checked.data };
}

/**
 * Adds what lies in the store's folders and is not in the manifest. Sessions added in this way have no `kept` yet, so
 * that the next sync reads them from the beginning.
 */
export function completeManifest(manifest: ProjectManifest, facts: StoredFacts, nowIso: string): ProjectManifest {
  const sessions = { ...manifest.sessions };
  for (const { sessionId, versions } of facts.sessions) {
    const entry = ownValue(sessions, sessionId) ?? emptyEntry(sessionId, versions, nowIso);
    const known = new Set(entry.compressions.map(({ versionId }) => versionId));
    const missing = (versions?.versions ?? []).filter(({ versionId }) => !known.has(versionId));
    setOwnValue(
      sessions,
      sessionId,
      missing.length === 0 ? entry : { ...entry, compressions: [...entry.compressions, ...missing] },
    );
  }
  const names = new Set(Object.values(manifest.compositions).map(({ name }) => name));
  const found = facts.compositions
    .filter(({ name }) => !names.has(name))
    .map((record) => [record.name, record] as const);
  return { ...manifest, sessions, compositions: { ...manifest.compositions, ...Object.fromEntries(found) } };
}

function emptyManifest({ projectId, nowIso }: ManifestPlace): ProjectManifest {
  return createManifest({ projectId, originalPath: '', displayName: projectId }, nowIso);
}

function emptyEntry(sessionId: string, versions: SessionVersions | undefined, nowIso: string): SessionManifestEntry {
  return {
    sessionId,
    originalFile: versions?.originalFile ?? '',
    originalTokens: versions?.originalTokens ?? 0,
    originalMessages: versions?.originalMessages ?? 0,
    firstTimestamp: '',
    lastTimestamp: '',
    registeredAt: nowIso,
    lastAccessed: nowIso,
    metadata: {},
    keepitMarkers: [],
    compressions: [],
  };
}

/** Earlier manifests held a copy of the configuration: what it says at first was set by nobody. */
function withoutCopies(document: JsonObject, { nowIso }: ManifestPlace): JsonObject {
  if (document.version !== SCHEMA_VERSION) return document;
  const copied = new Map<string, unknown>(Object.entries(settingsOf(undefined, defaultConfig(nowIso))));
  const { settings } = document;
  if (!isObject(settings)) return { ...document, version: MANIFEST_VERSION };
  const own = Object.entries(settings).filter(
    ([key, value]) => JSON.stringify(copied.get(key)) !== JSON.stringify(value),
  );
  return { ...document, version: MANIFEST_VERSION, settings: Object.fromEntries(own) };
}

/** Fields that are not there at all get the values of a project that has nothing: absence is not damage. */
function withoutGaps(document: JsonObject, place: ManifestPlace): JsonObject {
  const whole: JsonObject = { ...emptyManifest(place), ...document };
  if (isObject(whole.sessions)) {
    const gaps = { metadata: {}, keepitMarkers: [], compressions: [] };
    whole.sessions = mapValues(whole.sessions, (entry) => (isObject(entry) ? { ...gaps, ...entry } : entry));
  }
  return whole;
}

function problemText(error: z.core.$ZodError): string {
  const { key, allowed } = schemaProblem(error);
  return key === '' ? `it must be ${allowed}` : `${key} must be ${allowed}`;
}

function salvageManifest(document: JsonObject, place: ManifestPlace): ProjectManifest {
  const empty = emptyManifest(place);
  const { version, projectId, sessions, compositions, settings, ...rest } = document;
  const checkedVersion = schemaVersionSchema.safeParse(version);
  const checkedSettings = projectSettingsSchema.safeParse(settings);
  return {
    ...empty,
    ...withText(rest, { originalPath: '', displayName: place.projectId, createdAt: place.nowIso, lastModified: '' }),
    version: checkedVersion.success ? checkedVersion.data : SCHEMA_VERSION,
    // Its folder is what a project's id is; a document that says otherwise was copied from elsewhere.
    projectId: projectId === place.projectId ? projectId : place.projectId,
    sessions: salvageSessions(sessions, place.nowIso),
    compositions: salvageCompositions(compositions),
    settings: checkedSettings.success ? checkedSettings.data : empty.settings,
  };
}

function salvageSessions(sessions: unknown, nowIso: string): Record<string, SessionManifestEntry> {
  if (!isObject(sessions)) return {};
  const kept = Object.entries(sessions).flatMap(([key, raw]) => {
    if (!isSafeSegment(key) || !isObject(raw)) return [];
    const checked = sessionManifestEntrySchema.safeParse(raw);
    const isWhole = checked.success && checked.data.sessionId === key;
    return [[key, isWhole ? checked.data : salvageEntry(key, raw, nowIso)] as const];
  });
  return Object.fromEntries(kept);
}

/** Without `kept`, so that the next sync reads the session from the beginning and sets the figures right. */
function salvageEntry(sessionId: string, raw: JsonObject, nowIso: string): SessionManifestEntry {
  const { kept: _kept, metadata, keepitMarkers, keepitOverlay, compressions, ...others } = raw;
  const { compressionParts, versionNumbers, originalTokensKind, ...rest } = others;
  const checkedNumbers = versionNumbersSchema.safeParse(versionNumbers);
  const { originalTokens, originalMessages, ...texts } = emptyEntry(sessionId, undefined, nowIso);
  const checkedMetadata = sessionMetadataSchema.safeParse(metadata);
  return {
    ...withText(rest, texts),
    sessionId,
    originalTokens: isCount(raw.originalTokens) ? raw.originalTokens : originalTokens,
    ...(originalTokensKind === 'estimate' && { originalTokensKind }),
    originalMessages: isCount(raw.originalMessages) ? raw.originalMessages : originalMessages,
    metadata: checkedMetadata.success ? checkedMetadata.data : {},
    keepitMarkers: validItems(keepitMarkers, keepitMarkerSchema),
    ...(keepitOverlay !== undefined && { keepitOverlay: validItems(keepitOverlay, keepitChangeSchema) }),
    compressions: validItems(compressions, compressionRecordSchema),
    ...(compressionParts !== undefined && { compressionParts: validItems(compressionParts, sessionPartSchema) }),
    ...(checkedNumbers.success && { versionNumbers: checkedNumbers.data }),
  };
}

function salvageCompositions(compositions: unknown): Record<string, ComposedContextRecord> {
  if (!isObject(compositions)) return {};
  const kept = Object.entries(compositions).flatMap(([key, raw]) => {
    const checked = composedContextRecordSchema.safeParse(raw);
    return checked.success ? [[key, checked.data] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** Those of a list that a schema accepts. */
export function validItems<T>(items: unknown, schema: { safeParse(item: unknown): { data?: T | undefined } }): T[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => schema.safeParse(item).data ?? []);
}

/** All fields of `raw`, those named in `texts` only when they are texts. */
function withText<T extends Record<string, unknown>>(raw: JsonObject, texts: T): JsonObject & T {
  const valid = Object.keys(texts).filter(
    (key) => typeof ownValue(texts, key) === 'string' && typeof ownValue(raw, key) === 'string',
  );
  return { ...raw, ...texts, ...Object.fromEntries(valid.map((key) => [key, ownValue(raw, key)])) };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Raise it when more is recognized as a secret: manifests that were cleaned by less are then cleaned again. */
export const CLEANING = 2;

/**
 * What leads to a file, a folder, a record or a composition has to stay as it is to lead there. None of it is taken from what was said.
 */
const ADDRESSES: ReadonlySet<string> = new Set([
  'projectId',
  'originalPath',
  'originalFile',
  'cwd',
  'file',
  'outputFile',
  'outputs',
  'name',
  'sessionId',
  'messageUuid',
  'markerId',
  'versionId',
  'lastMessageUuid',
  'settings',
]);

/** What the cleaning of a manifest can leave alone: what was cleaned before. */
type CleanedBefore = Pick<ProjectManifest, 'sessions' | 'compositions'>;

/**
 * A manifest as it may be written: no text in it holds a secret or what people marked as private, except for addresses. Ids and positions of
 * keepits stay what they are in the transcript, by which they are found again. Entries that are in `before` are not looked at.
 */
export function cleanManifest(manifest: ProjectManifest, before?: CleanedBefore): ProjectManifest {
  return {
    ...manifest,
    displayName: withoutSecrets(manifest.displayName),
    sessions: changedValues(manifest.sessions, before?.sessions, cleanFields),
    compositions: changedValues(manifest.compositions, before?.compositions, cleanFields),
    cleaning: CLEANING,
  };
}

/** Whether cleaning has changed something: what is the same object was clean. */
export function hasChanged(manifest: ProjectManifest, cleaned: ProjectManifest): boolean {
  const differs = (a: object, b: object): boolean => Object.values(a).some((one, at) => one !== Object.values(b)[at]);
  return (
    manifest.displayName !== cleaned.displayName ||
    differs(manifest.sessions, cleaned.sessions) ||
    differs(manifest.compositions, cleaned.compositions)
  );
}

/** What was taken out of what the store says of a session, and out of its versions. */
export function redactionsOf(entry: SessionManifestEntry): RedactedSecrets[] {
  return addedUp([redactionsIn(textsIn(entry)), ...entry.compressions.map(({ redacted = [] }) => redacted)]);
}

function changedValues<T extends object>(
  values: Record<string, T>,
  before: Record<string, T> | undefined,
  change: (value: T) => T,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, ownValue(before, key) === value ? value : change(value)]),
  );
}

/** The same fields with their texts cleaned, however deep; the very object where nothing had to be. */
export function cleanFields<T extends object>(fields: T): T {
  const changed: Partial<Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(fields)) {
    const cleaned: unknown = ADDRESSES.has(key) ? value : cleanValue(value);
    if (cleaned !== value) setOwnValue(changed, key, cleaned);
  }
  return Object.keys(changed).length === 0 ? fields : { ...fields, ...changed };
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (Array.isArray(value)) {
    const items = value.map(cleanValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  return typeof value === 'object' && value !== null ? cleanFields(value) : value;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* textsIn(one);
}
