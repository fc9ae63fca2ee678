import { SCHEMA_VERSION, schemaAge } from './fields';

/** A stored document before a schema has accepted it. */
export type JsonObject = Record<string, unknown>;

/** One step from the schema before `to` up to `to`. It gets documents of any older version whose earlier steps were made. */
export interface Migration {
  readonly to: string;
  /** Changes nothing in its argument. Need not set the version. */
  readonly migrate: (document: JsonObject) => JsonObject;
}

/** What to do with a document of the store, judged by its version. */
type Upgrade =
  | { readonly state: 'current'; readonly document: JsonObject }
  /** Brought up to this build's version; `from` is what it was. */
  | { readonly state: 'migrated'; readonly document: JsonObject; readonly from: string }
  /** Never to be written by this build. */
  | { readonly state: 'newer'; readonly version: string }
  /** Not an object at all. */
  | { readonly state: 'foreign' };

/** Documents without a version are older than every version. */
const UNVERSIONED = '0.0.0';

/** Brings a document up to this build's schema version, through all steps that its own version has not seen. */
export function upgrade(document: unknown, migrations: readonly Migration[]): Upgrade {
  if (!isObject(document)) return { state: 'foreign' };
  const written = document.version === undefined ? UNVERSIONED : versionOf(document.version);
  // A version that is none says nothing about the rest, which the schema judges.
  if (written === undefined) return { state: 'current', document };
  const age = schemaAge(written);
  if (age === 'newer') return { state: 'newer', version: written };
  if (age === 'same') return { state: 'current', document };
  const steps = migrations.filter(({ to }) => schemaAge(to, written) === 'newer');
  const migrated = steps.reduce((current, step) => ({ ...step.migrate(current), version: step.to }), document);
  return { state: 'migrated', document: { ...migrated, version: SCHEMA_VERSION }, from: written };
}

/** Tolerates `2`, `"2"` and `"2.0.0-beta"`: whatever a newer version looks like, it must not be taken for damage. */
function versionOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return /^\d+(\.\d+)*/.exec(String(value))?.[0];
}

/** Whether a parsed value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Steps for `manifest.json`, oldest first. To change the schema: raise `SCHEMA_VERSION`, add one entry here, and a
 * document of the old kind to the tests.
 */
export const manifestMigrations: readonly Migration[] = [{ to: '1.0.0', migrate: fromProjectRecord }];

/** Steps for `config.json`: what an old one lacks is filled from the defaults anyway. */
export const configMigrations: readonly Migration[] = [];

/**
 * Before 1.0 a project was written down as the `ProjectRecord` of the first design: its sessions in a list, with
 * `lastAccessed` for the whole project, and neither compositions nor settings.
 */
function fromProjectRecord(document: JsonObject): JsonObject {
  const { lastAccessed, sessions, ...rest } = document;
  return {
    ...(lastAccessed === undefined ? {} : { lastModified: lastAccessed }),
    ...rest,
    sessions: Array.isArray(sessions) ? bySessionId(sessions) : (sessions ?? {}),
  };
}

function bySessionId(sessions: readonly unknown[]): JsonObject {
  const entries = sessions.filter(isObject).map((session) => [String(session.sessionId), session] as const);
  return Object.fromEntries(entries);
}
