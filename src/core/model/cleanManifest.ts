import type { ProjectManifest, SessionManifestEntry } from './manifest';
import { ownValue, setOwnValue } from '../text/ownValue';
import { addedUp, redactionsIn, withoutSecrets } from '../text/secrets/cleanText';
import type { RedactedSecrets } from '../text/secrets/secrets';

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
